import { generateKeyPairSync } from 'node:crypto';
import { Agent } from 'node:http';
import type { Installation } from './installation.ts';
import type { Benchmark, Effort } from './measure.ts';
import { fetchText, once, quantile, send, timed } from './measure.ts';

/** Of one user, so that each hides what those before it did. */
const calls = { once: 100, quick: 2000, whole: 10_000 };
const compared = 1000;

interface Watched {
  readonly firstCallsMs: number;
  readonly lastCallsMs: number;
  readonly journalMs: number;
  readonly pageMs: number;
}

const measured = new WeakMap<Installation, Promise<Watched>>();

/** Measured once for all rows: the calls take a while. */
function watch(installed: Installation, { extent }: Effort): Promise<Watched> {
  const watched = measured.get(installed) ?? measure(installed, calls[extent]);
  measured.set(installed, watched);
  return watched;
}

async function measure(installed: Installation, count: number): Promise<Watched> {
  const token = 'a-token-of-the-benchmark';
  const url = await installed.emulate('app', 'journal', ['--ui', '--ui-token', token]);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const body = JSON.stringify({
    client_id: 'authcli-client',
    used_type: '1',
    ptn_cd: 'user-1',
    public_key: publicKey.export({ type: 'spki', format: 'der' }).toString('base64'),
  });
  const times: number[] = [];
  for (let index = 0; index < count; index += 1) {
    times.push(await timed(() => fetchText(`${url}/callback`, agent, body)));
  }
  const journalMs = await timed(() => fetchText(`${url}/_authcli/journal`, agent));
  const pageMs = await timed(() => firstData(`${url}/_authcli/ui/${token}/events`, agent));
  agent.destroy();
  return {
    firstCallsMs: quantile(times.slice(0, compared), 0.5),
    lastCallsMs: quantile(times.slice(-compared), 0.5),
    journalMs,
    pageMs,
  };
}

/** The first events of the page, with the exchanges that it shows when it opens. */
async function firstData(url: string, agent: Agent): Promise<void> {
  const response = await send(url, agent);
  for await (const chunk of response) {
    if (String(chunk).includes('data:')) break;
  }
  response.destroy();
}

/** One second is the most that a user should wait. */
const ofASecond = (ms: number) => once(ms / 1000, `${Math.round(ms)} ms`, ms, 1000);

/** An emulator that has been busy for long: what its journal hides grows with the calls. */
export const journals: readonly Benchmark[] = [
  {
    name: 'emulate app, a call after 10,000 of one user (--quick: 2,000)',
    against: 'the first 1,000',
    goal: { atMost: 1.5 },
    run: async (installed, effort) => {
      const { firstCallsMs, lastCallsMs } = await watch(installed, effort);
      return once(
        lastCallsMs / firstCallsMs,
        `${lastCallsMs.toFixed(2)} ms`,
        lastCallsMs,
        firstCallsMs,
      );
    },
  },
  {
    name: 'emulate app, its journal after 10,000 calls of one user (--quick: 2,000)',
    against: 'a second',
    goal: { atMost: 1 },
    run: async (installed, effort) => ofASecond((await watch(installed, effort)).journalMs),
  },
  {
    name: 'emulate app, its page after 10,000 calls of one user (--quick: 2,000)',
    against: 'a second',
    goal: { atMost: 1 },
    run: async (installed, effort) => ofASecond((await watch(installed, effort)).pageMs),
  },
];
