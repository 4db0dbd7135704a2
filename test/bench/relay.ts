import { execFileSync } from 'node:child_process';
import { Agent } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { Installation } from './installation.ts';
import { type Benchmark, callback, fetchText, once, quantile, timed } from './measure.ts';

/** Callers at a time, where it isn't one. */
const callers = 16;
/** After each exchange, so that the next one doesn't wait until the one before has been judged. */
const pauseMs = 4;

const registration = (index: number) =>
  callback('2', `user-${index}`, { partner_sp: Buffer.alloc(64, 'passcode').toString('base64') });

/** A relay in front of an application that costs next to nothing. */
async function relayed(installed: Installation, flags: readonly string[] = []) {
  const directUrl = `${await installed.minimalApplication()}/callback`;
  const words = ['relay', '--to', directUrl, '--json', ...flags];
  const { event, child } = await installed.start<{ callback_url: string }>(words, 'relay');
  return { directUrl, url: event.callback_url, pid: String(child.pid) };
}

/** One request without the relay and one with it by turns, each alone; how much longer the latter take. */
function latency(name: string, goalMs: number, decrypts: boolean): Benchmark {
  return {
    name: `relay, latency added to ${name}`,
    against: `${goalMs} ms at the median`,
    goal: { atMost: 1 },
    run: async (installed, { alone }) => {
      const { url, directUrl } = await relayed(installed, decrypts ? ['--decrypt'] : []);
      const public_key = installed.keyPair().text;
      const agent = new Agent({ keepAlive: true });
      const own: number[] = [];
      const against: number[] = [];
      for (let index = 0; index < alone + alone / 5; index += 1) {
        const body = decrypts
          ? callback('1', `user-${index}`, { public_key })
          : registration(index);
        for (const [to, times] of [[directUrl, against] as const, [url, own] as const]) {
          times.push(await timed(() => fetchText(to, agent, body)));
          await pause(pauseMs);
        }
      }
      agent.destroy();
      // The first ones are before V8 has optimised either side.
      const at = (times: readonly number[], share: number) => quantile(times.slice(-alone), share);
      const added = (share: number) => at(own, share) - at(against, share);
      const cost = `${added(0.5).toFixed(2)} ms, ${added(0.99).toFixed(2)} ms at p99`;
      const compared = once(added(0.5) / goalMs, cost, at(own, 0.5), at(against, 0.5));
      return { ...compared, spread: [added(0.25) / goalMs, added(0.75) / goalMs] };
    },
  };
}

/** Sends that many registrations, several at a time; how many a second. */
async function relayMany(url: string, count: number): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: callers });
  let next = 0;
  const caller = async (): Promise<void> => {
    while (next < count) {
      next += 1;
      await fetchText(url, agent, registration(next));
    }
  };
  const ms = await timed(() => Promise.all(Array.from({ length: callers }, caller)));
  agent.destroy();
  return count / (ms / 1000);
}

const throughput: Benchmark = {
  name: 'relay, registrations of 16 callers',
  against: 'the same without it',
  run: async (installed, { together }) => {
    const { url, directUrl } = await relayed(installed);
    await relayMany(url, together / 5);
    const direct = await relayMany(directUrl, together);
    const own = await relayMany(url, together);
    return once(own / direct, `${Math.round(own)} a second`, 1000 / own, 1000 / direct);
  },
};

const mostMegabytes = 200;

/** Memory doesn't grow with the number of exchanges. */
const memory: Benchmark = {
  name: 'relay, memory of a long run',
  against: '200 MB',
  goal: { atMost: 1 },
  run: async (installed, { longRelay }) => {
    const { url, pid } = await relayed(installed);
    let peak = 0;
    for (let part = 0; part < 10; part += 1) {
      await relayMany(url, longRelay / 10);
      peak = Math.max(peak, Number(execFileSync('ps', ['-o', 'rss=', '-p', pid])) / 1024);
    }
    return once(peak / mostMegabytes, `${Math.round(peak)} MB over ${longRelay} exchanges`);
  },
};

/** What `relay` promises, and what it costs. */
export const relays: readonly Benchmark[] = [
  latency('a callback', 1, false),
  latency('a key exchange with --decrypt', 2, true),
  throughput,
  memory,
];
