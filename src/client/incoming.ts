import type { Dispatcher } from 'undici';
import type { Headers } from './exchange.ts';
import { type Progress, toWireFailure, type WireFailure } from './progress.ts';

/** The head of an answer. */
export interface AnswerHead {
  readonly status: number;
  readonly statusText: string;
  readonly headers: Headers;
}

/**
 * Collects one answer from undici, at most `limit` bytes of body. It is there before the answer
 * and stays when it fails, so that what had arrived can be told.
 */
export class Incoming implements Dispatcher.DispatchHandler {
  head: AnswerHead | undefined;
  bodyBytes = 0;
  /** The body went on past the limit; reading was stopped. */
  tooLarge = false;
  /** Reading was stopped before the end of what the peer sends: the connection is of no more use. */
  stopped = false;
  readonly done: Promise<void>;
  readonly #chunks: Uint8Array[] = [];
  readonly #limit: number;
  readonly #progress: Progress;
  #resolve: () => void = () => {};
  #reject: (failure: WireFailure) => void = () => {};

  constructor(limit: number, progress: Progress) {
    this.#limit = limit;
    this.#progress = progress;
    this.done = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  /** The body as it was received, as far as it was. */
  get body(): Uint8Array {
    const [only] = this.#chunks;
    return this.#chunks.length === 1 && only ? only : Buffer.concat(this.#chunks, this.bodyBytes);
  }

  /** The number that Content-Length announces, where it is one. */
  get announcedBytes(): number | undefined {
    const value = this.head?.headers.find(([name]) => name.toLowerCase() === 'content-length')?.[1];
    return value !== undefined && /^\d+$/.test(value) ? Number(value) : undefined;
  }

  /** Gives the answer up, for a reason of our own. */
  fail(reason: unknown): void {
    this.#reject(toWireFailure(reason));
  }

  onRequestStart(): void {
    this.#progress.step('first-byte');
  }

  /** The first byte of the status line; the head may be long in coming after it. */
  onResponseStarted(): void {
    if (this.#progress.answered) return; // an informational answer came before
    this.#progress.answered = true;
    this.#progress.end('firstByteMs');
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    _headers: unknown,
    statusText = '',
  ): void {
    if (status < 200) return; // RFC 9110 15.2: informational, the answer is still to come
    this.#progress.phase = 'body';
    this.head = { status, statusText, headers: readHeaders(controller.rawHeaders) };
    const announced = this.announcedBytes ?? 0;
    // RFC 9112 6.3: these have no body, whatever length they state; undici waits for one.
    if ((status === 204 || status === 304) && announced > 0) this.#stop(controller);
    else if (announced > this.#limit) this.#refuse(controller);
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Uint8Array): void {
    const room = this.#limit - this.bodyBytes;
    const kept = chunk.length > room ? chunk.subarray(0, room) : chunk;
    this.#chunks.push(kept);
    this.bodyBytes += kept.length;
    if (chunk.length > room) this.#refuse(controller);
  }

  onResponseEnd(): void {
    this.#resolve();
  }

  onResponseError(_controller: unknown, error: Error): void {
    this.fail(error);
  }

  #refuse(controller: Dispatcher.DispatchController): void {
    this.tooLarge = true;
    this.#stop(controller);
  }

  #stop(controller: Dispatcher.DispatchController): void {
    this.stopped = true;
    this.#resolve();
    controller.abort(new Error('No more of the answer is read.'));
  }
}

/** undici gives names and values by turns; a byte of a header is a character of Latin-1. */
function readHeaders(raw: Dispatcher.DispatchController['rawHeaders']): Headers {
  if (!Array.isArray(raw)) return [];
  const texts = raw.map((part) => (typeof part === 'string' ? part : part.toString('latin1')));
  return Array.from({ length: texts.length / 2 }, (_, index) => [
    texts[2 * index] ?? '',
    texts[2 * index + 1] ?? '',
  ]);
}
