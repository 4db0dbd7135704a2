import { createPrivateKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { generateKeyPair, type KeyBits } from '../../src/client/key-pair.ts';
import { type RsaPrivateKey, toRsaPrivateKey } from '../../src/crypto/rsa-key.ts';

/**
 * Key pairs made once for all the tests of a run by scripts/test.ts, which names their file: making
 * them was a third of the time of a run. A test that is run by itself makes its own.
 */
const file = process.env.AUTHCLI_TEST_KEY_PAIRS;
let pool: Readonly<Record<string, readonly string[]>> | undefined;
const opened = new Map<string, RsaPrivateKey>();

let sources = 0;

/** A source of key pairs that are all different; the next source begins with another one. */
export function keyPairSource(): typeof generateKeyPair {
  const taken = new Map<string, number>();
  const first = sources;
  sources += 1;
  return async (bits: KeyBits = 2048, primes = 2) => {
    const kind = `${bits} ${primes}`;
    const index = taken.get(kind) ?? 0;
    taken.set(kind, index + 1);
    return pooled(kind, index, first) ?? generateKeyPair(bits, primes);
  };
}

function pooled(kind: string, index: number, first: number): RsaPrivateKey | undefined {
  if (file === undefined) return undefined;
  pool ??= JSON.parse(readFileSync(file, 'utf8')) as typeof pool;
  const pairs = pool?.[kind] ?? [];
  const der = index < pairs.length ? pairs[(first + index) % pairs.length] : undefined;
  if (der === undefined) return undefined;
  const pair = opened.get(der) ?? openPair(der);
  opened.set(der, pair);
  return pair;
}

function openPair(der: string): RsaPrivateKey {
  const key = Buffer.from(der, 'base64');
  return toRsaPrivateKey(createPrivateKey({ key, format: 'der', type: 'pkcs1' }));
}
