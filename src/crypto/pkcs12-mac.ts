import { createHmac } from 'node:crypto';
import { constantTimeEqual } from '../bytes.ts';
import type { DerElement } from './der.ts';
import { childrenOf, damaged, KeyFault, numberOf, octetsOf, oidOf } from './der-fields.ts';
import { digestName, digestOfHmac } from './password-ciphers.ts';
import { readPbkdf2 } from './password-encryption.ts';
import { bmpPassword, pkcs12Kdf } from './pkcs12-kdf.ts';

const pbmac1 = '1.2.840.113549.1.5.14';

/** The digests of a MAC (RFC 7292 4, with SHA-2). */
const digests: Readonly<Record<string, string>> = {
  '1.2.840.113549.2.5': 'md5',
  '1.3.14.3.2.26': 'sha1',
  '2.16.840.1.101.3.4.2.4': 'sha224',
  '2.16.840.1.101.3.4.2.1': 'sha256',
  '2.16.840.1.101.3.4.2.2': 'sha384',
  '2.16.840.1.101.3.4.2.3': 'sha512',
};

/** The MAC over a PKCS #12 file. */
export interface Mac {
  readonly name: string;
  readonly iterations: number;
  readonly verifies: (password: string | null, contents: Uint8Array) => boolean;
}

/** MacData (RFC 7292 4): with the key derivation of PKCS #12, or PBMAC1 (RFC 9579). */
export function readMac(macData: DerElement): Mac {
  const [info, saltElement, count] = childrenOf(macData);
  const [algorithm, value] = childrenOf(info);
  const [type, parameters] = childrenOf(algorithm);
  const expected = octetsOf(value);
  const oid = oidOf(type);
  if (oid === pbmac1) return readPbmac1(parameters, expected);
  const digest = digests[oid];
  if (digest === undefined) throw unsupportedMac(oid);
  const salt = octetsOf(saltElement);
  const iterations = count === undefined ? 1 : numberOf(count);
  return {
    name: `MAC with HMAC-${digestName(digest)}`,
    iterations,
    verifies: (password, contents) => {
      const input = { digest, password: bmpPassword(password), salt, iterations };
      const key = pkcs12Kdf({ ...input, purpose: 'mac', size: expected.length });
      return constantTimeEqual(createHmac(digest, key).update(contents).digest(), expected);
    },
  };
}

function readPbmac1(parameters: DerElement | undefined, expected: Uint8Array): Mac {
  const [kdf, scheme] = childrenOf(parameters);
  const [kdfType, kdfParameters] = childrenOf(kdf);
  const derivation = readPbkdf2(oidOf(kdfType), kdfParameters);
  const digest = digestOfHmac(scheme);
  const size = derivation.size ?? expected.length;
  if (size > 64) throw damaged('the key of its MAC has an impossible length');
  return {
    name: `PBMAC1 with ${derivation.name}`,
    iterations: derivation.iterations,
    verifies: (password, contents) => {
      const mac = createHmac(digest, derivation.key(password, size)).update(contents).digest();
      return constantTimeEqual(mac, expected);
    },
  };
}

function unsupportedMac(oid: string): KeyFault {
  return new KeyFault({
    code: 'unsupported-encryption',
    reason: `its MAC uses the algorithm ${oid}, which is not supported`,
    fix: (file) => `Convert it with \`openssl pkcs12 -in ${file} -nodes -out key.pem\`.`,
  });
}
