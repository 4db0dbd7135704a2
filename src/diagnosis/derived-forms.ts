import { createHmac, hash } from 'node:crypto';

/** What is looked for among the forms. */
export interface DerivedFormSearch {
  /** How a text, folded to lower case, fills what is looked for; undefined where it doesn't. */
  readonly match: (text: string) => string | undefined;
  /** Whether to try digests in hexadecimal too, 32 digits or more: half of the work. */
  readonly withHex: boolean;
}

interface Source {
  readonly value: string;
  readonly name: string;
}

/** The words around the name of a source: "the MD5 of ", " in hexadecimal". */
type Fits = (text: string, before: string, after: string) => string | undefined;

const digests = ['md5', 'sha1', 'sha256', 'sha512', 'sha384'] as const;
const separators = ['', ':', '-', '_', '|', '.', '/'] as const;

/** RFC 9562 6.6: the name spaces of name-based UUIDs; none is what Java's nameUUIDFromBytes uses. */
const nameSpaces = ['', '6ba7b810', '6ba7b811', '6ba7b812', '6ba7b814'] as const;
const nameSpaceTail = '9dad11d180b400c04fd430c8';

/**
 * Goes through what applications make keys of, from user code and client without the randomness that
 * a key needs: hundreds of texts, each made and compared once. A name is put together for the one that
 * fits alone, and nothing is listed, which takes half the time in the one run that a process has.
 *
 * The first form that fits: what it is, such as "the MD5 of the user code in hexadecimal", and how
 * it fills what is looked for; undefined where none fits.
 */
export function findDerivedForm(
  { match, withHex }: DerivedFormSearch,
  ptnCd = '',
  clientId = '',
): string | undefined {
  const fitsAs =
    (name: string): Fits =>
    (text, before, after) => {
      const how = match(text.toLowerCase());
      return how === undefined ? undefined : `${before}${name}${after}${how}`;
    };
  for (const { value, name } of sources(ptnCd, clientId)) {
    const found = findOf(value, fitsAs(name), withHex);
    if (found !== undefined) return found;
  }
  if (ptnCd === '' || clientId === '') return undefined;
  return (
    findHmac(ptnCd, clientId, fitsAs('the HMAC of the user code under the client id'), withHex) ??
    findHmac(clientId, ptnCd, fitsAs('the HMAC of the client id under the user code'), withHex)
  );
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

function findOf(value: string, fits: Fits, withHex: boolean): string | undefined {
  return (
    fits(value, '', '') ??
    fits([...value].reverse().join(''), '', ' from back to front') ??
    fits(value.replaceAll('-', ''), '', ' without dashes') ??
    findEncoding(Buffer.from(value), fits, '', true) ??
    findDigest(value, fits, withHex) ??
    (withHex ? findNameBasedUuid(Buffer.from(value), fits) : undefined)
  );
}

function findDigest(value: string, fits: Fits, withHex: boolean): string | undefined {
  for (const algorithm of digests) {
    const title = algorithm.toUpperCase();
    const digest = hash(algorithm, value, 'buffer');
    const twice = hash(algorithm, digest.toString('hex'), 'buffer');
    const found =
      findEncoding(digest, fits, `the ${title} of `, withHex) ??
      findEncoding(twice, fits, `the ${title} of the ${title} of `, withHex);
    if (found !== undefined) return found;
  }
  return undefined;
}

function findNameBasedUuid(value: Buffer, fits: Fits): string | undefined {
  for (const space of nameSpaces) {
    const bytes = Buffer.from(space === '' ? '' : space + nameSpaceTail, 'hex');
    const named = Buffer.concat([bytes, value]);
    const found =
      fits(stamp(hash('md5', named, 'buffer'), 0x30), 'a name-based UUID of ', '') ??
      fits(stamp(hash('sha1', named, 'buffer'), 0x50), 'a name-based UUID of ', '');
    if (found !== undefined) return found;
  }
  return undefined;
}

/** RFC 9562 4.1, 4.2: version and variant take the place of six bits of the first sixteen bytes. */
function stamp(digest: Buffer, version: number): string {
  digest[6] = ((digest[6] ?? 0) & 0x0f) | version;
  digest[8] = ((digest[8] ?? 0) & 0x3f) | 0x80;
  return digest.toString('hex', 0, 16);
}

function findHmac(message: string, key: string, fits: Fits, withHex: boolean): string | undefined {
  for (const algorithm of digests) {
    const digest = createHmac(algorithm, key).update(message).digest();
    const named: Fits = (text, _, after) => fits(text, '', ` (${algorithm.toUpperCase()})${after}`);
    const found = findEncoding(digest, named, '', withHex);
    if (found !== undefined) return found;
  }
  return undefined;
}

function findEncoding(
  bytes: Buffer,
  fits: Fits,
  before: string,
  withHex: boolean,
): string | undefined {
  const hex = bytes.toString('hex');
  return (
    (withHex ? findHex(hex, fits, before) : undefined) ??
    fits(bytes.toString('base64'), before, ' in Base64') ??
    fits(bytes.toString('base64url'), before, ' in Base64url') ??
    fits(Buffer.from(hex, 'latin1').toString('base64'), before, ' in hexadecimal and Base64')
  );
}

function findHex(hex: string, fits: Fits, before: string): string | undefined {
  return (
    fits(hex, before, ' in hexadecimal') ??
    fits(
      Buffer.from(hex, 'latin1').reverse().toString('latin1'),
      before,
      ' in hexadecimal, from back to front',
    )
  );
}
