import { createHmac, hash } from 'node:crypto';
import {
  decodeBase64Lenient,
  decodeHex,
  encodeBase64,
  encodeBase64Url,
  encodeHex,
} from '../bytes.ts';
import { carriesCredentials } from '../client/headers.ts';
import { parseJsonText } from '../protocol/json.ts';
import { secretFieldNames, secretTextsIn } from '../protocol/secret-fields.ts';
import { findSecrets, SecretIndex } from '../reports/redact.ts';

/** What a recording says of a secret instead of its value. */
export interface SecretForm {
  readonly characters: number;
  readonly encoding: 'base64' | 'base64url' | 'hex' | 'text';
  /** What it decodes to; absent for text. */
  readonly bytes?: number;
}

export type SecretForms = Readonly<Record<string, SecretForm>>;

/** Fields whose values are secret, or encrypt what is. */
const fieldNames = new Set([
  ...secretFieldNames,
  'enc_partner_key',
  'partner_sp',
  'ubifill',
  'ptn_sp',
]);
const names = [...fieldNames].join('|');

/** Their values: in JSON, in JSON within a string, and in forms; a number counts as text does. */
const fieldPatterns = [
  new RegExp(`"(?:${names})"\\s*:\\s*"((?:[^"\\\\]|\\\\.)+)`, 'dg'),
  new RegExp(`\\\\+"(?:${names})\\\\+"\\s*:\\s*\\\\+"([^"\\\\]+)`, 'dg'),
  new RegExp(`(?<![\\w.-])(?:${names})=([^&\\s"'<>\\\\]+)`, 'dg'),
];
const numberPattern = new RegExp(`"(?:${names})"\\s*:\\s*(-?\\d[\\d.eE+-]*)`, 'dg');

const pseudonym = /secret:\d+/g;

/** At most this many secrets are searched for outside of their fields; the oldest are forgotten. */
const remembered = 2000;

/**
 * Names for secrets, the same for the same value: `secret:` and a number drawn from the value and a
 * salt that is written nowhere, so that no value can be tried out.
 */
export class Pseudonyms {
  readonly #salt: Uint8Array;
  #recent = new SecretIndex();
  #older = new SecretIndex();

  /** @param salt at least 16 random bytes */
  constructor(salt: Uint8Array) {
    this.#salt = salt;
  }

  /** Hides a value wherever it occurs from now on, not only in its field. */
  add(secret: string): void {
    if (secret === '' || this.#recent.has(secret)) return;
    if (this.#recent.size >= remembered) {
      this.#older = this.#recent;
      this.#recent = new SecretIndex();
    }
    this.#recent.add(secret);
  }

  name(secret: string, forms: Record<string, SecretForm>): string {
    const digest = createHmac('sha256', this.#salt).update(secret).digest();
    const name = `secret:${digest.readUIntBE(0, 6)}`;
    forms[name] = formOf(secret);
    return name;
  }

  header([name, value]: readonly [string, string], forms: Record<string, SecretForm>) {
    const hidden = carriesCredentials(name) && value !== '' ? this.name(value, forms) : undefined;
    return [name, hidden ?? this.text(value, forms)] as const;
  }

  /** A text with each secret replaced by its name, whose form is added to `forms`. */
  text(text: string, forms: Record<string, SecretForm>): string {
    for (const value of secretTextsIn(parseJsonText(text), fieldNames)) this.add(value);
    const fields = fieldPatterns.flatMap((each) => valuesOf(text, each));
    for (const { value } of fields) this.add(value);
    const inFields = replaced(text, fields, ({ value }) => this.name(value, forms));
    const others = findSecrets(inFields, [this.#recent, this.#older])
      .filter(([start, end]) => !/^secret:\d+$/.test(inFields.slice(start, end)))
      .map(([start, end]) => ({ start, end, value: inFields.slice(start, end) }));
    const shown = replaced(inFields, others, (each) =>
      isNumberIn(inFields, each) ? ones(each) : this.name(each.value, forms),
    );
    return replaced(shown, valuesOf(shown, numberPattern), ones);
  }
}

/**
 * The text with a value of the same length and encoding for each pseudonym, equal for equal ones:
 * what can be judged without the value can be judged as usual.
 */
export function withStandIns(text: string, forms: SecretForms): string {
  return text.replace(pseudonym, (name) => {
    const form = Object.hasOwn(forms, name) ? forms[name] : undefined;
    return form === undefined ? name : standIn(name, form);
  });
}

function standIn(name: string, { characters, encoding, bytes = 0 }: SecretForm): string {
  if (encoding === 'text') return name.padEnd(lengthIn(characters), '.');
  // a leading zero: as a number, it is below any modulus
  const content = Buffer.alloc(lengthIn(bytes), hash('sha256', name, 'buffer')).fill(0, 0, 1);
  return encoders[encoding](content).slice(0, lengthIn(characters));
}

const encoders = { base64: encodeBase64, base64url: encodeBase64Url, hex: encodeHex };

/** A recording may be written by hand. */
function lengthIn(value: unknown): number {
  return typeof value === 'number' && value > 0 ? Math.min(Math.trunc(value), 1 << 22) : 0;
}

function formOf(value: string): SecretForm {
  const characters = value.length;
  const text = { characters, encoding: 'text' } as const;
  if (/\s/.test(value) || value.length < 16) return text;
  const inHex = decodeHex(value);
  if (inHex !== undefined) return { characters, encoding: 'hex', bytes: inHex.length };
  const decoded = decodeBase64Lenient(value);
  if (decoded === undefined) return text;
  const encoding = /[-_]/.test(value) ? 'base64url' : 'base64';
  return { characters, encoding, bytes: decoded.length };
}

interface Found {
  readonly start: number;
  readonly end: number;
  readonly value: string;
}

function valuesOf(text: string, pattern: RegExp): Found[] {
  return [...text.matchAll(pattern)].map(({ 1: raw = '', indices }) => {
    const [start, end] = indices?.[1] ?? [0, 0];
    const value = parseJsonText(`"${raw}"`);
    return { start, end, value: typeof value === 'string' ? value : raw };
  });
}

/** A number stays one, so that what is JSON stays JSON. */
function ones({ value }: Found): string {
  return '1'.repeat(value.length);
}

function isNumberIn(text: string, { start, end, value }: Found): boolean {
  if (!/^-?\d[\d.eE+-]*$/.test(value)) return false;
  const before = text.slice(Math.max(0, start - 32), start);
  return /[:[,]\s*$/.test(before) && /^\s*[\]},]/.test(text.slice(end, end + 32));
}

function replaced(text: string, found: readonly Found[], by: (found: Found) => string): string {
  let shown = '';
  let copied = 0;
  for (const each of [...found].sort((left, right) => left.start - right.start)) {
    if (each.start < copied) continue;
    shown += text.slice(copied, each.start) + by(each);
    copied = each.end;
  }
  return shown + text.slice(copied);
}
