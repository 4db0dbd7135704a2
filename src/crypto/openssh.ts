import { decodeBase64Lenient, decodeUtf8 } from '../bytes.ts';
import { type KeyStructure, keyStructure, type NamedAlgorithm, rsa } from './key-structure.ts';
import { toBigInt } from './rsa-key.ts';
import { judgeNumbers } from './rsa-structures.ts';

/** Key types of RFC 4253 6.6, RFC 5656 6.2 and RFC 8709. */
const keyTypes: readonly (readonly [prefix: string, NamedAlgorithm])[] = [
  ['ssh-rsa', rsa],
  ['ssh-dss', { algorithm: 'dsa', algorithmName: 'DSA' }],
  ['ssh-ed25519', { algorithm: 'ed25519', algorithmName: 'Ed25519' }],
  ['sk-ssh-ed25519', { algorithm: 'ed25519', algorithmName: 'Ed25519' }],
  ['ssh-ed448', { algorithm: 'ed448', algorithmName: 'Ed448' }],
  ['ecdsa-sha2-nistp256', { algorithm: 'ec', algorithmName: 'EC (P-256)' }],
  ['ecdsa-sha2-nistp384', { algorithm: 'ec', algorithmName: 'EC (P-384)' }],
  ['ecdsa-sha2-nistp521', { algorithm: 'ec', algorithmName: 'EC (P-521)' }],
  ['sk-ecdsa-sha2-nistp256', { algorithm: 'ec', algorithmName: 'EC (P-256)' }],
];

const publicKeyLine =
  /(?:^|\s)(?:ssh-(?:rsa|dss|ed25519|ed448)|ecdsa-sha2-\w{1,20}|sk-[\w@.-]{1,50})\s+([A-Za-z0-9+/]{16,}={0,2})(?=\s|$)/;

/** RFC 4716: four dashes and a space, headers that may continue on the next line. */
const ssh2Block = /---- BEGIN SSH2 PUBLIC KEY ----([\s\S]*?)---- END SSH2 PUBLIC KEY ----/;

/** The key of an OpenSSH line (`ssh-rsa AAAA… comment`, options before it too) or of an RFC 4716 block. */
export function readOpenSshText(text: string): KeyStructure | undefined {
  const base64 = publicKeyLine.exec(text)?.[1] ?? ssh2Body(text);
  const blob = base64 === undefined ? undefined : decodeBase64Lenient(base64);
  return blob && readOpenSshBlob(blob);
}

/** The key of a blob (RFC 4253 6.6), or of the container of an OpenSSH private key. */
export function readOpenSshBlob(blob: Uint8Array): KeyStructure | undefined {
  if (decodeUtf8(blob.subarray(0, 15)) === 'openssh-key-v1\0') {
    return keyStructure('private-key', 'OpenSSH', readPrivateContainer(blob.subarray(15)));
  }
  const strings = readStrings(blob);
  const named = strings && findKeyType(strings[0]);
  if (strings === undefined || named === undefined) return undefined;
  const [, exponent, modulus] = strings;
  if (named.algorithm !== 'rsa' || exponent === undefined || modulus === undefined) {
    return keyStructure('public-key', 'OpenSSH', named);
  }
  const judged = judgeNumbers(modulus, toBigInt(exponent));
  return keyStructure('public-key', 'OpenSSH', { ...named, ...judged });
}

/** PROTOCOL.key of OpenSSH: cipher, kdf, its options, the number of keys, then the public key in the clear. */
function readPrivateContainer(bytes: Uint8Array): Partial<KeyStructure> {
  const header = takeStrings(bytes, 3);
  const [cipher] = header;
  const [publicBlob] = takeStrings(bytes.subarray(encodedLength(header) + 4), 1);
  const inner = publicBlob && readOpenSshBlob(publicBlob);
  const isEncrypted = cipher !== undefined && decodeUtf8(cipher) !== 'none';
  return {
    algorithm: inner?.algorithm,
    algorithmName: inner?.algorithmName,
    rsa: inner?.rsa,
    refusal: {
      code: isEncrypted ? 'encrypted' : 'malformed',
      reason: `it is ${isEncrypted ? 'an encrypted' : 'a'} private key in OpenSSH's own format; ssh-keygen -p -m PEM turns the file into PKCS #1`,
    },
  };
}

function ssh2Body(text: string): string | undefined {
  const inside = ssh2Block.exec(text)?.[1];
  return inside?.replace(/\\\r?\n/g, '').replace(/^[\w-]{1,64}:.*$/gm, '');
}

function findKeyType(bytes: Uint8Array | undefined): NamedAlgorithm | undefined {
  const name = bytes && decodeUtf8(bytes);
  return keyTypes.find(([prefix]) => name === prefix || name === `${prefix}@openssh.com`)?.[1];
}

/** All strings of a blob (RFC 4251 5), which must fill it. */
function readStrings(blob: Uint8Array): readonly Uint8Array[] | undefined {
  const strings = takeStrings(blob, 16);
  return strings.length > 0 && encodedLength(strings) === blob.length ? strings : undefined;
}

function encodedLength(strings: readonly Uint8Array[]): number {
  return strings.reduce((sum, { length }) => sum + 4 + length, 0);
}

function takeStrings(bytes: Uint8Array, most: number): readonly Uint8Array[] {
  const strings: Uint8Array[] = [];
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; strings.length < most && at + 4 <= view.length; ) {
    const end = at + 4 + view.readUInt32BE(at);
    if (end > view.length) break;
    strings.push(view.subarray(at + 4, end));
    at = end;
  }
  return strings;
}
