import { decodeUtf8 } from '../../bytes.ts';
import { algorithmOf, type Cipher, type IvRule, ivBytesOf } from '../../crypto/cipher.ts';
import { decodePayload, decryptBytes, peekPlaintext } from '../../crypto/payload-ciphers.ts';
import { parseCallbackRequest } from '../../protocol/operations.ts';
import type { Refusal } from '../handling.ts';
import { type ApplicationPoints, defineFaults, type Hooks, type Situation } from './points.ts';

/**
 * Payloads are read in another way than the cipher says, and what comes out is stored unseen. Each
 * fault acts only under the ciphers that have what it misreads.
 */
export const cipherFaults = defineFaults('cipher-mismatch', {
  'registration/uses-iv': {
    'ignores-iv': acceptsAlso(({ bytes, key, cipher }) => isReadable(bytes, key, cipher, 'zero')),
    'key-as-iv': acceptsAlso(({ bytes, key, cipher }) =>
      isReadable(bytes, key, cipher, 'key-head'),
    ),
    'keeps-iv': acceptsAlso(
      ({ bytes, key, cipher }) =>
        cipher.iv === 'prefix' &&
        decryptBytes(Buffer.concat([bytes.subarray(0, ivBytesOf(cipher)), bytes]), key, cipher).ok,
    ),
    'fixed-iv': refusesAlso(({ bytes, key, cipher }) => {
      const ciphertext = bytes.subarray(cipher.iv === 'prefix' ? ivBytesOf(cipher) : 0);
      return !isReadable(ciphertext, key, cipher, 'zero');
    }),
    'first-block-as-iv': acceptsAlso(
      ({ bytes, cipher }) => cipher.iv !== 'prefix' && bytes.length === ivBytesOf(cipher),
    ),
    'narrow-counter': refusesAlso(
      ({ bytes, cipher }) =>
        algorithmOf(cipher).mode === 'ctr' &&
        bytes.subarray(8, 16).every((octet) => octet === 0xff),
    ),
  },
  'registration/rejects-undecryptable': {
    'ignores-tag': {
      ...acceptsAlso(({ bytes, key, cipher }) => {
        if (algorithmOf(cipher).mode !== 'gcm') return false;
        const plaintext = peekPlaintext(bytes, key, cipher, bytes.length);
        return plaintext !== undefined && decodeUtf8(plaintext) !== undefined;
      }),
      diagnosis: 'never-decrypts',
    },
  },
});

interface Received {
  readonly bytes: Uint8Array;
  readonly key: string;
  readonly cipher: Cipher;
}

type Judge = (received: Received) => boolean;

function isReadable(bytes: Uint8Array, key: string, cipher: Cipher, iv: IvRule): boolean {
  if (cipher.iv === undefined) return false;
  return decryptBytes(bytes, key, { ...cipher, iv }).ok;
}

/** Accepts what can't be decrypted rightly where it can be in the wrong way. */
function acceptsAlso(judge: Judge): Hooks<ApplicationPoints> {
  const accepts = (right: Refusal | undefined, seen: Situation): boolean =>
    right?.name === 'undecryptable' && judgePasscode(seen, judge) === true;
  return { refusal: (right, seen) => (accepts(right, seen) ? undefined : right) };
}

/** Refuses what was decrypted rightly where it can't be in the wrong way. */
function refusesAlso(judge: Judge): Hooks<ApplicationPoints> {
  return {
    value: (right, seen) =>
      seen.refusal === undefined && judgePasscode(seen, judge) === true
        ? { code: 'A108', message: "partner_sp can't be decrypted." }
        : right,
  };
}

/** The verdict on `partner_sp`; undefined in a key exchange and for a text that is not a payload. */
function judgePasscode({ request, user, cipher }: Situation, judge: Judge): boolean | undefined {
  const reading = parseCallbackRequest(request.body);
  if (!reading.ok || reading.value.usedType !== '2' || user === undefined) return undefined;
  const decoded = decodePayload(reading.value.partnerSp, cipher.encoding);
  return decoded.ok ? judge({ bytes: decoded.bytes, key: user.key.reveal(), cipher }) : undefined;
}
