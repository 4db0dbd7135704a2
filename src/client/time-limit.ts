/**
 * Ends work when the time is over, or with another signal. `AbortSignal.any` over a time-out may be
 * garbage-collected before it aborts (Node 20 and 22), so this is a timer and a listener.
 */
export class TimeLimit {
  /** Why it has ended; undefined before. */
  reason: Error | undefined;
  /** Called at the end: for a request on a kept connection, which needs no signal. */
  onEnd: (() => void) | undefined;
  #controller: AbortController | undefined;
  readonly #timer: NodeJS.Timeout;
  readonly #cancelled: AbortSignal | undefined;
  readonly #cancel = () => this.#end('It was cancelled.');

  constructor(timeoutMs: number, cancelled?: AbortSignal) {
    this.#timer = setTimeout(() => this.#end('The time limit is over.'), timeoutMs);
    this.#cancelled = cancelled;
    if (cancelled?.aborted) this.#cancel();
    cancelled?.addEventListener('abort', this.#cancel);
  }

  /** Aborts at the end. */
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
