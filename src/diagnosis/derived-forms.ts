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

/** What applications make keys of, without the randomness that they need, from user code and client. */
export function* derivedForms(ptnCd = '', clientId = ''): Generator<NamedForm> {
  for (const source of sources(ptnCd, clientId)) {
    yield { text: source.value, name: source.name };
    yield { text: [...source.value].reverse().join(''), name: `${source.name} from back to front` };
    yield { text: source.value.replaceAll('-', ''), name: `${source.name} without dashes` };
    yield* encodings(Buffer.from(source.value), source.name);
    yield* digestForms(source);
  }
  if (ptnCd !== '' && clientId !== '') {
    yield* hmacForms(ptnCd, clientId, 'the HMAC of the user code under the client id');
    yield* hmacForms(clientId, ptnCd, 'the HMAC of the client id under the user code');
  }
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

function* digestForms({ value, name }: Source): Generator<NamedForm> {
  for (const algorithm of digests) {
    const digest = hash(algorithm, value, 'buffer'); // a third of the time that createHash takes
    yield* encodings(digest, `the ${algorithm.toUpperCase()} of ${name}`);
    const twice = hash(algorithm, digest.toString('hex'), 'buffer');
    yield* encodings(
      twice,
      `the ${algorithm.toUpperCase()} of the ${algorithm.toUpperCase()} of ${name}`,
    );
  }
  const named = Buffer.from(value);
  for (const space of nameSpaces) {
    const bytes = Buffer.from(space === '' ? '' : space + nameSpaceTail, 'hex');
    for (const [algorithm, version] of [
      ['md5', 0x30],
      ['sha1', 0x50],
    ] as const) {
      const uuid = hash(algorithm, Buffer.concat([bytes, named]), 'hex').slice(0, 32);
      yield { text: stamp(uuid, version), name: `a name-based UUID of ${name}` };
    }
  }
}

/** RFC 9562 4.1, 4.2: version and variant take the place of six bits. */
function stamp(digits: string, version: number): string {
  const bytes = Buffer.from(digits, 'hex');
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | version;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return bytes.toString('hex');
}

function* hmacForms(message: string, key: string, name: string): Generator<NamedForm> {
  for (const algorithm of digests) {
    const digest = createHmac(algorithm, key).update(message).digest();
    yield* encodings(digest, `${name} (${algorithm.toUpperCase()})`);
  }
}

function* encodings(bytes: Buffer, name: string): Generator<NamedForm> {
  const hex = bytes.toString('hex');
  yield { text: hex, name: `${name} in hexadecimal` };
  yield { text: [...hex].reverse().join(''), name: `${name} in hexadecimal, from back to front` };
  yield { text: bytes.toString('base64'), name: `${name} in Base64` };
  yield { text: bytes.toString('base64url'), name: `${name} in Base64url` };
  yield { text: Buffer.from(hex).toString('base64'), name: `${name} in hexadecimal and Base64` };
}
