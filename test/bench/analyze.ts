import { generateKeyPairSync } from 'node:crypto';
import { closeSync, openSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Installation } from './installation.ts';
import type { Benchmark } from './measure.ts';
import { compareValues, cpuTimeOf } from './measure.ts';

/** Of other requests, for each sign-up in the log. */
const otherLines = 400;
const wantedMegabytesPerSecond = 50;
const sizes = {
  once: { megabytes: 1, rounds: 1 },
  quick: { megabytes: 200, rounds: 1 },
  whole: { megabytes: 200, rounds: 5 },
};

const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const publicKeyText = publicKey.export({ type: 'spki', format: 'der' }).toString('base64');

/** A log of that many megabytes, as an application writes it: sign-ups among other requests. */
function writeLog(file: string, megabytes: number): void {
  const log = openSync(file, 'w');
  let size = 0;
  for (let index = 0; size < megabytes * 1e6; index += 1) {
    size += writeSync(log, signUpLines(index).join(''));
  }
  closeSync(log);
}

function signUpLines(index: number): readonly string[] {
  const at = new Date(Date.UTC(2026, 0, 1) + index * 1000).toISOString();
  const user = { client_id: 'bench', ptn_cd: `user-${index % 1000}` };
  const wrapped = Buffer.alloc(256, `${index}`).toString('base64');
  const passcode = Buffer.alloc(32, `${index}`).toString('base64');
  const bodies = [
    ['request', { ...user, used_type: '1', public_key: publicKeyText }],
    ['response', { code: '0000', message: '', result: { enc_partner_key: wrapped } }],
    ['request', { ...user, used_type: '2', partner_sp: passcode }],
    ['response', { code: '0000', message: '' }],
  ] as const;
  const others = Array.from(
    { length: otherLines },
    (_, other) =>
      `${at} DEBUG [worker-${other % 10}] http.Server : 200 GET "/orders/${index + other}?page=2" {"took_ms":${other}}\n`,
  );
  const own = bodies.map(
    ([what, body]) => `${at} INFO  [worker-1] app.Callback : ${what} ${JSON.stringify(body)}\n`,
  );
  return [...own, ...others];
}

/** CPU time of a megabyte in milliseconds: of a log less that of a quarter of it, which has the same start. */
function costOf(installed: Installation, megabytes: number): number {
  const [few, whole] = [megabytes / 4, megabytes].map((size) => {
    const file = join(installed.folder, `${size}.log`);
    writeLog(file, size);
    return cpuTimeOf(installed.authcli(['analyze', file, '--json']), 1);
  });
  return ((whole ?? 0) - (few ?? 0)) / (megabytes * 0.75);
}

/** What `analyze` promises of large files. */
export const analyses: readonly Benchmark[] = [
  {
    name: 'analyze, a large log',
    against: `${wantedMegabytesPerSecond} MB a second`,
    goal: { atLeast: 1 },
    run: async (installed, { extent }) => {
      const { megabytes, rounds } = sizes[extent];
      const compared = compareValues(rounds, {
        own: () => costOf(installed, megabytes),
        against: () => 1000 / wantedMegabytesPerSecond,
        ratio: (own, against) => against / own,
      });
      return { ...compared, cost: `${Math.round(1000 / compared.ms)} MB a second` };
    },
  },
];
