import { createPublicKey } from 'node:crypto';
import { decodeUtf8 } from '../bytes.ts';
import { noteConversion, refusePublicKey, unlock } from '../crypto/key-reading.ts';
import type { KeyKind, KeyRefusal, KeyStructure } from '../crypto/key-structure.ts';
import { type KeyEncoding, type KeyRecognition, recogniseKey } from '../crypto/key-text.ts';
import { fingerprintOfBytes, fingerprintOfKey } from '../crypto/secret.ts';
import { looksLikePerUserKey, notesOnOtherLength, notesOnPerUserKey } from './per-user-key.ts';
import { usualModulusBytes } from './wrapped-key.ts';

export interface KeyInspection {
  readonly kind: KeyKind | 'per-user-key' | 'wrapped-key' | 'unknown';
  readonly algorithm?: string | undefined;
  readonly bits?: number | undefined;
  /** Of the SubjectPublicKeyInfo in DER, of a private key's public half too, or of a per-user key. */
  readonly fingerprint?: string | undefined;
  readonly encoding?: KeyEncoding | undefined;
  /** Sentences without a full stop, the outermost oddity first; never any of a secret. */
  readonly notes: readonly string[];
  readonly usable: boolean;
  /** Why it could not be opened; `encrypted` where no password was given. */
  readonly closed?: KeyRefusal | undefined;
}

const wrappedKeyBytes: readonly number[] = [...usualModulusBytes, 1024];
const usualBits = 2048;

/**
 * What a text or file is: a public or private key, certificate or request in whatever encoding, a
 * per-user key (2.2), a wrapped key (4.1.1) or unknown. Nothing of a private key is returned.
 */
export function inspectKeyText(input: string | Uint8Array, password?: string): KeyInspection {
  const recognition = recogniseKey(input);
  const { key } = recognition;
  if (key !== undefined) return inspectKey(recognition, key, password);
  const text = typeof input === 'string' ? input : decodeUtf8(input);
  const line = text?.replace(/\r?\n$/, '') ?? '';
  if (looksLikePerUserKey(line)) {
    const notes = notesOnPerUserKey(line);
    return { kind: 'per-user-key', fingerprint: fingerprintOfKey(line), notes, usable: false };
  }
  const { encoding, notes, bytes, refusal } = recognition;
  const length = bytes?.length ?? 0;
  if (refusal?.code !== 'not-a-key' || !wrappedKeyBytes.includes(length)) {
    return inspectUnknown(recognition, line);
  }
  const size = `it is ${length} bytes, the size of a ciphertext under RSA with ${length * 8} bits; only the private key can confirm it`;
  return { kind: 'wrapped-key', encoding, notes: [size, ...notes], usable: false };
}

function inspectKey(
  recognition: KeyRecognition,
  key: KeyStructure,
  password: string | undefined,
): KeyInspection {
  const { encoding, notes } = recognition;
  const opened = key.locked === undefined ? key : unlock(key.locked, password);
  if (!('format' in opened)) {
    const closed = { notes: [...notes, privateNote], closed: opened.refusal };
    return { kind: 'private-key', encoding, ...closed, usable: false };
  }
  const { kind, algorithm, keyObject } = opened;
  const publicKey = keyObject?.type === 'private' ? createPublicKey(keyObject) : keyObject;
  const spki = publicKey?.export({ type: 'spki', format: 'der' });
  const bits = keyObject?.asymmetricKeyDetails?.modulusLength;
  const fingerprint = spki && fingerprintOfBytes(spki);
  const facts = { kind, algorithm, bits, fingerprint, encoding };
  if (kind === 'private-key') {
    const isOpened = opened === key ? [] : ['its password opens it'];
    const refused = opened.refusal ? [opened.refusal.reason] : [];
    return { ...facts, notes: [...notes, privateNote, ...isOpened, ...refused], usable: false };
  }
  const all = [...notes, ...noteConversion(recognition)];
  const refusal = refusePublicKey(recognition);
  if (refusal !== undefined) {
    all.push(`it can't be used as public_key: ${refusal.reason}`);
    return { ...facts, notes: all, usable: false };
  }
  if (bits && bits < usualBits)
    all.push(`${bits} bits are fewer than the ${usualBits} that are usual today`);
  return { ...facts, notes: all, usable: true };
}

const privateNote =
  'it is a private key, so none of it is shown: keep it where it was generated, and send only its public half';

function inspectUnknown(recognition: KeyRecognition, line: string): KeyInspection {
  const { encoding, kind = 'unknown', notes, refusal } = recognition;
  const reason = refusal?.reason ?? 'it is not a key in any known format';
  if (refusal?.code === 'not-a-key') {
    return { kind, notes: [reason, ...notesOnOtherLength(line)], usable: false };
  }
  if (kind === 'key-store') return { kind, encoding, notes, usable: false, closed: refusal };
  const isPrivate = kind === 'private-key' ? [privateNote] : [];
  return { kind, encoding, notes: [...notes, reason, ...isPrivate], usable: false };
}
