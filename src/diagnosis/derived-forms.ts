import { createHmac, hash } from 'node:crypto';

/** A text that can be made of what others know, and what it is: "the MD5 of the user code in hexadecimal". */
export interface NamedForm {
  readonly text: string;
  readonly name: string;
}

interface Source {
  readonly value: string;
  readonly name: string;
}

const digests = ['md5', 'sha1', 'sha256', 'sha512', 'sha384'] as const;
const separators = ['', ':', '-', '_', '|', '.', '/'] as const;

/** RFC 9562 6.6: the name spaces of name-based UUIDs; none is what Java's nameUUIDFromBytes uses. */
const nameSpaces = ['', '6ba7b810', '6ba7b811', '6ba7b812', '6ba7b814'] as const;
const nameSpaceTail = '9dad11d180b400c04fd430c8';

/**
 * What applications make keys of, without the randomness that they need, from user code and client.
 * A list, since nested generators took three times as long in the one run that a process has.
 * @param withHex whether to give digests in hexadecimal too, 32 digits or more: half of the work
 */
export function derivedForms(ptnCd = '', clientId = '', withHex = true): readonly NamedForm[] {
  const plain = sources(ptnCd, clientId).flatMap((source) => [
    { text: source.value, name: source.name },
    { text: [...source.value].reverse().join(''), name: `${source.name} from back to front` },
    { text: source.value.replaceAll('-', ''), name: `${source.name} without dashes` },
    ...encodings(Buffer.from(source.value), source.name),
    ...digestForms(source, withHex),
  ]);
  if (ptnCd === '' || clientId === '') return plain;
  return [
    ...plain,
    ...hmacForms(ptnCd, clientId, 'the HMAC of the user code under the client id', withHex),
    ...hmacForms(clientId, ptnCd, 'the HMAC of the client id under the user code', withHex),
  ];
}

function sources(ptnCd: string, clientId: string): readonly Source[] {
  const user = { value: ptnCd, name: 'the user code' };
  const client = { value: clientId, name: 'the client id' };
  const folded = [ptnCd.toLowerCase(), ptnCd.toUpperCase()]
    .filter((value) => value !== ptnCd)
    .map((value) => ({ value, name: 'the user code in one case' }));
  const joined = separators.flatMap((separator) => [
    { value: ptnCd + separator + clientId, name: 'user code and client id' },
    { value: clientId + separator + ptnCd, name: 'client id and user code' },
  ]);
  const both = ptnCd !== '' && clientId !== '' ? joined : [];
  return [user, ...folded, client, ...both].filter(({ value }) => value !== '');
}

function digestForms({ value, name }: Source, withHex: boolean): readonly NamedForm[] {
  const digested = digests.flatMap((algorithm) => {
    const title = algorithm.toUpperCase();
    const digest = hash(algorithm, value, 'buffer');
    const twice = hash(algorithm, digest.toString('hex'), 'buffer');
    return [
      ...encodings(digest, `the ${title} of ${name}`, withHex),
      ...encodings(twice, `the ${title} of the ${title} of ${name}`, withHex),
    ];
  });
  return withHex ? [...digested, ...nameBasedUuids(Buffer.from(value), name)] : digested;
}

function nameBasedUuids(value: Buffer, name: string): readonly NamedForm[] {
  return nameSpaces.flatMap((space) => {
    const bytes = Buffer.from(space === '' ? '' : space + nameSpaceTail, 'hex');
    const named = Buffer.concat([bytes, value]);
    return [
      stamp(hash('md5', named, 'buffer'), 0x30),
      stamp(hash('sha1', named, 'buffer'), 0x50),
    ].map((text) => ({ text, name: `a name-based UUID of ${name}` }));
  });
}

/** RFC 9562 4.1, 4.2: version and variant take the place of six bits of the first sixteen bytes. */
function stamp(digest: Buffer, version: number): string {
  digest[6] = ((digest[6] ?? 0) & 0x0f) | version;
  digest[8] = ((digest[8] ?? 0) & 0x3f) | 0x80;
  return digest.toString('hex', 0, 16);
}

function hmacForms(
  message: string,
  key: string,
  name: string,
  withHex: boolean,
): readonly NamedForm[] {
  return digests.flatMap((algorithm) => {
    const digest = createHmac(algorithm, key).update(message).digest();
    return encodings(digest, `${name} (${algorithm.toUpperCase()})`, withHex);
  });
}

function encodings(bytes: Buffer, name: string, withHex = true): readonly NamedForm[] {
  const hex = bytes.toString('hex');
  const base64 = [
    { text: bytes.toString('base64'), name: `${name} in Base64` },
    { text: bytes.toString('base64url'), name: `${name} in Base64url` },
    {
      text: Buffer.from(hex, 'latin1').toString('base64'),
      name: `${name} in hexadecimal and Base64`,
    },
  ];
  if (!withHex) return base64;
  const backwards = Buffer.from(hex, 'latin1').reverse().toString('latin1');
  return [
    { text: hex, name: `${name} in hexadecimal` },
    { text: backwards, name: `${name} in hexadecimal, from back to front` },
    ...base64,
  ];
}
