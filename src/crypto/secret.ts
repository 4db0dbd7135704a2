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
  readonly #shown: string;

  private constructor(text: string, shown: string) {
    this.#text = text;
    this.#shown = shown;
  }

  /** A per-user key: called by its fingerprint. */
  static key(text: string): Secret {
    return new Secret(text, fingerprintOfKey(text));
  }

  /** A passcode, a token, the server secret: short ones could be guessed from a fingerprint. */
  static text(text: string): Secret {
    return new Secret(text, hidden);
  }

  /** The text itself: for the one call that needs it. */
  reveal(): string {
    return this.#text;
  }

  toString(): string {
    return this.#shown;
  }

  toJSON(): string {
    return this.#shown;
  }

  [Symbol.toPrimitive](): string {
    return this.#shown;
  }

  /** What console.log and util.inspect print, at any depth. */
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return this.#shown;
  }
}
