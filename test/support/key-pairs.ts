import { readdirSync, readFileSync } from 'node:fs';
import { generateKeyPair, type KeyBits } from '../../src/client/key-pair.ts';
import { readPrivateKey } from '../../src/crypto/key-reading.ts';
import type { RsaPrivateKey } from '../../src/crypto/rsa-key.ts';

/** Making RSA key pairs was a third of the time of a run. These are the same in every run. */
const folder = 'fixtures/keys/pool';
const files = readdirSync(folder).sort();
const opened = new Map<string, RsaPrivateKey>();

let sources = 0;

/** A source of key pairs that are all different; the next source begins with another one. */
export function keyPairSource(): typeof generateKeyPair {
  const taken = new Map<KeyBits, number>();
  const first = sources;
  sources += 1;
  return async (bits: KeyBits = 2048) => {
    const index = taken.get(bits) ?? 0;
    taken.set(bits, index + 1);
    const pool = files.filter((file) => file.startsWith(`${bits}-`));
    const file = index < pool.length ? pool[(first + index) % pool.length] : undefined;
    return file === undefined ? generateKeyPair(bits) : pooled(file);
  };
}

function pooled(file: string): RsaPrivateKey {
  const pair = opened.get(file) ?? readPrivateKey(readFileSync(`${folder}/${file}`, 'utf8')).key;
  opened.set(file, pair);
  return pair;
}
