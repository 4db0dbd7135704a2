import type { Headers } from './exchange.ts';
import { WireFailure } from './progress.ts';
import { maxHeadBytes } from './route.ts';

/** How the end of a body is found (RFC 9112 6.3). */
type Framing =
  | { readonly kind: 'length'; readonly bytes: number }
  | { readonly kind: 'chunked' }
  | { readonly kind: 'close' };

/** The head of an answer, its fields as they came. */
export interface AnswerHead {
  readonly status: number;
  readonly statusText: string;
  /** The header lines, each ended by CR LF, in Latin-1. */
  readonly lines: string;
}

const headEnd = Buffer.from('\r\n\r\n');
const lineEnd = Buffer.from('\r\n');
const nothing = Buffer.alloc(0);

/**
 * Reads one answer of HTTP/1.1 (RFC 9112) from the bytes of a connection: the plain half of what a
 * client has to know, for a load that would spend a third of its time in a general one.
 */
export class AnswerParser {
  head: AnswerHead | undefined;
  /** The body so far, transfer coding removed, at most `limit` bytes of it. */
  body: Buffer = nothing;
  /** The body went on past the limit: the answer counts as read, the connection is of no more use. */
  tooLarge = false;
  /** Whether the connection can carry another request after this answer. */
  keepsAlive = true;
  /** What Content-Length announced. */
  announcedBytes: number | undefined;
  readonly #limit: number;
  #framing: Framing = { kind: 'close' };
  #rest: Buffer = nothing;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /**
   * Takes the next bytes; whether the answer is complete with them.
   * @throws WireFailure for bytes that are no HTTP/1.1.
   */
  feed(chunk: Buffer): boolean {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    this.#rest = nothing;
    if (this.head === undefined) return this.#readHead(bytes);
    return this.#readBody(bytes);
  }

  /** The connection was closed; whether that completes the answer (RFC 9112 6.3 rule 8). */
  end(): boolean {
    this.keepsAlive = false;
    return this.head !== undefined && this.#framing.kind === 'close';
  }

  #readHead(received: Buffer): boolean {
    const bytes = withoutEmptyLines(received);
    refuseOtherProtocols(bytes);
    const end = bytes.indexOf(headEnd);
    if (end > maxHeadBytes || (end < 0 && bytes.length > maxHeadBytes)) {
      throw new WireFailure({
        errorCode: 'UND_ERR_HEADERS_OVERFLOW',
        errorText: 'Headers Overflow',
      });
    }
    if (end < 0) {
      this.#rest = bytes;
      return false;
    }
    const head = parseHead(bytes.toString('latin1', 0, end + 2));
    // RFC 9112 9.3: before 1.1 a connection is kept only where both say so.
    if (bytes[7] === 0x30) this.keepsAlive = false;
    const rest = bytes.subarray(end + headEnd.length);
    if (head.status < 200) return this.#skipInformational(head, rest);
    this.head = head;
    this.#framing = this.#framingOf(head);
    return this.#readBody(rest);
  }

  /** RFC 9110 15.2: the answer is still to come; an upgrade was never asked for. */
  #skipInformational({ status }: AnswerHead, rest: Buffer): boolean {
    if (status === 101) throw unreadable('an upgrade that was not asked for', rest);
    return rest.length === 0 ? false : this.#readHead(rest);
  }

  #framingOf({ status, lines }: AnswerHead): Framing {
    const length = fieldOf(lines, 'content-length');
    const coding = fieldOf(lines, 'transfer-encoding');
    const connection = fieldOf(lines, 'connection');
    if (connection !== undefined && /\bclose\b/i.test(connection)) this.keepsAlive = false;
    if (status === 204 || status === 304) return { kind: 'length', bytes: 0 };
    if (coding !== undefined) {
      return /(?:^|,)\s*chunked\s*$/i.test(coding) ? { kind: 'chunked' } : this.#untilClose();
    }
    if (length === undefined) return this.#untilClose();
    this.announcedBytes = readLength(length);
    return { kind: 'length', bytes: this.announcedBytes };
  }

  #untilClose(): Framing {
    this.keepsAlive = false;
    return { kind: 'close' };
  }

  #readBody(bytes: Buffer): boolean {
    const framing = this.#framing;
    if (framing.kind === 'chunked') return this.#readChunks(bytes);
    const wanted = framing.kind === 'close' ? Number.POSITIVE_INFINITY : framing.bytes;
    if (wanted !== Number.POSITIVE_INFINITY && wanted > this.#limit) return this.#stop(bytes);
    const missing = wanted - this.body.length;
    if (bytes.length > missing) this.keepsAlive = false; // nobody asked for more
    const added = this.#append(bytes.length > missing ? bytes.subarray(0, missing) : bytes);
    return !added || this.body.length === wanted;
  }

  /** RFC 9112 7.1: size in hexadecimal, data, and after the last one trailers, which nobody reads. */
  #readChunks(from: Buffer): boolean {
    let bytes = from;
    for (;;) {
      const end = bytes.indexOf(lineEnd);
      if (end < 0) return this.#wait(bytes);
      const size = readChunkSize(bytes.toString('latin1', 0, end), bytes);
      if (size === 0) return this.#readTrailers(bytes, end);
      const next = end + 2 + size + 2;
      if (size > this.#limit) return this.#stop(bytes.subarray(end + 2));
      if (bytes.length < next) return this.#wait(bytes);
      if (bytes.toString('latin1', next - 2, next) !== '\r\n')
        throw unreadable('Expected LF after chunk data', bytes);
      if (!this.#append(bytes.subarray(end + 2, next - 2))) return true;
      bytes = bytes.subarray(next);
    }
  }

  #readTrailers(bytes: Buffer, endOfSize: number): boolean {
    const end = bytes.indexOf(headEnd, endOfSize); // at once where there are none
    if (end < 0) return this.#wait(bytes);
    if (bytes.length > end + headEnd.length) this.keepsAlive = false;
    return true;
  }

  #wait(bytes: Buffer): boolean {
    this.#rest = bytes;
    return false;
  }

  /** False as soon as the limit is passed. */
  #append(bytes: Buffer): boolean {
    if (this.body.length + bytes.length > this.#limit) return !this.#stop(bytes);
    // What a socket hands over may be used again for the next read.
    this.body = this.body.length === 0 ? bytes : Buffer.concat([this.body, bytes]);
    return true;
  }

  #stop(bytes: Buffer): boolean {
    this.body = Buffer.concat([this.body, bytes]).subarray(0, this.#limit);
    this.tooLarge = true;
    this.keepsAlive = false;
    return true;
  }
}

