import type { RandomBytes } from '../bytes.ts';
import { AuthcliError } from '../errors.ts';

/**
 * EME-PKCS1-v1_5, the encoding method for encryption of RFC 8017 7.2:
 *
 *     EM = 0x00 || 0x02 || PS || 0x00 || M        PS: at least eight octets, none of them zero
 */

/** Octets of an encoded message that are not message: 0x00, 0x02, eight of PS, 0x00. */
export const emeOverheadBytes = 11;

const shortestPaddingString = 8;

/** The first step of RFC 8017 7.2.2 step 3 that the encoded message fails. */
export type EmeFailure =
  /** The first octet isn't 0x00. */
  | 'first-octet'
  /** The second octet isn't 0x02. */
  | 'block-type'
  /** No 0x00 octet ends PS. */
  | 'separator'
  /** PS has fewer than eight octets. */
  | 'padding-string';

export type EmeResult =
  | { readonly ok: true; readonly message: Uint8Array }
  | { readonly ok: false; readonly failure: EmeFailure };

/**
 * The encoded message of `modulusBytes` octets (RFC 8017 7.2.1 steps 1 and 2).
 * Throws `usage` where the message is longer than `modulusBytes - 11`.
 */
export function encodeEmePkcs1V15(
  message: Uint8Array,
  modulusBytes: number,
  randomBytes: RandomBytes,
): Uint8Array {
  const room = modulusBytes - emeOverheadBytes;
  if (message.length > room) {
    throw new AuthcliError(
      'usage',
      `${message.length} bytes are too long for an RSA key of ${modulusBytes} bytes: with PKCS #1 v1.5 padding it takes ${Math.max(room, 0)} at most`,
    );
  }
  const paddingString = drawNonZero(modulusBytes - message.length - 3, randomBytes);
  return Buffer.concat([Uint8Array.of(0, 2), paddingString, Uint8Array.of(0), message]);
}

/**
 * Takes an encoded message apart (RFC 8017 7.2.2 step 3) and says which step failed.
 *
 * DANGER: whoever tells a stranger which step failed, in words or in time, hands out the oracle of
 * Bleichenbacher's attack. This is for the tester's own keys; what listens on a network must
 * answer every failure alike (the note of 7.2.2).
 */
export function decodeEmePkcs1V15(encodedMessage: Uint8Array): EmeResult {
  if (encodedMessage[0] !== 0) return failed('first-octet');
  if (encodedMessage[1] !== 2) return failed('block-type');
  const separator = encodedMessage.indexOf(0, 2);
  if (separator < 0) return failed('separator');
  // step 3: PS has at least eight octets, so the separator is the eleventh octet or a later one
  if (separator - 2 < shortestPaddingString) return failed('padding-string');
  return { ok: true, message: encodedMessage.subarray(separator + 1) };
}

function drawNonZero(size: number, randomBytes: RandomBytes): Uint8Array {
  const drawn = new Uint8Array(size);
  let filled = 0;
  while (filled < size) {
    const octets = randomBytes(size - filled).filter((octet) => octet !== 0);
    drawn.set(octets.subarray(0, size - filled), filled);
    filled += octets.length;
  }
  return drawn;
}

function failed(failure: EmeFailure): EmeResult {
  return { ok: false, failure };
}
