import { generateKeyPairSync } from 'node:crypto';
import { Agent, type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import type { Benchmark, Comparison } from './benchmark.ts';
import type { Installation } from './installation.ts';

/** Of one user, so that each hides what those before it did. */
const calls = 10_000;
const compared = 1000;

interface Watched {
  readonly firstCallsMs: number;
  readonly lastCallsMs: number;
  readonly journalMs: number;
  readonly pageMs: number;
}

const measured = new WeakMap<Installation, Promise<Watched>>();

/** Measured once for all rows: the calls take a while. */
function watch(installed: Installation): Promise<Watched> {
  const watched = measured.get(installed) ?? measure(installed);
  measured.set(installed, watched);
  return watched;
}

async function measure(installed: Installation): Promise<Watched> {
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
  for (let index = 0; index < calls; index += 1) {
    times.push(await timed(() => fetchText(`${url}/callback`, agent, body)));
  }
  const journalMs = await timed(() => fetchText(`${url}/_authcli/journal`, agent));
  const pageMs = await timed(() => firstData(`${url}/_authcli/ui/${token}/events`, agent));
  agent.destroy();
  return {
    firstCallsMs: median(times.slice(0, compared)),
    lastCallsMs: median(times.slice(-compared)),
    journalMs,
    pageMs,
  };
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

function median(values: readonly number[]): number {
  return values.toSorted((left, right) => left - right)[values.length >> 1] ?? Number.NaN;
}

function send(url: string, agent: Agent, body?: string) {
  const headers = { 'content-type': 'application/json;charset=utf-8' };
  const sent = request(url, { agent, method: body === undefined ? 'GET' : 'POST', headers });
  sent.end(body);
  return new Promise<IncomingMessage>((resolve, reject) => {
    sent.on('response', (response) => {
      if (response.statusCode === 200) resolve(response);
      else reject(new Error(`${url} responded with HTTP ${response.statusCode}`));
    });
    sent.on('error', reject);
  });
}

async function fetchText(url: string, agent: Agent, body?: string): Promise<string> {
  return text(await send(url, agent, body));
}

/** The first events of the page, with the exchanges that it shows when it opens. */
async function firstData(url: string, agent: Agent): Promise<void> {
  const response = await send(url, agent);
  for await (const chunk of response) {
    if (String(chunk).includes('data:')) break;
  }
  response.destroy();
}

/** One second is the most that somebody should wait. */
function ofASecond(ms: number): Comparison {
  const ratio = ms / 1000;
  return { ratio, spread: [ratio, ratio], ms, againstMs: 1000, cost: `${Math.round(ms)} ms` };
}

/** An emulator that has been busy for long: what its journal hides grows with the calls. */
export const journals: readonly Benchmark[] = [
  {
    name: 'emulate app, the 10,000th call of one user',
    against: 'the first 1,000',
    goal: { atMost: 1.5 },
    run: async (installed) => {
      const { firstCallsMs, lastCallsMs } = await watch(installed);
      const ratio = lastCallsMs / firstCallsMs;
      return {
        ratio,
        spread: [ratio, ratio],
        ms: lastCallsMs,
        againstMs: firstCallsMs,
        cost: `${lastCallsMs.toFixed(2)} ms`,
      };
    },
  },
  {
    name: 'emulate app, its journal after 10,000 calls of one user',
    against: 'a second',
    goal: { atMost: 1 },
    run: async (installed) => ofASecond((await watch(installed)).journalMs),
  },
  {
    name: 'emulate app, its page after 10,000 calls of one user',
    against: 'a second',
    goal: { atMost: 1 },
    run: async (installed) => ofASecond((await watch(installed)).pageMs),
  },
];
