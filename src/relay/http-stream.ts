import type { Headers } from '../client/exchange.ts';
import { headerOf } from '../client/exchange.ts';
import { hasControls } from '../text.ts';

/** The start line and the headers of a message, as Latin-1. */
export interface MessageHead {
  readonly startLine: string;
  readonly headers: Headers;
}

/**
 * A piece of a connection's bytes in one direction; every byte that came is in `bytes` of exactly one.
 * - `part`: of a head that isn't complete yet
 * - `head`: start line and headers; `bytes` without the parts that came before
 * - `body`: of a body; `data` is what it carries without its transfer coding
 * - `end`: the message is complete; `bytes` are the end of its transfer coding, trailers included
 * - `opaque`: not HTTP/1.1, or no longer: everything from here on
 */
export type Piece =
  | { readonly kind: 'part'; readonly bytes: Buffer }
  | { readonly kind: 'head'; readonly bytes: Buffer; readonly head: MessageHead }
  | { readonly kind: 'body'; readonly bytes: Buffer; readonly data: Buffer }
  | { readonly kind: 'end'; readonly bytes: Buffer }
  | { readonly kind: 'opaque'; readonly bytes: Buffer };

/** How the end of a body is found (RFC 9112 6.3). */
export type Framing =
  | { readonly kind: 'none' }
  | { readonly kind: 'length'; readonly length: number }
  | { readonly kind: 'chunked' }
  | { readonly kind: 'until-close' }
  | { readonly kind: 'opaque' };

type State =
  | 'head'
  | 'body'
  | 'until-close'
  | 'size'
  | 'chunk'
  | 'chunk-end'
  | 'trailers'
  | 'opaque';

const none = Buffer.alloc(0);
/** Of a head or a line of a chunk; what is longer is forwarded without being read. */
const maxLineBytes = 65_536;

/**
 * Splits the bytes of one direction of a connection into messages without changing one of them: what it
 * can't read is `opaque`. It doesn't judge: servers and clients on both sides do.
 */
export class HttpStream {
  readonly #framingOf: (head: MessageHead) => Framing;
  readonly #givesParts: () => boolean;
  #held: Buffer = none;
  /** How many of the buffered bytes were given as parts. */
  #given = 0;
  #state: State = 'head';
  /** Bytes of the body, or of its chunk, that are still to come. */
  #left = 0;

  /**
   * @param framingOf how the body behind a head is framed: a response depends on its request
   * @param givesParts whether what comes of a head is given before the head is complete
   */
  constructor(framingOf: (head: MessageHead) => Framing, givesParts: () => boolean) {
    this.#framingOf = framingOf;
    this.#givesParts = givesParts;
  }

  /** The pieces that are complete with `chunk`. */
  *push(chunk: Buffer): Generator<Piece> {
    let bytes: Buffer = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    this.#held = none;
    while (bytes.length > 0) {
      const taken = yield* this.#step(bytes);
      if (taken === 0) {
        this.#held = bytes;
        return;
      }
      bytes = bytes.subarray(taken);
    }
  }

  /** The pieces that the end of the connection completes. */
  *finish(): Generator<Piece> {
    const held = this.#held;
    this.#held = none;
    if (held.length > 0) yield* this.#giveUp(held);
    if (this.#state === 'until-close') yield { kind: 'end', bytes: none };
    this.#state = 'opaque';
  }

  /** Everything from here on is something else, as behind an upgrade. */
  abandon(): void {
    this.#state = 'opaque';
  }

  *#step(bytes: Buffer): Generator<Piece, number> {
    const state = this.#state;
    if (state === 'head') return yield* this.#head(bytes);
    if (state === 'body' || state === 'chunk') return yield* this.#data(bytes);
    if (state === 'opaque' || state === 'until-close') {
      yield state === 'opaque' ? { kind: 'opaque', bytes } : { kind: 'body', bytes, data: bytes };
      return bytes.length;
    }
    return yield* this.#line(bytes);
  }

