import { spawnSync } from 'node:child_process';
import { closeSync, openSync, writeSync } from 'node:fs';
import { Agent } from 'node:http';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { attackAll } from '../hardening/hostile/requests.ts';
import type { Installation } from './installation.ts';
import {
  type Benchmark,
  type Command,
  callback,
  compare,
  compareCosts,
  costOfOne,
  cpuTimeOf,
  fetchText,
  once,
  quantile,
  speedRatio,
  timed,
} from './measure.ts';

/** The cost of a command, as a multiple of `node -e 0`. */
function timesNode(
  name: string,
  atMost: number,
  command: (installed: Installation) => Command | Promise<Command>,
): Benchmark {
  return {
    name,
    against: 'the start of Node',
    goal: { atMost },
    run: async (installed, effort) => compare(await command(installed), installed.floor, effort),
  };
}

/** A whole sign-up at an application on loopback, with the key pair at hand. */
async function signUp(installed: Installation): Promise<Command> {
  const key = ['--private-key', installed.keyPair().privateKey];
  return installed.authcli(['simulate-signup', '--url', await installed.application(), ...key]);
}

/** Single commands; Node has a cache of compiled code from 22.1 on. */
const startUps = (hasCache: boolean): readonly Benchmark[] => [
  timesNode('--version', 1.05, (installed) => installed.authcli(['--version'])),
  timesNode('--help', 1.05, (installed) => installed.authcli(['--help'])),
  timesNode('key generate', hasCache ? 2.2 : 2.9, (installed) =>
    installed.authcli(['key', 'generate']),
  ),
  timesNode('simulate-signup', hasCache ? 4.4 : 6.5, signUp),
];

/** The cost of a command must not grow with the users that are known. */
const manyUsers: Benchmark = {
  name: 'simulate-signup, many users known',
  against: 'the same with 10',
  goal: { atMost: 1.5 },
  run: async (installed, effort) => {
    installed.knowUsers('few', 10);
    installed.knowUsers('many', effort.manyUsers);
    const url = await installed.application();
    const words = ['simulate-signup', '--url', url, '--ptn-cd', 'user-3'];
    return compare(installed.authcli(words, 'many'), installed.authcli(words, 'few'), effort);
  },
};

/** One load, as it says of itself; every sign-up of it has to succeed, or the command fails. */
function load(installed: Installation, url: string, count: number) {
  const words = ['load', '--json', '--url', url, '--signups', String(count), '--workers', '1'];
  return JSON.parse(installed.output(words)) as { cpu_ms: number; memory_mb: number };
}

/** CPU time of one private RSA operation of 2048 bits in milliseconds, as OpenSSL itself measures it. */
function opensslSpeed(): number {
  const argv = ['speed', '-mr', '-seconds', '1', 'rsa2048'];
  const { stdout } = spawnSync('openssl', argv, { encoding: 'utf8' });
  const [, perSecond] = /^\+F2:\d+:2048:([\d.]+):/m.exec(stdout ?? '') ?? [];
  return 1000 / Number(perSecond);
}

const loads: readonly Benchmark[] = [
  {
    /** How many sign-ups `load` makes in the CPU time in which OpenSSL makes one private operation. */
    name: 'load, sign-ups',
    against: 'openssl speed rsa2048',
    goal: { atLeast: 0.65 },
    run: async (installed, { signUps, longRounds }) => {
      if (Number.isNaN(opensslSpeed())) return { leftOut: 'no openssl' };
      const url = await installed.minimalApplication();
      const own = () => costOfOne(signUps, (count) => load(installed, url, count).cpu_ms);
      return compareCosts(longRounds, own, opensslSpeed, speedRatio);
    },
  },
  {
    /** It doesn't grow with the number of sign-ups. */
    name: 'load, memory of a long run',
    against: '200 MB',
    goal: { atMost: 1 },
    run: async (installed, { longLoad }) => {
      const { memory_mb: peak } = load(installed, await installed.minimalApplication(), longLoad);
      return once(peak / 200, `${Math.round(peak)} MB for ${longLoad} sign-ups`);
    },
  },
];

