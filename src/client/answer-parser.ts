import { type AnswerHead, type AnswerHeads, checkTrailers, unreadable } from './answer-head.ts';
import { WireFailure } from './progress.ts';
import { maxFramingFactor, maxHeadBytes, maxOverheadBytes } from './route.ts';

const headEnd = Buffer.from('\r\n\r\n');
const lineEnd = Buffer.from('\r\n');
const nothing = Buffer.allocUnsafeSlow(0);

/**
 * Reads one answer of HTTP/1.1 (RFC 9112) from the bytes of a connection: the plain half of what a
 * client has to know, for a load that would spend a third of its time in a general one. The bytes
 * may stand in memory that the next read overwrites: what is kept of an unfinished answer is a copy,
 * and the body of one that came in one piece has to be used before the next read.
 */
export class AnswerParser {
  head: AnswerHead | undefined;
  /** The body so far, transfer coding removed, at most `limit` bytes of it. */
  body: Buffer = nothing;
  /** The body went on past the limit: the answer counts as read, the connection is of no more use. */
  tooLarge = false;
  /** Whether the connection can carry another request after this answer. */
  keepsAlive = true;
  readonly #limit: number;
  readonly #heads: AnswerHeads;
  #rest: Buffer = nothing;
  #received = 0;
  #room: Buffer = nothing;

  constructor(limit: number, heads: AnswerHeads) {
    this.#limit = limit;
    this.#heads = heads;
  }

  /** What Content-Length announced. */
  get announcedBytes(): number | undefined {
    return this.head?.announcedBytes;
  }

  /**
   * Takes the next bytes; whether the answer is complete with them.
   * @throws WireFailure for bytes that are no HTTP/1.1, and for an answer that goes on without
   *   becoming longer.
   */
  feed(chunk: Buffer): boolean {
    this.#received += chunk.length;
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    this.#rest = nothing;
    const isComplete = this.head === undefined ? this.#readHead(bytes) : this.#readBody(bytes);
    if (isComplete) return true;
    // A chunk may be as long as the limit before it counts as body.
    const room = maxOverheadBytes + this.#limit + this.body.length * maxFramingFactor;
    if (this.#received > room) throw new WireFailure({ isEndless: true });
    this.#keepFrom(chunk);
    return false;
  }

  /** The connection was closed; whether that completes the answer (RFC 9112 6.3 rule 8). */
  end(): boolean {
    this.keepsAlive = false;
    return this.head !== undefined && this.head.framing.kind === 'close';
  }

  /** Copies what is still wanted out of memory that will be read into again. */
  #keepFrom(chunk: Buffer): void {
    if (this.#rest.buffer === chunk.buffer) this.#rest = Buffer.from(this.#rest);
    if (this.body.buffer === chunk.buffer) this.body = Buffer.from(this.body);
  }

  #readHead(received: Buffer): boolean {
    const known = this.#heads.find(received);
    if (known !== undefined) return this.#begin(known.head, received.subarray(known.bytes.length));
    const bytes = withoutEmptyLines(received);
    refuseOtherProtocols(bytes);
    const end = bytes.indexOf(headEnd);
    if (end > maxHeadBytes || (end < 0 && bytes.length > maxHeadBytes)) throw headTooLarge();
    if (end < 0) {
      refuseBareLineFeed(bytes);
      return this.#wait(bytes);
    }
    const head = this.#heads.read(bytes.subarray(0, end + headEnd.length));
    const rest = bytes.subarray(end + headEnd.length);
    return head.status < 200 ? this.#skipInformational(head, rest) : this.#begin(head, rest);
  }

  /** RFC 9110 15.2: the answer is still to come; neither to go on nor an upgrade was asked for. */
  #skipInformational({ status }: AnswerHead, rest: Buffer): boolean {
    if (status === 100 || status === 101) throw unreadable(`an unexpected ${status}`, rest);
    return rest.length === 0 ? false : this.#readHead(rest);
  }

  #begin(head: AnswerHead, rest: Buffer): boolean {
    this.head = head;
    this.keepsAlive = head.keepsAlive;
    return this.#readBody(rest);
  }

  #readBody(bytes: Buffer): boolean {
    const framing = this.head?.framing ?? { kind: 'close' };
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
      const arrived = Math.min(size, bytes.length - end - 2);
      if (this.body.length + arrived > this.#limit) return this.#stop(bytes.subarray(end + 2));
      if (bytes.length < next) return this.#wait(bytes);
      if (bytes.toString('latin1', next - 2, next) !== '\r\n')
        throw unreadable('Expected LF after chunk data', bytes);
      if (!this.#append(bytes.subarray(end + 2, next - 2))) return true;
      bytes = bytes.subarray(next);
    }
  }

  #readTrailers(bytes: Buffer, endOfSize: number): boolean {
    const end = bytes.indexOf(headEnd, endOfSize); // at once where there are none
    const length = (end < 0 ? bytes.length : end) - endOfSize;
    if (length > maxHeadBytes) throw headTooLarge();
    if (end < 0) return this.#wait(bytes);
    if (length > 0) checkTrailers(bytes.toString('latin1', endOfSize + 2, end + 2));
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
    this.body = this.body.length === 0 ? bytes : this.#grown(bytes);
    return true;
  }

  /** Room is made by doubling it: a body of a million small chunks would be copied as often. */
  #grown(bytes: Buffer): Buffer {
    const { body } = this;
    const length = body.length + bytes.length;
    if (body.buffer !== this.#room.buffer || length > this.#room.length) {
      this.#room = Buffer.allocUnsafeSlow(2 * length);
      body.copy(this.#room);
    }
    bytes.copy(this.#room, body.length);
    return this.#room.subarray(0, length);
  }

  #stop(bytes: Buffer): boolean {
    this.body = Buffer.concat([this.body, bytes]).subarray(0, this.#limit);
    this.tooLarge = true;
    this.keepsAlive = false;
    return true;
  }
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
  const start = bytes.toString('latin1', 0, seen);
  if (!['HTTP/', 'RTSP/'].some((name) => name.startsWith(start)))
    throw unreadable('Expected HTTP/', bytes);
}

/** Lines that end without CR never end a head: that is told at once, too. */
function refuseBareLineFeed(bytes: Buffer): void {
  if (/(?:^|[^\r])\n/.test(bytes.toString('latin1'))) {
    throw unreadable('Missing expected CR before LF', bytes);
  }
}

function headTooLarge(): WireFailure {
  return new WireFailure({ errorCode: 'UND_ERR_HEADERS_OVERFLOW', errorText: 'Headers Overflow' });
}

function readChunkSize(line: string, bytes: Buffer): number {
  const [, digits] = /^([0-9a-f]{1,8})[ \t]*(?:;.*)?$/i.exec(line) ?? [];
  if (digits === undefined) throw unreadable('Invalid character in chunk size', bytes);
  return Number.parseInt(digits, 16);
}
