import { execFileSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { Agent } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import type { Installation } from './installation.ts';
import type { Benchmark, Comparison } from './measure.ts';
import { fetchText, once, quantile, timed } from './measure.ts';

/** How many exchanges show the latency, the throughput and the memory. */
const sizes = {
  once: { alone: 20, together: 100, longRun: 200 },
  quick: { alone: 150, together: 1500, longRun: 4000 },
  whole: { alone: 3000, together: 20_000, longRun: 100_000 },
};

/** Callers at a time, where it isn't one. */
const callers = 16;
/** After each exchange, so that the next one doesn't wait until the one before has been judged. */
const pauseMs = 4;

const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const publicKeyText = publicKey.export({ type: 'spki', format: 'der' }).toString('base64');

const keyExchange = (index: number) => callback('1', index, { public_key: publicKeyText });
const registration = (index: number) =>
  callback('2', index, { partner_sp: 'q4XyVb0RkfM2sPzL8aWnTd6HjC1uEg9YMDEyMzQ1Njc='.repeat(2) });

function callback(usedType: '1' | '2', index: number, fields: object): string {
  return JSON.stringify({
    client_id: 'bench',
    used_type: usedType,
    ptn_cd: `user-${index}`,
    ...fields,
  });
}

interface Relayed {
  readonly directUrl: string;
  readonly url: string;
  readonly pid: number;
}

/** A relay in front of an application that costs next to nothing. */
async function relayed(installed: Installation, flags: readonly string[] = []): Promise<Relayed> {
  const directUrl = `${await installed.minimalApplication()}/callback`;
  const words = ['relay', '--to', directUrl, '--json', ...flags];
  const { event, child } = await installed.start<{ callback_url: string }>(words, 'relay');
  return { directUrl, url: event.callback_url, pid: child.pid ?? 0 };
}

/** One request without the relay and one with it by turns, each alone; how much longer the latter take. */
function latency(
  name: string,
  goalMs: number,
  flags: readonly string[],
  bodyOf: (index: number) => string,
): Benchmark {
  return {
    name: `relay, latency added to ${name}`,
    against: `${goalMs} ms at the median`,
    goal: { atMost: 1 },
    run: async (installed, effort) => {
      const { url, directUrl } = await relayed(installed, flags);
      const agent = new Agent({ keepAlive: true });
      const { alone } = sizes[effort.extent];
      const times: { readonly own: number; readonly against: number }[] = [];
      for (let index = 0; index < alone + alone / 5; index += 1) {
        const call = async (to: string) => {
          const ms = await timed(() => fetchText(to, agent, bodyOf(index)));
          await pause(pauseMs);
          return ms;
        };
        times.push({ against: await call(directUrl), own: await call(url) });
      }
      agent.destroy();
      const measured = times.slice(-alone); // the first ones are before V8 has optimised either side
      const [own, against] = [
        measured.map((each) => each.own),
        measured.map((each) => each.against),
      ];
      const added = (share: number) => quantile(own, share) - quantile(against, share);
      const cost = `${added(0.5).toFixed(2)} ms, ${added(0.99).toFixed(2)} ms at p99`;
      return {
        ratio: added(0.5) / goalMs,
        spread: [added(0.25) / goalMs, added(0.75) / goalMs],
        ms: quantile(own, 0.5),
        againstMs: quantile(against, 0.5),
        cost,
      };
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
  run: async (installed, effort) => {
    const { url, directUrl } = await relayed(installed);
    const { together } = sizes[effort.extent];
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
  run: async (installed, effort): Promise<Comparison> => {
    const { url, pid } = await relayed(installed);
    const { longRun } = sizes[effort.extent];
    const seen: number[] = [];
    for (let part = 0; part < 10; part += 1) {
      await relayMany(url, longRun / 10);
      seen.push(Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)])) / 1024);
    }
    const peak = Math.max(...seen);
    return once(peak / mostMegabytes, `${Math.round(peak)} MB over ${longRun} exchanges`);
  },
};

/** What `relay` promises, and what it costs. */
export const relays: readonly Benchmark[] = [
  latency('a callback', 1, [], registration),
  latency('a key exchange with --decrypt', 2, ['--decrypt'], keyExchange),
  throughput,
  memory,
];
