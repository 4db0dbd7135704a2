import { fingerprintOfKey } from './fingerprint.ts';

/** What stands in the place of a secret that has no fingerprint. */
const hidden = '[redacted]';

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

  /** A passcode, a token, the server secret, what is known of a person: short ones could be guessed from a fingerprint. */
  static text(text: string): Secret {
    return new Secret(text);
  }

  /** The same of a text that may be missing. */
  static optional(text: string | undefined): Secret | undefined {
    return text === undefined ? undefined : new Secret(text);
  }

  /** The text of what may be a secret already, or missing: for those who keep texts in order to hide them. */
  static textOf(value: string | Secret | undefined): string | undefined {
    return typeof value === 'object' ? value.reveal() : value;
  }

  /** The text itself: for the one call that needs it. */
  reveal(): string {
    return this.#text;
  }

  /** Whether both have the same text; not in constant time: for what is kept here, never for what a peer sent. */
  equals(other: Secret): boolean {
    return other.#text === this.#text;
  }

  /** A fingerprint is worked out when it is first looked at: of a hundred thousand keys most never are. */
  toString(): string {
    return this.#nameOf?.(this.#text) ?? hidden;
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
