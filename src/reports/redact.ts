import { encodeBase64, encodeHex, encodeUtf8 } from '../bytes.ts';
import { Secret } from '../crypto/secret.ts';

/** What stands in an output in the place of a secret. */
export const redacted = '[redacted]';

/** A value that the command exists to print: the redactor leaves it as it is. */
export class Revealed {
  readonly value: string;

  constructor(value: string) {
    this.value = value;
  }
}

/** Marks `value` as what the command is for (`key generate`, `decrypt`, …): it is shown where it is put, and only there. */
export function reveal(value: string): Revealed {
  return new Revealed(value);
}

/** The JSON value with every text in it revealed. */
export function revealAll(value: unknown): unknown {
  if (typeof value === 'string') return reveal(value);
  if (Array.isArray(value)) return value.map(revealAll);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, revealAll(item)]));
}

/** Secrets shorter than this are hidden only where they stand alone: "1234" is not a part of port 12345. */
const standsAloneBelow = 6;

/** Property names are hidden only for secrets as long as this: a user called "name" must not break the JSON. */
const propertyNamesFrom = 8;

/**
 * The secrets known in a run, and the one place that decides what of an output may be shown.
 * A secret is hidden wherever it stands: plain, escaped as in JSON, URL-encoded, in hexadecimal and in Base64.
 */
export class Redactor {
  readonly #secrets = new Set<string>();
  readonly #forms = new Map<string, readonly Form[]>();
  readonly #shown = new Set<string>();
  readonly #variables = new Map<string, string>();
  #order: readonly Form[] | undefined;

  /** Hides `value` (text, UTF-8) in everything that is redacted from now on; empty text is no secret. */
  add(value: string | Secret | undefined): void {
    const text = Secret.textOf(value);
    if (text === undefined || text === '' || this.#secrets.has(text)) return;
    this.#secrets.add(text);
    this.#order = undefined;
  }

  /** Says which environment variable holds a secret, for lines that are pasted into a shell. */
  nameVariable(value: string | Secret, variable: string): void {
    const text = Secret.textOf(value);
    if (text !== undefined && text !== '') this.#variables.set(text, variable);
  }

  /** The secrets that a shell variable stands for. */
  get references(): readonly { readonly text: string; readonly name: string }[] {
    return [...this.#variables].map(([text, name]) => ({ text, name }));
  }

  /** Never hides `value`: a name that is public in this run, such as the user code, even if a secret is equal to it. */
  show(value: string | undefined): void {
    if (value === undefined) return;
    this.#shown.add(value);
    this.#order = undefined;
  }

  /** `text` with every known secret replaced by `[redacted]`. */
  text(text: string): string {
    return this.#replace(text, 0);
  }

  /** A JSON-like value with every string redacted, property names of peers included, and {@link Revealed} values unwrapped. */
  json(value: unknown): unknown {
    if (typeof value === 'string') return this.text(value);
    if (value instanceof Revealed) return value.value;
    if (Array.isArray(value)) return value.map((item) => this.json(item));
    if (value === null || typeof value !== 'object') return value;
    if (isNamed(value)) return this.json(value.toJSON());
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) => [
        this.#replace(name, propertyNamesFrom),
        this.json(item),
      ]),
    );
  }

  #replace(text: string, minLength: number): string {
    this.#order ??= [...this.#secrets]
      .filter((secret) => !this.#shown.has(secret))
      .flatMap((secret) => this.#formsOf(secret))
      .sort((a, b) => b.text.length - a.text.length);
    let result = text;
    for (const form of this.#order) {
      const { length } = form.text;
      if (length < minLength || length > result.length || !result.includes(form.text)) continue;
      result = form.alone
        ? replaceAlone(result, form.text)
        : result.replaceAll(form.text, redacted);
    }
    return result.includes(ellipsis) ? this.#replaceCut(result) : result;
  }

  /** Worked out when something is first redacted: a command that prints what it is for needs none. */
  #formsOf(secret: string): readonly Form[] {
    const forms = this.#forms.get(secret) ?? formsOf(secret);
    this.#forms.set(secret, forms);
    return forms;
  }

  /** A secret that was cut short ("abcdef…") is hidden as well. */
  #replaceCut(text: string): string {
    return text
      .split(ellipsis)
      .map((part, index, parts) => {
        const forms = index < parts.length - 1 ? (this.#order ?? []) : [];
        const cut = Math.max(0, ...forms.map((form) => cutSecretAtEnd(part, form.text)));
        return cut === 0 ? part : part.slice(0, -cut) + redacted;
      })
      .join(ellipsis);
  }
}

