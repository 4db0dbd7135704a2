import { parseCipher } from '../../src/crypto/cipher-notation.ts';
import type { ExploreOptions } from '../../src/explore/explore.ts';
import { rightApplication, styles } from '../explore/right-applications.ts';
import { SimulatedTime, sendOverConnections, simulatedApplication } from '../explore/simulated.ts';
import { brief, exploreHandler } from '../explore/support.ts';

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

/** Every right application that is explored. */
export const rightSides: readonly string[] = Object.keys(applications);

/** Explores one of them, made anew, by `runs` sequences; gives how many were run, and each failure with its seed. */
export async function exploreAnew(
  name: string,
  seed: string,
  runs: number,
): Promise<{ readonly tried: number; readonly failures: readonly string[] }> {
  const found = await exploreHandler(undefined, { ...applications[name]?.(seed), seed, runs });
  return {
    tried: found.sequences,
    failures: [
      ...(found.failures.length > 0 ? [`seed "${seed}": ${brief(found)}`] : []),
      ...(found.sequences === 0 ? [`seed "${seed}": no sequence was run`] : []),
    ],
  };
}
