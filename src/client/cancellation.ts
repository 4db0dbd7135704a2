/** As much of an AbortSignal as is listened to here: a real one takes a start half a millisecond and more. */
export interface Cancellation {
  readonly aborted: boolean;
  readonly reason: unknown;
  addEventListener(type: 'abort', listener: () => void): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}

/** Throws the reason of what is cancelled. */
export function throwIfCancelled(cancellation: Cancellation | undefined): void {
  if (cancellation?.aborted === true) throw cancellation.reason;
}

/** Waits so long, or until it is cancelled. */
export function pause(milliseconds: number, cancellation: Cancellation | undefined): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      cancellation?.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    cancellation?.addEventListener('abort', end);
    if (cancellation?.aborted === true) end();
  });
}

/** What is cancelled at most once, with a reason; as an AbortSignal for those that need one. */
export class Canceller implements Cancellation {
  #end: { readonly reason: unknown } | undefined;
  #controller: AbortController | undefined;
  readonly #listeners = new Set<() => void>();

  get aborted(): boolean {
    return this.#end !== undefined;
  }

  get reason(): unknown {
    return this.#end?.reason;
  }

  /** The same as a signal. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#end !== undefined) this.#controller.abort(this.#end.reason);
    }
    return this.#controller.signal;
  }

  /** Cancels; the first reason counts. */
  cancel(reason: unknown): void {
    if (this.#end !== undefined) return;
    this.#end = { reason };
    this.#controller?.abort(reason);
    for (const listener of [...this.#listeners]) listener();
  }

  addEventListener(_: 'abort', listener: () => void): void {
    this.#listeners.add(listener);
  }

  removeEventListener(_: 'abort', listener: () => void): void {
    this.#listeners.delete(listener);
  }
}
