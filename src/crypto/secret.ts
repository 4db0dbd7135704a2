import { hash } from 'node:crypto';
import { encodeUtf8 } from '../bytes.ts';

/**
 * A secret on its way through the program. Whatever prints it by mistake (a template string, JSON,
 * `util.inspect`, the message of an error, a log) prints what it may be called by. Only
 * {@link Secret.reveal} gives the text, so every place that does can be found by that word.
 */
export class Secret {
  readonly #text: string;
  readonly #nameOf: ((text: string) => string) | undefined;

  private constructor(text: string, nameOf?: (text: string) => string) {
    this.#text = text;
    this.#nameOf = nameOf;
  }

  /** A per-user key: called by its fingerprint. */
  static key(text: string): Secret {
    return new Secret(text, fingerprintOfKey);
  }

  /** A passcode, a token, the server secret, user information: short ones could be guessed from a fingerprint. */
  static text(text: string): Secret {
    return new Secret(text);
  }

  static optional(text: string | undefined): Secret | undefined {
    return text === undefined ? undefined : new Secret(text);
  }

  /** The text of what may be a secret already, or missing: for redaction. */
  static textOf(value: string | Secret | undefined): string | undefined {
    return typeof value === 'object' ? value.reveal() : value;
  }

  /** The text itself: for the one call that needs it. */
  reveal(): string {
    return this.#text;
  }

  /** Whether both have the same text; not in constant time: for values stored here, never for what a peer sent. */
  equals(other: Secret): boolean {
    return other.#text === this.#text;
  }

  toString(): string {
    return this.#nameOf?.(this.#text) ?? '[redacted]';
  }

  toJSON(): string {
    return this.toString();
  }

  [Symbol.toPrimitive](): string {
    return this.toString();
  }

  /** What console.log and util.inspect print, at any depth. */
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return this.toString();
  }
}

/** `sha256:` and the first 12 hexadecimal digits of the bytes' SHA-256: names a key without showing it. */
export function fingerprintOfBytes(bytes: Uint8Array): string {
  return `sha256:${hash('sha256', bytes, 'hex').slice(0, 12)}`;
}

/** The fingerprint of a per-user key: of its characters in UTF-8. */
export function fingerprintOfKey(perUserKey: string): string {
  return fingerprintOfBytes(encodeUtf8(perUserKey));
}
