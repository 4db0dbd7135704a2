import type { ConnectionFacts, Phase } from '../diagnosis/connection.ts';
import type { Timings } from './exchange.ts';

/**
 * One attempt: its time limit, how far it has come and how long each part took. `AbortSignal.any` over a time-out may
 * be garbage-collected before it aborts (Node 20 and 22), so the limit is a timer and a listener.
 */
export class Progress {
  phase: Phase = 'request';
  /** Whether a new connection was made for this attempt. */
  fresh = false;
  responded = false;
  /** Whether the connection has only the proxy at its other end so far. */
  atProxy = false;
  timings: { -readonly [Part in keyof Timings]: Timings[Part] } = {};
  lastStep: number;
  /** Why the limit has ended the attempt; undefined before. */
  reason: Error | undefined;
  /** Called at the end of the limit: for a request on a kept connection, which needs no signal. */
  onEnd: (() => void) | undefined;
  readonly now: () => number;
  readonly timeoutMs: number;
  readonly #timer: NodeJS.Timeout;
  readonly #cancelled: AbortSignal | undefined;
  readonly #cancel = () => this.#end('It was cancelled.');
  #controller: AbortController | undefined;

  constructor(now: () => number, timeoutMs: number, cancelled?: AbortSignal) {
    this.now = now;
    this.lastStep = now();
    this.timeoutMs = timeoutMs;
    this.#timer = setTimeout(() => this.#end('The time limit is over.'), timeoutMs);
    this.#cancelled = cancelled;
    if (cancelled?.aborted) this.#cancel();
    cancelled?.addEventListener('abort', this.#cancel);
  }

  /** Enters `phase`; the time since the last step counts as that of `part`. */
  step(phase: Phase, part?: keyof Timings): void {
    const now = this.now();
    if (part !== undefined) this.timings[part] = (this.timings[part] ?? 0) + now - this.lastStep;
    this.lastStep = now;
    this.phase = phase;
  }

  end(part: keyof Timings): void {
    this.step(this.phase, part);
  }

  /** Begins anew within the same limit, on another connection. */
  restart(): void {
    this.step('request');
    this.timings = {};
    this.fresh = false;
  }

  /** Aborts at the end of the limit. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.reason !== undefined) this.#controller.abort(this.reason);
    return this.#controller.signal;
  }

  #end(why: string): void {
    this.reason ??= new Error(why);
    this.#controller?.abort(this.reason);
    this.onEnd?.();
  }

  /** The work is done: lets go of the timer and of the other signal. */
  release(): void {
    clearTimeout(this.#timer);
    this.#cancelled?.removeEventListener('abort', this.#cancel);
  }
}

/** A failure and its facts; the transport adds where and when, and diagnoses it. */
export class WireFailure extends Error {
  override readonly name = 'WireFailure';
  readonly facts: Partial<ConnectionFacts>;

  constructor(facts: Partial<ConnectionFacts>, cause?: unknown) {
    super('The request failed.', { cause });
    this.facts = facts;
  }
}

/** The facts of an error of Node or undici: their wording is read here alone, where no code says it. */
export function toWireFailure(error: unknown): WireFailure {
  if (error instanceof WireFailure) return error;
  const { code, name, message, data, cause } = (error ?? {}) as Record<string, unknown>;
  if (code === undefined && cause instanceof Error) return toWireFailure(cause);
  const text = typeof message === 'string' ? message : String(error);
  // The number of the alert is standard; OpenSSL's names for it differ between versions.
  const alert = /SSL alert number (\d+)/.exec(text)?.[1];
  return new WireFailure(
    {
      errorCode: typeof code === 'string' ? code : undefined,
      errorText: text.split('\n', 1)[0]?.slice(0, 200),
      ...parserFacts(name, code, text),
      tlsAlert: alert === undefined ? undefined : Number(alert),
      firstBytes: firstBytesOf(data),
    },
    error,
  );
}

/** undici's parser errors have no code, only llhttp's reason in brackets. */
function parserFacts(name: unknown, code: unknown, text: string): Partial<ConnectionFacts> {
  if (name === 'HTTPParserError') {
    const reason = /^[^(]*\((.*)\)/.exec(text)?.[1] ?? text;
    return reason.includes('EOF') ? { isCut: true } : { unreadable: reason };
  }
  // Responses that were not asked for, a status 100, and a switch of protocols have one code.
  const isBad = code === 'UND_ERR_SOCKET' && /^bad (?:response|upgrade)$/.test(text);
  return isBad ? { unreadable: text } : {};
}

/** undici's parser error carries what it could not parse, as text or bytes. */
function firstBytesOf(data: unknown): Uint8Array | undefined {
  if (typeof data === 'string') return Buffer.from(data, 'latin1').subarray(0, 64);
  return data instanceof Uint8Array ? data.subarray(0, 64) : undefined;
}
