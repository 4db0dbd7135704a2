import { parseCipher } from '../../src/crypto/cipher-notation.ts';
import type { ExploreOptions } from '../../src/explore/explore.ts';
import { rightApplication, styles } from '../explore/right-applications.ts';
import { exploreService, simulatedEndpoint } from '../explore/service-support.ts';
import { SimulatedTime, sendOverConnections, simulatedApplication } from '../explore/simulated.ts';
import { brief, exploreHandler } from '../explore/support.ts';
import type { HardeningOptions, Row, SectionResult } from './section.ts';

/** Sequences per application: its state is in memory, and grows. */
const perApplication = 500;

/** Ciphers that show a wrong key in different ways, or not at all. */
const ciphers = [
  'aes-256-gcm?key=utf8&iv=prefix&tag=after-iv&ivlen=16',
  'aes-256-cbc?key=utf8&iv=key-head&padding=pkcs7&encoding=hex',
  'aes-256-cbc?key=evp-md5',
  'aes-256-ecb?key=sha256&padding=iso10126&encoding=base64url',
  'des-ede3-cbc?key=utf8&iv=prefix&padding=ansix923',
  'aes-256-ctr?key=utf8',
];

/** A right application, made anew. */
type Make = (seed: string) => Pick<ExploreOptions, 'send'> & Partial<ExploreOptions>;

const applications: Readonly<Record<string, Make>> = {
  'the reference application': () => reference(),
  ...Object.fromEntries(ciphers.map((cipher) => [cipher, () => reference(cipher)])),
  ...Object.fromEntries(
    Object.entries(styles).map(([name, style]): [string, Make] => [
      name,
      (seed) => ({ send: sendOverConnections(rightApplication(style, seed), new SimulatedTime()) }),
    ]),
  ),
};

function reference(notation?: string): ReturnType<Make> {
  const time = new SimulatedTime();
  const cipher = parseCipher(notation ?? 'default');
  return { send: sendOverConnections(simulatedApplication([], time, cipher), time), cipher };
}

/** `explore` finds nothing wrong with right applications, whatever is drawn: a false alarm misleads. */
export async function exploredSequences({
  quick,
  times = quick ? 6 : 10_000,
}: HardeningOptions): Promise<SectionResult> {
  const failures: string[] = [];
  const rows: Row[] = [];
  for (const [name, make] of Object.entries(applications)) {
    const found = await exploreAnew(name, make, times);
    rows.push(found.row);
    failures.push(...found.failures);
  }
  const service = await exploreService(simulatedEndpoint(), { seed: 'hardening', runs: times });
  if (service.failures.length > 0) failures.push(`service: ${brief(service)}`);
  rows.push({
    what: 'explored: the reference service',
    tried: service.sequences,
    outcome: 'not blamed',
    count: service.sequences - service.failures.length,
    atLeast: times,
  });
  return { rows, failures };
}

async function exploreAnew(name: string, make: Make, times: number) {
  const failures: string[] = [];
  let tried = 0;
  for (let part = 0; tried < times && failures.length === 0; part += 1) {
    const seed = `${name} ${part}`;
    const runs = Math.min(perApplication, times - tried);
    const found = await exploreHandler(undefined, { ...make(seed), seed, runs });
    tried += found.sequences;
    if (found.failures.length > 0) failures.push(`seed "${seed}": ${brief(found)}`);
    if (found.sequences === 0) failures.push(`seed "${seed}": no sequence was run`);
  }
  const row: Row = {
    what: `explored: ${name}`,
    tried,
    outcome: 'not blamed',
    count: tried - failures.length,
    atLeast: times,
  };
  return { row, failures };
}
