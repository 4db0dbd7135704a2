import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Installation } from './installation.ts';
import {
  type Benchmark,
  callback,
  compareCosts,
  costOfOne,
  cpuTimeOf,
  speedRatio,
} from './measure.ts';

/** Of other requests, for each sign-up in the log. */
const otherLines = 400;
const wantedMegabytesPerSecond = 50;

/** A log of that many megabytes, as an application writes it: sign-ups among other requests. */
function writeLog(installed: Installation, megabytes: number): string {
  const public_key = installed.keyPair().text;
  const file = join(installed.folder, `${megabytes}.log`);
  const log = openSync(file, 'w');
  let size = 0;
  for (let index = 0; size < megabytes * 1e6; index += 1) {
    size += writeSync(log, signUpLines(index, public_key).join(''));
  }
  closeSync(log);
  return file;
}

function signUpLines(index: number, public_key: string): readonly string[] {
  const at = new Date(Date.UTC(2026, 0, 1) + index * 1000).toISOString();
  const user = `user-${index % 1000}`;
  const enc_partner_key = Buffer.alloc(256, `${index}`).toString('base64');
  const partner_sp = Buffer.alloc(32, `${index}`).toString('base64');
  const success = { code: '0000', message: '' };
  const own = [
    `request ${callback('1', user, { public_key })}`,
    `response ${JSON.stringify({ ...success, result: { enc_partner_key } })}`,
    `request ${callback('2', user, { partner_sp })}`,
    `response ${JSON.stringify(success)}`,
  ].map((text) => `${at} INFO  [worker-1] app.Callback : ${text}\n`);
  const others = Array.from({ length: otherLines }, (_, other) => {
    const path = `/orders/${index + other}?page=2`;
    return `${at} DEBUG [worker-${other % 10}] http.Server : 200 GET "${path}" {"took_ms":${other}}\n`;
  });
  return [...own, ...others];
}

/** What `analyze` promises of large files, by the CPU time of a megabyte. */
export const analyses: readonly Benchmark[] = [
  {
    name: 'analyze, a large log',
    against: `${wantedMegabytesPerSecond} MB a second`,
    goal: { atLeast: 1 },
    run: async (installed, { logMegabytes, longRounds }) => {
      const costOf = (megabytes: number) =>
        cpuTimeOf(installed.authcli(['analyze', writeLog(installed, megabytes), '--json']));
      const wanted = 1000 / wantedMegabytesPerSecond;
      const own = () => costOfOne(logMegabytes, costOf);
      const compared = compareCosts(longRounds, own, () => wanted, speedRatio);
      return { ...compared, cost: `${Math.round(1000 / compared.ms)} MB a second` };
    },
  },
];
