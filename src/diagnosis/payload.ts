import { type Cipher, formatCipher } from '../crypto/cipher-notation.ts';
import { decryptPayload } from '../crypto/payload-ciphers.ts';
import type { Diagnosis } from '../errors.ts';
import { diagnosis } from './catalogue-entry.ts';
import { findDifferences } from './cipher-differences.ts';
import { type CipherCandidate, identifyCipher } from './cipher-identification.ts';
import { findForeignKey } from './foreign-key.ts';
import { payloadCodeOf } from './payload-codes.ts';
import { findRepairs, type Repair } from './payload-repairs.ts';
import { isPlausiblePlaintext } from './plausibility.ts';
import type { ShapeKind } from './text-shapes.ts';

/** What is known beside the payload and its key. */
export interface PayloadContext {
  /** The cipher that was expected. */
  readonly cipher: Cipher;
  /** The name of the field for messages, such as `ptn_sp`. */
  readonly field?: string | undefined;
  readonly kind?: ShapeKind | undefined;
  readonly knownPlaintext?: string | Uint8Array | undefined;
  /** More payloads of the same user, under the same cipher. */
  readonly morePayloads?: readonly string[] | undefined;
  /** Other per-user keys: earlier ones of this user, those of other users. */
  readonly otherKeys?: readonly string[] | undefined;
}

/** Why a payload can't be read, and the cipher that reads it where there is one. */
export interface PayloadFinding {
  readonly diagnosis: Diagnosis;
  /** The cipher to set, in the canonical notation. */
  readonly fittingCipher?: string | undefined;
  /** Every cipher that makes sense of the payload, the best first. */
  readonly candidates: readonly CipherCandidate[];
}

/**
 * Explains a payload that does not decrypt under the cipher that was expected, or decrypts to noise.
 * Looked at in this order: another cipher (`cipher-mismatch`, or `payload-encoding` where the
 * encoding alone differs), damage on the way (`payload-encoding`), another key (`wrong-key`); where
 * none explains it, the step that failed. Never throws; no message holds a secret.
 */
export function diagnosePayload(
  payload: string,
  key: string,
  context: PayloadContext,
): PayloadFinding {
  const candidates = findOtherCiphers(payload, key, context);
  const [best] = candidates;
  if (best !== undefined && best.confidence !== 'possible') {
    const fitting = best.cipher;
    return { diagnosis: otherCipher(best, context), fittingCipher: fitting, candidates };
  }
  const rest = repaired(payload, key, context) ?? foreignKey(payload, key, context);
  return rest ?? { diagnosis: failedStep(payload, key, context), candidates };
}

/**
 * Explains a payload of which no cipher makes sense; which one was expected is of no account. In
 * `context.cipher` stands the one that the payload is most likely to be in.
 */
export function diagnoseNoCipher(payload: string, key: string, context: PayloadContext): Diagnosis {
  const found = diagnosePayload(payload, key, context).diagnosis;
  if (found.code === 'payload-encoding' || found.code === 'wrong-key') return found;
  const message = `No cipher of the notation makes sense of ${context.field ?? 'the payload'} with this key.`;
  return diagnosis('wrong-key', message, found.hint);
}

/** A known plaintext that fits nowhere may itself be wrong, so then the search goes on without it. */
function findOtherCiphers(
  payload: string,
  key: string,
  { cipher, knownPlaintext, kind, morePayloads = [] }: PayloadContext,
): CipherCandidate[] {
  const payloads = [payload, ...morePayloads];
  const set = formatCipher(cipher);
  const search = (known: PayloadContext['knownPlaintext']) =>
    identifyCipher(payloads, key, { knownPlaintext: known, kind }).filter(
      (candidate) => candidate.cipher !== set,
    );
  const found = search(knownPlaintext);
  return found.length > 0 || knownPlaintext === undefined ? found : search(undefined);
}

