import { Agent } from 'node:http';
import type { Installation } from './installation.ts';
import { type Benchmark, callback, fetchText, once, quantile, timed } from './measure.ts';

const token = 'a-token-of-the-benchmark';
const compared = 1000;

/** An emulator after many calls of one user, so that its journal hides for each what those before it did. */
async function busyEmulator(installed: Installation, calls: number) {
  const url = await installed.emulate('app', 'journal', ['--ui', '--ui-token', token]);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const body = callback('1', 'user-1', { public_key: installed.keyPair().text });
  const times: number[] = [];
  for (let index = 0; index < calls; index += 1)
    times.push(await timed(() => fetchText(`${url}/callback`, agent, body)));
  agent.destroy();
  return { url, times };
}

/** The first events of the page, with the exchanges that it shows when it opens. */
async function openPage(url: string): Promise<void> {
  const { body } = await fetch(`${url}/_authcli/ui/${token}/events`);
  for await (const chunk of body ?? []) if (Buffer.from(chunk).includes('data:')) return;
}

export const journals: readonly Benchmark[] = [
  {
    name: 'emulate app, a call after 10,000 of one user (--quick: 2,000)',
    against: 'the first 1,000',
    goal: { atMost: 1.5 },
    run: async (installed, { calls }) => {
      const { times } = await busyEmulator(installed, calls);
      const first = quantile(times.slice(0, compared), 0.5);
      const last = quantile(times.slice(-compared), 0.5);
      return once(last / first, `${last.toFixed(2)} ms`, last, first);
    },
  },
  {
    name: 'emulate app, its journal and its page after 10,000 calls (--quick: 2,000)',
    against: 'a second for each',
    goal: { atMost: 1 },
    run: async (installed, { calls }) => {
      const { url } = await busyEmulator(installed, calls);
      const journalMs = await timed(async () => (await fetch(`${url}/_authcli/journal`)).text());
      const pageMs = await timed(() => openPage(url));
      const ms = Math.max(journalMs, pageMs);
      return once(ms / 1000, `${Math.round(journalMs)} and ${Math.round(pageMs)} ms`, ms, 1000);
    },
  },
];
