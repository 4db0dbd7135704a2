import { type Cancellation, Canceller } from './cancellation.ts';

/** The end set to one request: its time limit, or the cancelling of all. */
export class Limit {
  /** Called once, when the request is to end. */
  onEnd: ((reason: Error) => void) | undefined;
  readonly #timer: NodeJS.Timeout;
  readonly #canceller = new Canceller();

  constructor(timeoutMs: number) {
    this.#timer = setTimeout(() => this.end(new Error('The time limit is over.')), timeoutMs);
  }

  get isOver(): boolean {
    return this.#canceller.aborted;
  }

  /** The same end, for those that listen to one. */
  get cancellation(): Cancellation {
    return this.#canceller;
  }

  /** Ends the request for `reason`; the first reason counts. */
  end(reason: Error): void {
    if (this.isOver) return;
    this.#canceller.cancel(reason);
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
  readonly #signal: Cancellation | undefined;
  readonly #cancel = () => {
    for (const limit of this.#active) limit.end(new Error('It was cancelled.'));
  };

  constructor(signal: Cancellation | undefined) {
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
