/**
 * The wish that a run ends, at most once and with a reason. It becomes an AbortSignal for those that
 * need one; most runs end without, and a signal that is listened to takes a millisecond of their start.
 */
export class Stop {
  #end: { readonly reason: unknown } | undefined;
  #controller: AbortController | undefined;
  readonly #listeners: ((reason: unknown) => void)[] = [];

  /** Aborted when the run is to end, its reason the same. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#end !== undefined) this.#controller.abort(this.#end.reason);
    }
    return this.#controller.signal;
  }

  get isAsked(): boolean {
    return this.#end !== undefined;
  }

  /** Asks the run to end; the first reason counts. */
  ask(reason: unknown): void {
    if (this.#end !== undefined) return;
    this.#end = { reason };
    this.#controller?.abort(reason);
    for (const listener of this.#listeners) listener(reason);
  }

  /** Calls `listener` with the reason when the run is to end, or at once where it was asked before. */
  readonly onStop = (listener: (reason: unknown) => void): void => {
    if (this.#end === undefined) this.#listeners.push(listener);
    else listener(this.#end.reason);
  };
}
