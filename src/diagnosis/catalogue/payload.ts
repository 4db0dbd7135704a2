import { defaultCipher } from '../../crypto/cipher.ts';
import { parseCipher } from '../../crypto/cipher-notation.ts';
import type { payloadCodes } from '../../errors.ts';
import { decryptionCalls } from '../decryption-calls.ts';
import type { CataloguePart } from '../diagnosis.ts';
import { base64CallsOf } from './calls.ts';

/** The codes of an encrypted payload; calls that depend on a cipher are made when they are read. */
export const payloadCatalogue: CataloguePart<(typeof payloadCodes)[number]> = {
  'cipher-mismatch': {
    title: 'The payload was encrypted with a different cipher than expected',
    meaning:
      'The interface leaves the cipher of partner_sp, ubifill and ptn_sp open, so both sides have to agree on the algorithm, how the key is read, IV, padding, encoding and tag. At least one of these differs.',
    recognised:
      "The payload doesn't decrypt with the expected cipher, but does with another one: its padding, tag or text can't be a coincidence.",
    fix: 'Set the cipher that was found, or change the other side to use the expected one. The message names the parts that differ.',
    get calls() {
      return decryptionCalls(defaultCipher);
    },
    example:
      'Expected: a random IV in front of the ciphertext. The application uses the first 16 characters of the key as IV: aes-256-cbc with iv=key-head.',
    section: '2.3',
  },
  'bad-padding': {
    title: "The decrypted text doesn't end in the cipher's padding",
    meaning:
      "Decryption ran, but the last block doesn't have valid padding. With the right key and cipher that can't happen, so one of them is wrong, or the ciphertext was changed.",
    recognised:
      "The last block is decrypted without removing the padding: the count in its last byte is out of range, or the bytes before it don't match. No other cipher gives readable text either.",
    fix: 'Check that the key belongs to this user and the latest key exchange, and that the ciphertext is complete. Garbage passes as valid padding about once in 256 times, so a single success proves nothing.',
    get calls() {
      return decryptionCalls(defaultCipher);
    },
    example:
      'The last byte is 0x3f, not a count from 1 to 16: the key of another user. "ends in 5 NUL bytes": mcrypt or AES/CBC/NoPadding filled the block with zeros, padding=zero.',
    section: '2.3',
  },
  'bad-tag': {
    title: "The GCM authentication tag doesn't match",
    meaning:
      'GCM proves that nothing was changed. It fails if the key, the IV, the position of the tag or the additional data differ, or if a single bit of the ciphertext changed.',
    recognised:
      "The 16-byte tag doesn't match in either of its usual positions, with IVs of 12 or 16 bytes, however the key is read.",
    fix: 'Check the key first. Then check where your stack puts the tag (Java, Go and Python append it, Node and PHP return it separately), how long the IV is, and that no additional data is passed.',
    get calls() {
      return decryptionCalls(parseCipher('aes-256-gcm'));
    },
    example:
      'Node: Buffer.concat([iv, encrypted]) without getAuthTag(): the last 16 bytes of the ciphertext are taken for the tag.',
    section: '2.3',
  },
  'wrong-key': {
    title: 'The payload was encrypted with another key',
    meaning:
      "The payload wasn't encrypted with the per-user key that is known here. Every user has their own key, and every key exchange replaces it.",
    recognised:
      "No cipher gives text with this key. The expected cipher does with another known key (from an earlier exchange, or another user's) or another form of this one (with a line break, in quotation marks, in a different case).",
    fix: 'Store one key per ptn_cd, overwrite it on each key exchange, and store exactly the 32 characters: no line break, no quotation marks, no change of case.',
    example:
      "Two concurrent sign-ups share one variable for the key: the first user's passcode is encrypted with the second user's key.",
    section: '4.1.1',
  },
  'payload-encoding': {
    title: 'The text of the payload is not in the expected encoding',
    meaning:
      'The text has to be decoded to bytes before it can be decrypted. It is in another encoding, was changed on the way, was truncated, or was never encrypted.',
    recognised:
      'A character outside the encoding\'s alphabet, a length that no ciphertext has, or a text that decodes once quotation marks, URL encoding, spaces in place of "+" or a second layer of Base64 are removed.',
    fix: 'Concatenate the bytes of IV, ciphertext and tag, encode them once in the agreed encoding, and put the result into the JSON unchanged.',
    calls: base64CallsOf('raw'),
    example:
      'CryptoJS: toString() of a CipherParams returns Base64, but toString() of its ciphertext returns hexadecimal.',
    section: '2.3',
  },
};
