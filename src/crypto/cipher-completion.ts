import type { Cipher, IvLength, IvRule, KeyReading, Padding } from './cipher.ts';
import {
  defaultCipher,
  isSalted,
  ivLengths,
  ivRules,
  keyReadings,
  paddings,
  payloadEncodings,
  tagPlaces,
} from './cipher.ts';
import type { Algorithm } from './cipher-algorithms.ts';
import { quote, refused, unknown } from './cipher-notation-errors.ts';
import { fixedKeyBytes } from './key-derivation.ts';

/** The names of the parts in the order in which they are printed. */
export const partNames = ['key', 'iv', 'padding', 'encoding', 'tag', 'ivlen'] as const;

/** The parts that were given, by name. */
export type Parts = ReadonlyMap<(typeof partNames)[number], string>;

/**
 * The cipher of an algorithm and the parts given, the rest by default.
 *
 * @throws {AuthcliError} `usage` for a value that doesn't exist or a part that doesn't apply
 */
export function completeCipher(algorithm: Algorithm, parts: Parts): Cipher {
  const key = choose(parts, 'key', keyReadings) ?? defaultCipher.key;
  requireEnoughKey(algorithm, key);
  const encoding = choose(parts, 'encoding', payloadEncodings) ?? defaultCipher.encoding;
  const iv = completeIv(algorithm, key, parts);
  const cipher = { algorithm: algorithm.name, key, ...(iv && { iv }) };
  if (algorithm.mode !== 'gcm') {
    refuseOutsideGcm(algorithm, parts);
    return { ...cipher, padding: completePadding(algorithm, parts), encoding };
  }
  if (parts.has('padding'))
    throw refused(`padding doesn't apply to ${algorithm.name}: GCM needs none.`);
  const tag = choose(parts, 'tag', tagPlaces) ?? tagPlaces[0];
  return { ...cipher, encoding, tag, ivlen: completeIvLength(parts, iv) };
}

/** A digest that is always too short for the algorithm would make a cipher that nobody can use. */
function requireEnoughKey(algorithm: Algorithm, key: KeyReading): void {
  const given = fixedKeyBytes[key];
  if (given === undefined || given >= algorithm.keyBytes) return;
  throw refused(
    `key=${key} doesn't apply to ${algorithm.name}: it gives ${given} bytes, ${algorithm.keyBytes} are needed.`,
    'sha256 and md5-hex give 32 bytes.',
  );
}

function completeIv(algorithm: Algorithm, key: KeyReading, parts: Parts): IvRule | undefined {
  const given = parts.get('iv');
  if (algorithm.mode === 'ecb' || isSalted(key)) {
    if (given === undefined) return undefined;
    const reason = isSalted(key) ? `key=${key} derives the IV` : 'ECB has no IV';
    throw refused(`iv doesn't apply to ${algorithm.name} here: ${reason}.`, 'Leave iv out.');
  }
  if (given?.startsWith('hex:')) return fixedIv(algorithm, given.slice('hex:'.length));
  return choose(parts, 'iv', ivRules, ['hex:…']) ?? ivRules[0];
}

function fixedIv(algorithm: Algorithm, digits: string): IvRule {
  if (
    /^[0-9a-f]*$/.test(digits) &&
    algorithm.ivBytes.some((bytes) => bytes * 2 === digits.length)
  ) {
    return `hex:${digits}`;
  }
  const lengths = algorithm.ivBytes.map((bytes) => bytes * 2).join(' or ');
  throw refused(
    `The cipher's iv ${quote(`hex:${digits}`)} doesn't fit ${algorithm.name}.`,
    `After hex: stand ${lengths} hexadecimal digits.`,
  );
}

function completePadding(algorithm: Algorithm, parts: Parts): Padding | undefined {
  const padding = choose(parts, 'padding', paddings);
  if (padding === undefined || algorithm.paddings.includes(padding)) {
    return padding ?? algorithm.paddings[0];
  }
  throw refused(
    `padding=${padding} doesn't apply to ${algorithm.name}: a stream mode needs none.`,
    `Allowed: ${algorithm.paddings.join(', ')}.`,
  );
}

function refuseOutsideGcm(algorithm: Algorithm, parts: Parts): void {
  const name = (['tag', 'ivlen'] as const).find((part) => parts.has(part));
  if (name === undefined) return;
  throw refused(
    `${name} doesn't apply to ${algorithm.name}: only GCM has it.`,
    `Leave ${name} out.`,
  );
}

/** A fixed IV says its own length. */
function completeIvLength(parts: Parts, iv: IvRule | undefined): IvLength {
  const chosen = choose(parts, 'ivlen', ['12', '16'] as const);
  const given = ivLengths.find((bytes) => String(bytes) === chosen);
  if (iv === undefined || !iv.startsWith('hex:')) return given ?? ivLengths[0];
  const fixed = ivLengths.find((bytes) => bytes * 2 === iv.length - 'hex:'.length) ?? ivLengths[0];
  if (given === undefined || given === fixed) return fixed;
  throw refused(`ivlen=${given} contradicts the iv of ${fixed} bytes.`, 'Leave ivlen out.');
}

function choose<Value extends string>(
  parts: Parts,
  name: (typeof partNames)[number],
  allowed: readonly Value[],
  also: readonly string[] = [],
): Value | undefined {
  const given = parts.get(name);
  if (given === undefined) return undefined;
  const found = allowed.find((value) => value === given);
  if (found === undefined) throw unknown(name, given, allowed, also);
  return found;
}
