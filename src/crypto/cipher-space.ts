import type { Cipher, IvLength, KeyReading } from './cipher.ts';
import {
  isSalted,
  ivLengths,
  ivRules,
  keyReadings,
  payloadEncodings,
  tagPlaces,
} from './cipher.ts';
import { type Algorithm, algorithms } from './cipher-algorithms.ts';
import { fixedKeyBytes } from './key-derivation.ts';

/**
 * Every cipher that the notation describes, fixed IVs (`hex:…`) aside: what a search has to cover
 * and a test has to prove.
 */
export function listCiphers(): Cipher[] {
  return algorithms.flatMap((algorithm) =>
    keyReadings
      .filter((key) => (fixedKeyBytes[key] ?? 32) >= algorithm.keyBytes)
      .flatMap((key) => ivPartsOf(algorithm, key).map((iv) => ({ key, ...iv })))
      .flatMap((parts) => endings(algorithm).map((ending) => ({ ...parts, ...ending })))
      .map((parts) => ({ algorithm: algorithm.name, ...parts })),
  );
}

function ivPartsOf(algorithm: Algorithm, key: KeyReading): Pick<Cipher, 'iv'>[] {
  if (algorithm.mode === 'ecb' || isSalted(key)) return [{}];
  return ivRules.map((iv) => ({ iv }));
}

function endings(algorithm: Algorithm): Omit<Cipher, 'algorithm' | 'key' | 'iv'>[] {
  return payloadEncodings.flatMap((encoding) => [
    ...algorithm.paddings.map((padding) => ({ padding, encoding })),
    ...(algorithm.mode === 'gcm' ? gcmParts() : []).map((parts) => ({ encoding, ...parts })),
  ]);
}

function gcmParts(): { tag: (typeof tagPlaces)[number]; ivlen: IvLength }[] {
  return tagPlaces.flatMap((tag) => ivLengths.map((ivlen) => ({ tag, ivlen })));
}
