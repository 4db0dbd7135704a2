import { constantTimeEqual } from '../bytes.ts';
import { algorithmOf, type Cipher, ivBytesOf } from '../crypto/cipher.ts';
import { briefCipher, formatCipher, parseCipher } from '../crypto/cipher-notation.ts';
import { decryptPayload } from '../crypto/payload-ciphers.ts';
import type { Diagnosis } from '../errors.ts';
import { identifyCipher } from './cipher-identification.ts';
import { type CipherCandidate, otherIvs, skipCharacter } from './cipher-readings.ts';
import { diagnosis } from './diagnosis.ts';
import { payloadCodeOf } from './passcode.ts';
import {
  findForeignKey,
  findRepairs,
  fixedIvHint,
  lackOfIv,
  looksPlain,
  type Repair,
  wholeTextHint,
} from './payload-causes.ts';
import { assessPlaintext, isPlausiblePlaintext, type ShapeKind } from './plausibility.ts';
import { type TornShape, tornShape, tornShapeOf } from './torn-text.ts';

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

export interface PayloadFinding {
  readonly diagnosis: Diagnosis;
  /** The cipher to set, in the canonical notation. */
  readonly fittingCipher?: string | undefined;
  /** Every cipher that makes sense of the payload, the best first. */
  readonly candidates: readonly CipherCandidate[];
}

/**
 * Explains a payload that does not decrypt under the expected cipher, or decrypts to noise, by the
 * first of: another cipher, damage on the way, another key, the step that failed. Never throws; no
 * message contains a secret.
 */
export function diagnosePayload(
  payload: string,
  key: string,
  context: PayloadContext,
): PayloadFinding {
  const candidates = findOtherCiphers(payload, key, context);
  return (
    explainOtherwise(payload, key, context, candidates) ?? {
      diagnosis: failedStep(
        payload,
        key,
        context,
        'no other cipher decrypts it to text with this key',
      ),
      candidates,
    }
  );
}

/** Names the step that failed alone: to search for another cipher, as {@link diagnosePayload} does, takes up to a second. */
export function diagnoseFailedStep(
  payload: string,
  key: string,
  context: PayloadContext,
): Diagnosis {
  return failedStep(payload, key, context, 'other ciphers were tried for earlier payloads only');
}

/**
 * Why a payload that decrypts under the expected cipher was nevertheless not made with it: another
 * cipher, key or text makes better sense, or the first block doesn't fit what follows. Undefined where
 * the plaintext is what was encrypted, as far as can be seen. Never throws; no message contains a secret.
 */
export function examinePlaintext(
  payload: string,
  key: string,
  plaintext: Uint8Array,
  context: PayloadContext,
): PayloadFinding | undefined {
  const isPlausible = isPlausiblePlaintext(plaintext, context.kind);
  const reading = isPlausible ? longerReading(payload, key, plaintext, context.cipher) : undefined;
  const shape = isPlausible ? tornShape(plaintext, ivBytesOf(context.cipher)) : undefined;
  if (isPlausible && reading === undefined && shape === undefined) return undefined;
  // The padding proves nothing here: it is right under the expected cipher too.
  const candidates = findOtherCiphers(payload, key, context).filter(
    (candidate) =>
      isPlausiblePlaintext(candidate.plaintext, context.kind) &&
      !constantTimeEqual(candidate.plaintext, plaintext),
  );
  const found = explainOtherwise(payload, key, context, candidates);
  if (found !== undefined || reading !== undefined) {
    return (
      found ?? {
        ...mismatch(formatCipher(reading ?? context.cipher), 'likely', context),
        candidates,
      }
    );
  }
  const observed = shape === undefined ? noiseBeforeText(plaintext, context) : inTheMiddleOf(shape);
  return observed === undefined
    ? undefined
    : { diagnosis: otherIv(observed, context.cipher), candidates };
}

const inTheMiddleOf = (shape: TornShape): string => `begins in the middle of ${shape}`;

function explainOtherwise(
  payload: string,
  key: string,
  context: PayloadContext,
  candidates: readonly CipherCandidate[],
): PayloadFinding | undefined {
  const [best] = candidates;
  const shape = best && tornShapeOf(best);
  if (shape)
    return { diagnosis: otherIv(inTheMiddleOf(shape), parseCipher(best.cipher)), candidates };
  if (best !== undefined && best.confidence !== 'possible') {
    return { ...mismatch(best.cipher, best.confidence, context), candidates };
  }
  return repaired(payload, key, context) ?? foreignKey(payload, key, context);
}

/**
 * The cipher with an IV that is not in the payload, under which the same text has one block more in
 * front: a random IV reads as a block of text once in 2^22.
 */
function longerReading(
  payload: string,
  key: string,
  plaintext: Uint8Array,
  cipher: Cipher,
): Cipher | undefined {
  const ivBytes = ivBytesOf(cipher);
  const { mode } = algorithmOf(cipher);
  if (cipher.iv !== 'prefix' || (mode !== 'cbc' && mode !== 'cfb') || ivBytes < 16)
    return undefined;
  return otherIvs(cipher).find((other) => {
    const result = decryptPayload(payload, key, other);
    if (!result.ok || result.plaintext.length !== plaintext.length + ivBytes) return false;
    return isPlausiblePlaintext(result.plaintext);
  });
}