/** One request without the relay and one with it by turns, each alone; how much longer the latter take. */
function relayLatency(name: string, goalMs: number, decrypts: boolean): Benchmark {
  return {
    name: `relay, latency added to ${name}`,
    against: `${goalMs} ms at the median`,
    goal: { atMost: 1 },
    run: async (installed, { alone }) => {
      const directUrl = `${await installed.minimalApplication()}/callback`;
      const flags = decrypts ? ['--decrypt'] : [];
      const words = ['relay', '--to', directUrl, '--json', ...flags];
      const { callback_url } = await installed.start<{ callback_url: string }>(words, 'relay');
      const public_key = installed.keyPair().text;
      const partner_sp = Buffer.alloc(64, 'passcode').toString('base64');
      const agent = new Agent({ keepAlive: true });
      const [own, against] = [[], []] as [number[], number[]];
      for (let index = 0; index < alone * 1.2; index += 1) {
        const user = `user-${index}`;
        const body = decrypts
          ? callback('1', user, { public_key })
          : callback('2', user, { partner_sp });
        for (const [to, times] of [[directUrl, against] as const, [callback_url, own] as const]) {
          times.push(await timed(() => fetchText(to, agent, body)));
          await pause(4); // so that the next one doesn't wait until this one has been judged
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

/** Honest callbacks beside hostile requests, which take longer than the same ones before. */
const hostileRequests: Benchmark = {
  name: 'relay, delay beside hostile requests',
  against: '50 ms at the median',
  goal: { atMost: 1 },
  run: async (installed, { hostile }) => {
    const words = ['relay', '--to', await installed.application(), '--json'];
    const { callback_url } = await installed.start<{ callback_url: string }>(words, 'relay');
    const agent = new Agent({ keepAlive: true });
    const median = async (goesOn: (calls: number) => boolean) => {
      const times: number[] = [];
      while (goesOn(times.length)) {
        const partner_sp = Buffer.alloc(64, 'passcode').toString('base64');
        const body = callback('2', `user-${times.length}`, { partner_sp });
        times.push(await timed(() => fetchText(callback_url, agent, body)));
        await pause(4);
      }
      return quantile(times, 0.5);
    };
    const calm = await median((calls) => calls < hostile / 5);
    const attack = attackAll(Number(new URL(callback_url).port), '127.0.0.1:9', hostile);
    const [attacked] = await Promise.all([median(attack.goesOn), attack.ended]);
    agent.destroy();
    const cost = `${(attacked - calm).toFixed(2)} ms beside ${hostile} hostile requests`;
    return once((attacked - calm) / 50, cost, attacked, calm);
  },
};

/** A log of that many megabytes, as an application writes it: a sign-up in so many other requests. */
function writeLog(installed: Installation, megabytes: number, requests: number): string {
  const public_key = installed.keyPair().text;
  const file = join(installed.folder, `${megabytes}.log`);
  const log = openSync(file, 'w');
  const others = Array.from({ length: requests }, (_, other) => {
    const path = `/orders/${other}?page=2`;
    return `DEBUG [worker-${other % 10}] http.Server : 200 GET "${path}" {"took_ms":${other}}`;
  });
  const success = { code: '0000', message: '' };
  let size = 0;
  for (let index = 0; size < megabytes * 1e6; index += 1) {
    const at = new Date(Date.UTC(2026, 0, 1) + index * 1000).toISOString();
    const user = `user-${index % 1000}`;
    const enc_partner_key = Buffer.alloc(256, `${index}`).toString('base64');
    const partner_sp = Buffer.alloc(32, `${index}`).toString('base64');
    const own = [
      `request ${callback('1', user, { public_key })}`,
      `response ${JSON.stringify({ ...success, result: { enc_partner_key } })}`,
      `request ${callback('2', user, { partner_sp })}`,
      `response ${JSON.stringify(success)}`,
    ].map((text) => `INFO  [worker-1] app.Callback : ${text}`);
    size += writeSync(log, [...own, ...others].map((line) => `${at} ${line}\n`).join(''));
  }
  closeSync(log);
  return file;
}

/** `analyze` of a large log. The four messages of a sign-up are a hundredth of its lines, or a tenth. */
function logReading(requests: number, goal: number): Benchmark {
  return {
    name: `analyze, a sign-up in ${requests} other requests`,
    against: `${goal} MB a second`,
    goal: { atLeast: 1 },
    run: async (installed, { logMegabytes, longRounds }) => {
      const costOf = (megabytes: number) => {
        const file = writeLog(installed, megabytes, requests);
        return cpuTimeOf(installed.authcli(['analyze', file, '--json']));
      };
      const own = () => costOfOne(logMegabytes, costOf);
      const compared = compareCosts(longRounds, own, () => 1000 / goal, speedRatio);
      return { ...compared, cost: `${Math.round(1000 / compared.ms)} MB a second` };
    },
  };
}

/** What authcli promises of its speed. */
export const benchmarks = (hasCache: boolean): readonly Benchmark[] => [
  ...startUps(hasCache),
  manyUsers,
  ...loads,
  relayLatency('a callback', 1, false),
  relayLatency('a key exchange with --decrypt', 2, true),
  hostileRequests,
  logReading(400, 50),
  logReading(36, 10),
];
