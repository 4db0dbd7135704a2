import type { ConnectionFacts, Phase } from '../diagnosis/connection-facts.ts';
import type { Timings } from './exchange.ts';

/** How far one attempt has come and what each part took; the connection writes, the diagnosis reads. */
export class Progress {
  phase: Phase = 'request';
  /** Whether a connection was made for this attempt, rather than a kept one used. */
  fresh = false;
  /** Whether a byte of the answer has come. */
  answered = false;
  /** Whether the way to a proxy is being made, before the target comes into it. */
  atProxy = false;
  readonly #now: () => number;
  readonly #timings: { -readonly [Part in keyof Timings]: Timings[Part] } = {};
  #since: number;

  constructor(now: () => number) {
    this.#now = now;
    this.#since = now();
  }

  get timings(): Timings {
    return { ...this.#timings };
  }

  /** The instant of the last step. */
  get lastStep(): number {
    return this.#since;
  }

  /** Goes on to `phase`; the time since the last step is that of `part`. */
  step(phase: Phase, part?: keyof Timings): void {
    const now = this.#now();
    if (part !== undefined) this.#timings[part] = (this.#timings[part] ?? 0) + now - this.#since;
    this.#since = now;
    this.phase = phase;
  }

  /** The last part is over. */
  end(part: keyof Timings): void {
    this.step(this.phase, part);
  }
}

/** A failure with what is known of it; the transport adds where and when, and diagnoses it. */
export class WireFailure extends Error {
  override readonly name = 'WireFailure';
  readonly facts: Partial<ConnectionFacts>;

  constructor(facts: Partial<ConnectionFacts>, cause?: unknown) {
    super('The request failed.', { cause });
    this.facts = facts;
  }
}

/** The failure that an error of the platform or of undici stands for. */
export function toWireFailure(error: unknown): WireFailure {
  if (error instanceof WireFailure) return error;
  const { code, name, message, data, cause } = (error ?? {}) as Record<string, unknown>;
  if (code === undefined && cause instanceof Error) return toWireFailure(cause);
  const text = typeof message === 'string' ? message : String(error);
  // The alert's number is the standard's; OpenSSL's names for it differ between versions.
  const alert = /SSL alert number (\d+)/.exec(text)?.[1];
  return new WireFailure(
    {
      errorCode: typeof code === 'string' ? code : undefined,
      errorText: text.split('\n', 1)[0]?.slice(0, 200),
      unreadable: name === 'HTTPParserError' ? reasonOf(text) : undefined,
      tlsAlert: alert === undefined ? undefined : Number(alert),
      firstBytes: firstBytesOf(data),
    },
    error,
  );
}

/** undici's parser error has the parser's reason in brackets. */
function reasonOf(text: string): string {
  return /\((.*)\)/.exec(text)?.[1] ?? text;
}

/** undici's parser error carries what it could not read, as text or bytes. */
function firstBytesOf(data: unknown): Uint8Array | undefined {
  if (typeof data === 'string') return Buffer.from(data, 'latin1').subarray(0, 64);
  return data instanceof Uint8Array ? data.subarray(0, 64) : undefined;
}