/** Whether a value says itself how it stands in JSON, as a Secret does. */
function isNamed(value: object): value is { toJSON(): unknown } {
  return 'toJSON' in value && typeof value.toJSON === 'function';
}

/** What stands where a text was shortened. */
const ellipsis = '…';

/** Fewer characters of a secret than this tell nothing. */
const cutFrom = 4;

/** How many characters at the end of `text` are the beginning of `secret`. */
function cutSecretAtEnd(text: string, secret: string): number {
  for (let length = Math.min(text.length, secret.length - 1); length >= cutFrom; length -= 1) {
    if (text.endsWith(secret.slice(0, length))) return length;
  }
  return 0;
}

interface Form {
  readonly text: string;
  readonly alone: boolean;
}

function formsOf(secret: string): readonly Form[] {
  const bytes = encodeUtf8(secret);
  const json = JSON.stringify(secret).slice(1, -1);
  const long = [
    json,
    json.replaceAll('/', '\\/'),
    asciiJson(secret),
    percentEncoded(secret),
    percentEncoded(secret).replaceAll('%20', '+'),
    ...base64Forms(bytes),
    encodeHex(bytes),
    encodeHex(bytes).toUpperCase(),
    ...pemBody(secret),
  ].filter((text) => text !== secret);
  return [secret, ...new Set(long)].map((text) => ({
    text,
    alone: isShorter(text, standsAloneBelow),
  }));
}

/** Whether a text has fewer characters; a long one isn't taken apart to count them. */
function isShorter(text: string, characters: number): boolean {
  return text.length < 2 * characters && [...text].length < characters;
}

/** Fewer stable Base64 digits than this say nothing: they would stand in other texts by chance. */
const base64DigitsFrom = 8;

/**
 * Base64 in both alphabets, at each of the three offsets at which the secret may stand in a longer
 * encoded text. The digits that also depend on the neighbours of the secret are left out.
 */
function base64Forms(bytes: Uint8Array): readonly string[] {
  const whole = encodeBase64(bytes);
  const inside = [0, 1, 2].map((offset) => {
    const digits = encodeBase64(Buffer.concat([new Uint8Array(offset), bytes]));
    return digits.slice(Math.ceil((offset * 4) / 3), Math.floor(((offset + bytes.length) * 4) / 3));
  });
  return [
    whole,
    whole.replace(/=+$/, ''),
    ...inside.filter((text) => text.length >= base64DigitsFrom),
  ].flatMap((text) => [text, text.replaceAll('+', '-').replaceAll('/', '_')]);
}

function asciiJson(text: string): string {
  return JSON.stringify(text)
    .slice(1, -1)
    .replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function percentEncoded(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

/** The Base64 inside a PEM text, as one line: the form in which a DER reader or a JSON field would hold it. */
function pemBody(secret: string): readonly string[] {
  const body = /-----BEGIN [^-]+-----([A-Za-z0-9+/=\s]+)-----END/.exec(secret)?.[1];
  return body === undefined ? [] : [body.trim(), body.replace(/\s+/g, '')];
}

function replaceAlone(text: string, secret: string): string {
  const pattern = secret.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return text.replace(
    new RegExp(`(?<![\\p{L}\\p{N}])${pattern}(?![\\p{L}\\p{N}])`, 'gu'),
    redacted,
  );
}