/** The value of the first line of that name (in small letters); undefined where there is none. */
export function fieldOf(lines: string, name: string): string | undefined {
  let at = 0;
  while (at < lines.length) {
    const end = lines.indexOf('\r\n', at);
    const colon = at + name.length;
    if (lines.charCodeAt(colon) === 0x3a && lines.slice(at, colon).toLowerCase() === name) {
      return lines.slice(colon + 1, end).trim();
    }
    at = end + 2;
  }
  return undefined;
}

/** The lines as pairs. */
export function readFields(lines: string): Headers {
  return lines
    .split('\r\n')
    .filter((line) => line !== '')
    .map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon), line.slice(colon + 1).trim()];
    });
}

function parseHead(text: string): AnswerHead {
  const end = text.indexOf('\r\n');
  const first = /^HTTP\/1\.[01] (\d{3})(?: ([\t -~\x80-\xff]*))?$/.exec(text.slice(0, end));
  const lines = text.slice(end + 2);
  if (first === null || !/^(?:[!#$%&'*+.^_`|~0-9A-Za-z-]+:[\t -~\x80-\xff]*\r\n)*$/.test(lines)) {
    throw unreadable(first === null ? 'Invalid status code' : 'Invalid header', Buffer.from(text));
  }
  return { status: Number(first[1]), statusText: first[2] ?? '', lines };
}

/** Line ends in front of an answer say nothing (RFC 9112 2.2 has it so of requests). */
function withoutEmptyLines(bytes: Buffer): Buffer {
  let at = 0;
  while (bytes[at] === 0x0d || bytes[at] === 0x0a) at += 1;
  return at === 0 ? bytes : bytes.subarray(at);
}

/** What doesn't begin like HTTP is refused with its first bytes, not when time is over. */
function refuseOtherProtocols(bytes: Buffer): void {
  const seen = Math.min(bytes.length, 5);
  if (bytes.toString('latin1', 0, seen) !== 'HTTP/'.slice(0, seen))
    throw unreadable('Expected HTTP/', bytes);
}

function readLength(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw unreadable('Invalid character in Content-Length', Buffer.from(text));
}

function readChunkSize(line: string, bytes: Buffer): number {
  const [, digits] = /^([0-9a-f]{1,8})[ \t]*(?:;.*)?$/i.exec(line) ?? [];
  if (digits === undefined) throw unreadable('Invalid character in chunk size', bytes);
  return Number.parseInt(digits, 16);
}

function unreadable(reason: string, bytes: Uint8Array): WireFailure {
  return new WireFailure({ unreadable: reason, firstBytes: bytes.subarray(0, 64) });
}