function otherCipher(best: CipherCandidate, context: PayloadContext): Diagnosis {
  const set = formatCipher(context.cipher);
  const different = findDifferences(set, best.cipher);
  const isEncoding = different.length === 1 && different[0]?.startsWith('encoding ');
  return diagnosis(
    isEncoding ? 'payload-encoding' : 'cipher-mismatch',
    `${nameOf(context)} does not fit the cipher that is set, ${set}; it makes sense under ${best.cipher} (${different.join(', ')}; ${best.confidence}).`,
    `Set the cipher to ${best.cipher}, or have the other side use the one that is set.`,
  );
}

function repaired(
  payload: string,
  key: string,
  context: PayloadContext,
): PayloadFinding | undefined {
  for (const repair of findRepairs(payload)) {
    const fitting = cipherOf(repair, key, context);
    if (fitting === undefined) continue;
    const isSet = fitting === formatCipher(context.cipher);
    const read = isSet ? 'it decrypts' : `it makes sense under ${fitting}`;
    const message = `${nameOf(context)} ${repair.damage}; with that undone ${read}.`;
    const found = diagnosis('payload-encoding', message, repair.mend);
    return { diagnosis: found, ...(!isSet && { fittingCipher: fitting }), candidates: [] };
  }
  return undefined;
}

function cipherOf(repair: Repair, key: string, context: PayloadContext): string | undefined {
  const { cipher, knownPlaintext, kind } = context;
  const result = decryptPayload(repair.payload, key, cipher);
  if (result.ok && isPlausiblePlaintext(result.plaintext)) return formatCipher(cipher);
  const [best] = identifyCipher([repair.payload], key, { knownPlaintext, kind });
  return best === undefined || best.confidence === 'possible' ? undefined : best.cipher;
}

function foreignKey(
  payload: string,
  key: string,
  context: PayloadContext,
): PayloadFinding | undefined {
  const found = findForeignKey(payload, key, context);
  if (found === undefined) return undefined;
  const message = `${nameOf(context)} is encrypted with ${found.description}, not with the key of this user.`;
  return { diagnosis: diagnosis('wrong-key', message, found.mend), candidates: [] };
}

/** What remains where nothing explains it: the step of decryption that failed. */
function failedStep(payload: string, key: string, context: PayloadContext): Diagnosis {
  const result = decryptPayload(payload, key, context.cipher);
  const name = nameOf(context);
  if (result.ok) {
    return diagnosis(
      'wrong-key',
      `${name} decrypts to bytes that are no text, and no other cipher makes sense of it with this key.`,
      otherKeyHint,
    );
  }
  const { failure, detail } = result;
  if (payloadCodeOf[failure] === 'payload-encoding' && looksPlain(payload)) {
    return diagnosis(
      'payload-encoding',
      `${name} looks like plain text that was never encrypted (${detail}).`,
      'Encrypt the field with the per-user key before it is sent.',
    );
  }
  const searched = 'no other cipher makes sense of it with this key';
  const hint = payloadCodeOf[failure] === 'payload-encoding' ? wholeTextHint : otherKeyHint;
  return diagnosis(
    payloadCodeOf[failure],
    `${name} can't be decrypted: ${detail}; ${searched}.`,
    hint,
  );
}

const otherKeyHint =
  'Look whether it was made with another key: that of another user, or one that a later key exchange has replaced. If the key is right, the cipher is one that the notation does not describe.';

const wholeTextHint =
  'Compare the text with what the other side made, character by character: it may be cut, or never have been encrypted.';

/** Text with the marks of a passcode or of user information: digits alone, an address, JSON, markup. */
function looksPlain(payload: string): boolean {
  const text = payload.slice(0, 4096).trim();
  return /^(?:\d{4,16}|[{<].*[}>]|[^\s@]{1,64}@[^\s@]{1,255}\.[a-z]{2,}.*)$/is.test(text);
}

function nameOf({ field }: PayloadContext): string {
  return field ?? 'The payload';
}
