import { createPublicKey } from 'node:crypto';
import { decodeUtf8, encodeBase64 } from '../bytes.ts';
import { noteConversion, refusePublicKey, unlock } from '../crypto/key-reading.ts';
import type { KeyKind, KeyRefusal, KeyStructure, Locked } from '../crypto/key-structure.ts';
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
  /** The public key as the interface sends it (2.2), where there is an RSA key that can be used. */
  readonly publicKey?: string | undefined;
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
  const { locked } = recognition.key ?? {};
  if (locked !== undefined) return inspectLocked(recognition, locked, password);
  if (recognition.key !== undefined) return inspectKey(recognition, recognition.key);
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

function inspectKey(recognition: KeyRecognition, key: KeyStructure): KeyInspection {
  const usable = refusePublicKey(recognition) === undefined;
  const { spki, ...facts } = keyFacts(key);
  const { bits = usualBits } = facts;
  const small = `${bits} bits are fewer than the ${usualBits} that are usual today`;
  const notes = [...recognition.notes, ...notesOnKey(recognition, key)];
  return {
    ...facts,
    encoding: recognition.encoding,
    notes: usable && bits < usualBits ? [...notes, small] : notes,
    usable,
    publicKey: usable && spki ? encodeBase64(spki) : undefined,
  };
}

function keyFacts({ kind, algorithm, keyObject }: KeyStructure) {
  const publicKey = keyObject?.type === 'private' ? createPublicKey(keyObject) : keyObject;
  const spki = publicKey?.export({ type: 'spki', format: 'der' });
  const bits = keyObject?.asymmetricKeyDetails?.modulusLength;
  return { kind, algorithm, bits, fingerprint: spki && fingerprintOfBytes(spki), spki };
}

function notesOnKey(recognition: KeyRecognition, key: KeyStructure): readonly string[] {
  if (key.kind === 'private-key')
    return [privateNote, ...(key.refusal ? [key.refusal.reason] : [])];
  const refusal = refusePublicKey(recognition);
  const verdict = refusal ? [`it can't be used as public_key: ${refusal.reason}`] : [];
  return [...noteConversion(recognition), ...verdict];
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

function inspectLocked(
  { encoding, notes }: KeyRecognition,
  locked: Locked,
  password: string | undefined,
): KeyInspection {
  const key = unlock(locked, password);
  const base = { kind: 'private-key', encoding, usable: false } as const;
  if (!('format' in key)) {
    return { ...base, notes: [...notes, privateNote], closed: key.refusal };
  }
  const { spki: _, ...facts } = keyFacts(key);
  const refused = key.refusal === undefined ? [] : [key.refusal.reason];
  return { ...base, ...facts, notes: [...notes, privateNote, 'its password opens it', ...refused] };
}
