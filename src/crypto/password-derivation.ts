import { type DerElement, derTags, formatObjectIdentifier, readDerChildren } from './der.ts';
import type { KeyRefusal } from './key-structure.ts';
import { toBigInt } from './rsa-key.ts';

const pbes2 = '1.2.840.113549.1.5.13';
const scrypt = '1.3.6.1.4.1.11591.4.11';

/** Several times what anybody recommends; a few seconds at most. */
const mostIterations = 5_000_000n;
/** N * r * p (RFC 7914 2); OpenSSL limits the memory for them. */
const mostScryptWork = 1n << 22n;

/**
 * Why no key is derived from a password for an encrypted PKCS #8, which chooses how long that takes; undefined where
 * one can be.
 * @param identifier its AlgorithmIdentifier (RFC 5958 3)
 */
export function refuseDerivation(identifier: DerElement | undefined): KeyRefusal | undefined {
  const [scheme, parameters] = childrenOf(identifier);
  // PBES2 (RFC 8018 A.4) contains its derivation; PBES1 and PKCS #12's schemes (A.3) are one
  const isInside = nameOf(scheme) === pbes2;
  const [name, own] = isInside ? childrenOf(childrenOf(parameters)[0]) : [scheme, parameters];
  const integers = childrenOf(own).filter(({ tag }) => tag === derTags.integer);
  const [first = 0n, r = 0n, p = 0n] = integers.map(({ contents }) => toBigInt(contents));
  if (nameOf(name) !== scrypt) {
    if (first > mostIterations) return tooMuch(`more than ${mostIterations} iterations`);
    return first === 0n ? impossible : undefined;
  }
  if (first * r * p > mostScryptWork)
    return tooMuch(`scrypt whose N * r * p is over ${mostScryptWork}`);
  const isPower = first > 1n && (first & (first - 1n)) === 0n;
  return isPower && r > 0n && p > 0n ? undefined : impossible;
}

/** None for what can't be read, so that OpenSSL, which reads BER too, never derives with numbers not seen here. */
function childrenOf(element: DerElement | undefined): readonly DerElement[] {
  return (element && readDerChildren(element)) ?? [];
}

function nameOf(element: DerElement | undefined): string {
  return element?.tag === derTags.objectIdentifier ? formatObjectIdentifier(element.contents) : '';
}

const impossible: KeyRefusal = {
  code: 'malformed',
  reason: 'it is damaged: no key can be derived from a password with the parameters in it',
};

function tooMuch(what: string): KeyRefusal {
  return {
    code: 'unsupported-encryption',
    reason: `its password is hashed with ${what}, which takes too long here`,
    fix: (file) =>
      `If you trust the file, encrypt it again: \`openssl pkcs8 -topk8 -iter 600000 -in ${file} -out key.pem\`.`,
  };
}