  *#head(bytes: Buffer): Generator<Piece, number> {
    const length = headLength(bytes);
    if (length === undefined) return yield* this.#part(bytes);
    const own = bytes.subarray(0, length);
    const head = parseHead(own);
    if (head === undefined) return yield* this.#giveUp(bytes);
    const framing = this.#framingOf(head);
    yield { kind: 'head', bytes: own.subarray(this.#given), head };
    this.#given = 0;
    if (this.#state === 'opaque') return length; // abandoned at this head
    yield* this.#begin(framing);
    return length;
  }

  *#part(bytes: Buffer): Generator<Piece, number> {
    if (bytes.length > maxLineBytes || !mayBeHead(bytes)) return yield* this.#giveUp(bytes);
    const news = bytes.subarray(this.#given);
    if (!this.#givesParts() || news.length === 0) return 0;
    this.#given = bytes.length;
    yield { kind: 'part', bytes: news };
    return 0;
  }

  *#begin(framing: Framing): Generator<Piece> {
    this.#left = framing.kind === 'length' ? framing.length : 0;
    if (framing.kind === 'until-close' || framing.kind === 'opaque') this.#state = framing.kind;
    else if (framing.kind === 'chunked') this.#state = 'size';
    else if (this.#left > 0) this.#state = 'body';
    else yield { kind: 'end', bytes: none };
  }

  *#data(bytes: Buffer): Generator<Piece, number> {
    const data = bytes.subarray(0, this.#left);
    this.#left -= data.length;
    yield { kind: 'body', bytes: data, data };
    if (this.#left > 0) return data.length;
    if (this.#state === 'body') {
      this.#state = 'head';
      yield { kind: 'end', bytes: none };
    } else this.#state = 'chunk-end';
    return data.length;
  }

  /** A line of the chunked coding (RFC 9112 7.1). */
  *#line(bytes: Buffer): Generator<Piece, number> {
    const length = bytes.indexOf(0x0a) + 1;
    if (length === 0) return bytes.length > maxLineBytes ? yield* this.#giveUp(bytes) : 0;
    const own = bytes.subarray(0, length);
    const text = own.toString('latin1').replace(/\r?\n$/, '');
    if (this.#state === 'trailers' && text === '') {
      this.#state = 'head';
      yield { kind: 'end', bytes: own };
      return length;
    }
    if (this.#state === 'size') {
      const size = /^[0-9a-fA-F]{1,12}(?=[ \t]*(?:;|$))/.exec(text)?.[0];
      if (size === undefined) return yield* this.#giveUp(bytes);
      this.#left = Number.parseInt(size, 16);
      this.#state = this.#left === 0 ? 'trailers' : 'chunk';
    } else if (this.#state === 'chunk-end') {
      if (text !== '') return yield* this.#giveUp(bytes);
      this.#state = 'size';
    }
    yield { kind: 'body', bytes: own, data: none };
    return length;
  }

  *#giveUp(bytes: Buffer): Generator<Piece, number> {
    this.#state = 'opaque';
    yield { kind: 'opaque', bytes: bytes.subarray(this.#given) };
    this.#given = 0;
    return bytes.length;
  }
}

/** The length of start line and headers with the empty line; empty lines before it count too (RFC 9112 2.2). */
function headLength(bytes: Buffer): number | undefined {
  let start = 0;
  while (bytes[start] === 0x0d || bytes[start] === 0x0a) start += 1;
  for (let end = bytes.indexOf(0x0a, start); end >= 0; end = bytes.indexOf(0x0a, end + 1)) {
    const next = bytes[end + 1] === 0x0d ? end + 2 : end + 1;
    if (bytes[next] === 0x0a) return next + 1;
  }
  return undefined;
}

const isStartLine = /^HTTP\/1\.\d \d{3}(?: |$)| HTTP\/1\.\d$/;

/** Whether a message of HTTP/1 can begin so: a TLS hello, for one, can't. */
function mayBeHead(bytes: Buffer): boolean {
  const text = bytes.toString('latin1').replace(/^[\r\n]+/, '');
  const [startLine = '', ...others] = text.split(/\r?\n/, 2);
  if (others.length > 0) return isStartLine.test(startLine);
  // a token and what follows it, without control characters (RFC 9112 2.1)
  const isToken = /^[\w!#$%&'*+.^`|~/-]*(?: |\r?$)/.test(startLine);
  return isToken && !hasControls(startLine.replace(/\r$/, ''));
}

/** Undefined for what doesn't begin as a message of HTTP/1 does. */
function parseHead(bytes: Buffer): MessageHead | undefined {
  const [startLine = '', ...lines] = bytes
    .toString('latin1')
    .replace(/^[\r\n]+/, '')
    .split(/\r?\n/);
  if (!isStartLine.test(startLine)) return undefined;
  const headers = lines.flatMap((line): Headers => {
    const [, name, value] = /^([^:\s]+):[ \t]*(.*?)[ \t]*$/.exec(line) ?? [];
    return name === undefined ? [] : [[name, value ?? '']];
  });
  return { startLine, headers };
}

/** Of a request (RFC 9112 6.3). */
export function requestFraming({ headers }: MessageHead): Framing {
  return statedFraming(headers) ?? { kind: 'none' };
}

/** Of a response to a request of that method (RFC 9112 6.3). */
export function responseFraming({ headers }: MessageHead, status: number, method = ''): Framing {
  if (status === 101 || (method === 'CONNECT' && status < 300)) return { kind: 'opaque' };
  if (status < 200 || status === 204 || status === 304 || method === 'HEAD')
    return { kind: 'none' };
  return statedFraming(headers) ?? { kind: 'until-close' };
}

function statedFraming(headers: Headers): Framing | undefined {
  const coding = headerOf(headers, 'transfer-encoding');
  if (coding !== undefined) {
    return /(?:^|,)[ \t]*chunked$/i.test(coding) ? { kind: 'chunked' } : undefined;
  }
  const length = headerOf(headers, 'content-length');
  return length !== undefined && /^\d{1,15}$/.test(length)
    ? { kind: 'length', length: Number(length) }
    : undefined;
}
