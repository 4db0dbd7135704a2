/**
 * The end set to one request: its time limit, or the cancelling of all. An AbortSignal, which is
 * dear beside a request on a kept connection, is made only for who asks for it.
 */
export class Limit {
  /** Why the request is to end; undefined while it may go on. */
  reason: Error | undefined;
  /** Called once, when the request is to end. */
  onEnd: ((reason: Error) => void) | undefined;
  readonly #timer: NodeJS.Timeout;
  #controller: AbortController | undefined;

  constructor(timeoutMs: number) {
    this.#timer = setTimeout(() => this.end(new Error('The time limit is over.')), timeoutMs);
  }

  get isOver(): boolean {
    return this.reason !== undefined;
  }

  /** The same end as a signal. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.reason !== undefined) this.#controller.abort(this.reason);
    }
    return this.#controller.signal;
  }

  /** Ends the request for `reason`; the first reason counts. */
  end(reason: Error): void {
    if (this.reason !== undefined) return;
    this.reason = reason;
    this.#controller?.abort(reason);
    this.onEnd?.(reason);
  }

  /** The request is over, and the limit with it. */
  release(): void {
    clearTimeout(this.#timer);
  }
}

/** The limits of the requests under way, which one signal ends together. */
export class Limits {
  readonly #active = new Set<Limit>();
  readonly #signal: AbortSignal | undefined;
  readonly #cancel = () => {
    for (const limit of this.#active) limit.end(new Error('It was cancelled.'));
  };

  constructor(signal: AbortSignal | undefined) {
    this.#signal = signal;
    signal?.addEventListener('abort', this.#cancel);
  }

  /** Gives `use` a limit. */
  async within<T>(timeoutMs: number, use: (limit: Limit) => Promise<T>): Promise<T> {
    const limit = new Limit(timeoutMs);
    this.#active.add(limit);
    try {
      return await use(limit);
    } finally {
      this.#active.delete(limit);
      limit.release();
    }
  }

  /** Lets go of the signal. */
  close(): void {
    this.#signal?.removeEventListener('abort', this.#cancel);
  }
}