/** In CBC and CFB a wrong IV spoils the first block alone. */
function noiseBeforeText(
  plaintext: Uint8Array,
  { cipher, kind }: PayloadContext,
): string | undefined {
  const { mode, blockBytes } = algorithmOf(cipher);
  if ((mode !== 'cbc' && mode !== 'cfb') || plaintext.length < 2 * blockBytes) return undefined;
  const { bits, isClean } = assessPlaintext(skipCharacter(plaintext.subarray(blockBytes)), kind);
  return isClean && bits >= enoughBits
    ? `has ${blockBytes} bytes of noise before its text`
    : undefined;
}

/** How much likelier than noise the rest has to be, in bits. */
const enoughBits = 20;

function otherIv(observed: string, cipher: Cipher): Diagnosis {
  return diagnosis(
    'cipher-mismatch',
    `Decrypted with ${briefCipher(cipher)}, the plaintext ${observed}: it was encrypted with another IV, such as one fixed in the code.`,
    fixedIvHint,
    { cipher: formatCipher(cipher) },
  );
}

/** Explains a payload of which no cipher makes sense; `context.cipher` is the likeliest. */
export function diagnoseNoCipher(payload: string, key: string, context: PayloadContext): Diagnosis {
  const found = diagnosePayload(payload, key, context).diagnosis;
  if (found.code === 'payload-encoding' || found.code === 'wrong-key') return found;
  const message = `No cipher of the notation decrypts ${context.field ?? 'the payload'} to text with this key.`;
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

function mismatch(
  fittingCipher: string,
  confidence: CipherCandidate['confidence'],
  context: PayloadContext,
): Pick<PayloadFinding, 'diagnosis' | 'fittingCipher'> {
  const set = formatCipher(context.cipher);
  const different = findDifferences(set, fittingCipher);
  const isEncoding = different.length === 1 && different[0]?.startsWith('encoding ');
  const found = diagnosis(
    isEncoding ? 'payload-encoding' : 'cipher-mismatch',
    `${nameOf(context)} is not encrypted with the configured cipher, ${set}; it decrypts with ${fittingCipher} (${different.join(', ')}; ${confidence}).`,
    `Set the cipher to ${fittingCipher}, or change the other side to use the configured one.`,
    { cipher: set, fitting_cipher: fittingCipher },
  );
  return { diagnosis: found, fittingCipher };
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
    const read = isSet ? 'it decrypts' : `it decrypts with ${fitting}`;
    const message = `${nameOf(context)} ${repair.damage}; with that undone, ${read}.`;
    const found = diagnosis('payload-encoding', message, repair.fix);
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
  const message = `${nameOf(context)} is encrypted with ${found.description}, not with this user's key.`;
  return { diagnosis: diagnosis('wrong-key', message, found.fix), candidates: [] };
}

function failedStep(
  payload: string,
  key: string,
  context: PayloadContext,
  searched: string,
): Diagnosis {
  const result = decryptPayload(payload, key, context.cipher);
  const name = nameOf(context);
  if (result.ok) {
    const message = `${name} decrypts to bytes that are not text, and ${searched}.`;
    return diagnosis('wrong-key', message, otherKeyHint);
  }
  const code = payloadCodeOf[result.failure];
  if (code === 'payload-encoding' && looksPlain(payload)) {
    return diagnosis(
      code,
      `${name} looks like plain text that was never encrypted (${result.detail}).`,
      'Encrypt the field with the per-user key before it is sent.',
    );
  }
  const observed = lackOfIv(payload, context.cipher);
  const message = `${name} can't be decrypted: ${observed ?? result.detail}; ${searched}.`;
  if (observed !== undefined) return diagnosis('cipher-mismatch', message, fixedIvHint);
  return diagnosis(code, message, code === 'payload-encoding' ? wholeTextHint : otherKeyHint);
}

const otherKeyHint =
  "Check whether another key was used: another user's, or one that a later key exchange replaced. If the key is right, the notation does not cover this cipher.";

function nameOf({ field }: PayloadContext): string {
  return field ?? 'The payload';
}

/** What differs between two ciphers in the canonical notation: "iv key-head instead of prefix". */
function findDifferences(expected: string, fitting: string): string[] {
  const [before, after] = [partsOf(expected), partsOf(fitting)];
  const names = [...new Set([...before.keys(), ...after.keys()])];
  return names.flatMap((name) => {
    const [from = 'absent', to = 'absent'] = [before.get(name), after.get(name)];
    return from === to ? [] : [`${name} ${to} instead of ${from}`];
  });
}

function partsOf(notation: string): ReadonlyMap<string, string> {
  const [algorithm = '', parts] = notation.split('?');
  return new Map([['algorithm', algorithm], ...new URLSearchParams(parts)]);
}
