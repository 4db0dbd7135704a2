import { encodeUtf8, type RandomBytes } from '../bytes.ts';
import { algorithmOf, type Cipher, isBlockMode } from '../crypto/cipher.ts';
import { encryptPayload, undecryptablePayload } from '../crypto/payload-ciphers.ts';
import { generatePerUserKey } from '../crypto/per-user-key.ts';
import type { SentPayload } from '../diagnosis/cipher-probe.ts';
import { hasCode } from '../errors.ts';

/** The payloads of a registration: `partner_sp`, and `ubifill` if there is one. */
export type ProbePayloads = readonly [SentPayload, ...SentPayload[]];

/** What the payloads contain. */
export interface ProbeContents {
  /** The user information; left out if undefined. */
  readonly userInfo?: string;
  /** A passcode of more than one block. */
  readonly isLong?: boolean;
}

/**
 * The payloads of a right registration under `cipher`; undefined where the key doesn't go with it.
 * They are chosen so that another cipher shows: see `passcodeLength`, and the text of Base64 contains a
 * character that its other alphabet lacks.
 */
export function rightPayloads(
  key: string,
  cipher: Cipher,
  { userInfo, isLong = false }: ProbeContents,
  randomBytes: RandomBytes,
): ProbePayloads | undefined {
  return orUndefined(() => {
    const passcode = drawPasscode(key, cipher, isLong, randomBytes);
    if (userInfo === undefined) return [passcode];
    const plaintext = encodeUtf8(wholeBlocks(userInfo, cipher));
    return [passcode, { payload: encryptPayload(plaintext, key, cipher, randomBytes), plaintext }];
  });
}

function drawPasscode(
  key: string,
  cipher: Cipher,
  isLong: boolean,
  randomBytes: RandomBytes,
): SentPayload {
  const length = passcodeLength(cipher, isLong);
  const distinguishing = { base64: /[+/]/, base64url: /[-_]/, hex: /^/ }[cipher.encoding];
  // until the text distinguishes the alphabets; half of the shortest ones do
  for (let left = 64; ; left -= 1) {
    const plaintext = encodeUtf8(generatePerUserKey(randomBytes, { length }));
    const payload = encryptPayload(plaintext, key, cipher, randomBytes);
    if (distinguishing.test(payload) || left <= 1) return { payload, plaintext };
  }
}

/**
 * In block modes a passcode fills one block with its padding: with a second one, an application that
 * takes the first for the IV would still find the padding right. A long one fills more: ECB and CBC
 * with a zero IV are the same within the first. So are CTR and CFB, hence stream modes have long ones.
 * Two blocks of 8 bytes would be as long as an IV of 16, with nothing behind it, so there it is three.
 */
function passcodeLength(cipher: Cipher, isLong: boolean): number {
  const { blockBytes, mode } = algorithmOf(cipher);
  if (!isBlockMode(mode)) return 28;
  const blocks = !isLong ? 1 : blockBytes === 16 ? 2 : 3;
  return blocks * blockBytes - (cipher.padding === 'none' ? 0 : blockBytes / 4);
}

/** JSON may end in spaces, so user information can fill its blocks where nothing else does. */
function wholeBlocks(text: string, cipher: Cipher): string {
  const { blockBytes, mode } = algorithmOf(cipher);
  if (!isBlockMode(mode) || cipher.padding !== 'none') return text;
  const rest = encodeUtf8(text).length % blockBytes;
  return rest === 0 ? text : text + ' '.repeat(blockBytes - rest);
}

/** A `partner_sp` that can't be decrypted, and what it is for people. */
export interface UndecryptablePasscode {
  readonly title: string;
  readonly payload: string;
}

/**
 * A `partner_sp` that no cipher of the notation can decrypt: a text without a character of Base64 or
 * hexadecimal, so that lenient decoders find nothing in it either.
 */
export const unreadablePasscode: UndecryptablePasscode = {
  title: 'a text in no encoding',
  payload: '!*.!*.!*.!*.!*.!*.!*.!*.',
};

/**
 * Seven bytes: no block of any block mode, too short for an IV in front, and for a tag. A stream mode
 * with a fixed IV alone can make something of them.
 */
export const tooShortPasscode: UndecryptablePasscode = {
  title: 'seven bytes, shorter than any block, IV or tag',
  payload: 'AAECAwQFBg==',
};

/** One that fails under `cipher` and `key` alone; undefined if nothing can fail. */
export function undecryptablePasscode(
  key: string,
  cipher: Cipher,
  randomBytes: RandomBytes,
): UndecryptablePasscode | undefined {
  const payload = orUndefined(() => undecryptablePayload(key, cipher, randomBytes));
  const title = cipher.tag === undefined ? 'an impossible padding' : 'a tag that does not fit';
  return payload === undefined ? undefined : { title, payload };
}

function orUndefined<T>(make: () => T | undefined): T | undefined {
  try {
    return make();
  } catch (error) {
    if (hasCode(error, 'usage')) return undefined;
    throw error;
  }
}
