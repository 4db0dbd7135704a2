import type { SituationId } from './error-situations.ts';

/** The fields of the two callback requests (section 4.1). */
export const callbackFields = [
  'client_id',
  'used_type',
  'ptn_cd',
  'public_key',
  'partner_sp',
  'ubifill',
] as const;

/** What the values in an error text say about its cause, as a sentence; undefined where nothing. */
export function detailOf(situation: SituationId, quote: string): string | undefined {
  if (situation === 'key-bytes') return keyBytesDetail(quote);
  if (situation === 'not-base64-text') return base64Detail(quote);
  if (situation === 'not-text') return positionDetail(quote);
  if (situation === 'iv-bytes') return ivDetail(quote);
  return undefined;
}

/** How a key of 32 characters gets another length. */
const keyLengths: Readonly<Record<number, string>> = {
  0: 'the stored key is empty',
  16: '32 hexadecimal digits decode to 16 bytes',
  20: '20 bytes are the length of a SHA-1 digest',
  24: '32 characters of Base64 decode to 24 bytes',
  31: 'one character was cut off',
  33: 'there is one character too many, such as a line end',
  34: 'there are two characters too many: quotation marks, or CR and LF',
  44: '44 characters are 32 bytes in Base64',
  64: '64 bytes are 32 characters in UTF-16, or 32 bytes in hexadecimal',
  256: '256 bytes are the encrypted key, not the key',
  344: '344 characters are the encrypted key in Base64, not the key',
};

function keyBytesDetail(quote: string): string | undefined {
  // The first number of "Invalid key size (264) for AES" is in bits; others name the lengths allowed.
  const [, bits] = /Invalid key size \((\d+)\)/i.exec(quote) ?? [];
  const [, bytes] = /key (?:length: |length \(|size )(\d+)/i.exec(quote) ?? [];
  const length = bits === undefined ? Number(bytes) : Number(bits) / 8;
  const meaning = keyLengths[length];
  return meaning && `In this case: ${meaning}.`;
}

const base64Characters: Readonly<Record<string, string>> = {
  '2d': '"-" belongs to base64url',
  '5f': '"_" belongs to base64url',
  '20': 'form decoding turned "+" into a space',
  a: 'the text contains a line feed: use the MIME decoder, or send it on one line',
  d: 'the text contains a carriage return: it was broken into lines',
  '22': 'the text contains a quotation mark: it was serialised twice',
  '25': '"%" comes from URL encoding',
  '3a': '":" occurs in neither encoding: this is another value',
};

function base64Detail(quote: string): string | undefined {
  const [, character = ''] = /base64 character ([0-9a-f]+)/i.exec(quote) ?? [];
  const meaning = base64Characters[character.toLowerCase()];
  return meaning && `In this case: ${meaning}.`;
}

function positionDetail(quote: string): string | undefined {
  const [, position] = /in position (\d+)/.exec(quote) ?? [];
  if (position === undefined) return undefined;
  return Number(position) < 16
    ? `Position ${position} is in the first block: a wrong IV damages that block alone.`
    : undefined;
}

function ivDetail(quote: string): string | undefined {
  const [, length] = /IV (?:size \(|passed is (?:only )?)(\d+)/i.exec(quote) ?? [];
  const meanings: Readonly<Record<string, string>> = {
    0: 'no bytes were left for it',
    12: '12 bytes are the usual IV of GCM',
    24: '24 characters are an IV of 16 bytes in Base64: decode it',
    32: '32 bytes are the whole key, or an IV in hexadecimal',
    128: 'the length was given as 128 bits instead of 16 bytes',
  };
  const meaning = length === undefined ? undefined : meanings[length];
  return meaning && `In this case: ${meaning}.`;
}
