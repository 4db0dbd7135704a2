import type { Headers } from './exchange.ts';
import { WireFailure } from './progress.ts';

/** How the end of a body is found (RFC 9112 6.3). */
export type Framing =
  | { readonly kind: 'length'; readonly bytes: number }
  | { readonly kind: 'chunked' }
  | { readonly kind: 'close' };

/** The head of an answer, its fields as they came, and what it says of the body and the connection. */
export interface AnswerHead {
  readonly status: number;
  readonly statusText: string;
  /** The header lines, each ended by CR LF, in Latin-1. */
  readonly lines: string;
  readonly framing: Framing;
  /** Whether the connection can carry another request after this answer. */
  readonly keepsAlive: boolean;
  /** What Content-Length announced. */
  readonly announcedBytes?: number;
  /** A success (2xx) without a content coding: its body can be read as it is. */
  readonly isPlain: boolean;
}

/** So many heads are remembered: two kinds of answers, and room for a server that has a few of each. */
const places = 4;

const carriageReturn = 0x0d;
const lineFeed = 0x0a;

/** Reads heads of answers, and knows those again that it has just read: to read one takes as long as a JSON body. */
export class AnswerHeads {
  readonly #known: { readonly bytes: Buffer; readonly head: AnswerHead }[] = [];
  #oldest = 0;

  /** The head that `bytes` begin with, and its length, where it is one of the latest. */
  find(bytes: Buffer): { readonly head: AnswerHead; readonly bytes: Buffer } | undefined {
    for (const known of this.#known) {
      const { length } = known.bytes;
      // Most others end elsewhere: that is seen without a call.
      if (bytes[length - 1] !== lineFeed || bytes[length - 4] !== carriageReturn) continue;
      if (bytes.compare(known.bytes, 0, length, 0, length) === 0) return known;
    }
    return undefined;
  }

  /**
   * Reads a whole head, its empty line included.
   * @throws WireFailure for one that is no HTTP/1.1.
   */
  read(bytes: Buffer): AnswerHead {
    const head = parseHead(bytes);
    if (head.status < 200) return head;
    this.#known[this.#oldest] = { bytes: Buffer.from(bytes), head };
    this.#oldest = (this.#oldest + 1) % places;
    return head;
  }
}

/** What undici's parser takes for a status line, which is more than RFC 9112 4: the verdicts are to be alike. */
const statusLine = /^(HTTP\/(?:0\.9|1\.[01]|2\.0)|RTSP\/1\.0) (\d{3})(?: ([^\r\n]*))?$/;

/** Lines as RFC 9112 5 has them, without the folding that it forbids. */
const fieldLines = /^(?:[!#$%&'*+.^_`|~0-9A-Za-z-]+:[\t -~\x80-\xff]*\r\n)*$/;

/**
 * Looks at the fields behind the last chunk, which nobody reads.
 * @throws WireFailure for lines that are none, or that would frame the message (RFC 9110 6.5.1).
 */
export function checkTrailers(lines: string): void {
  const isSound =
    fieldLines.test(lines) &&
    fieldOf(lines, 'content-length') === undefined &&
    fieldOf(lines, 'transfer-encoding') === undefined;
  if (!isSound) throw unreadable('Invalid trailer', Buffer.from(lines));
}

function parseHead(bytes: Buffer): AnswerHead {
  const text = bytes.toString('latin1', 0, bytes.length - 2);
  const end = text.indexOf('\r\n');
  const first = statusLine.exec(text.slice(0, end));
  const lines = text.slice(end + 2);
  if (first === null || !fieldLines.test(lines)) {
    throw unreadable(first === null ? 'Invalid status code' : 'Invalid header', Buffer.from(text));
  }
  const [, version, digits, statusText = ''] = first;
  const status = Number(digits);
  const framing = framingOf(status, lines);
  const connection = fieldOf(lines, 'connection');
  // RFC 9112 9.3: before 1.1 a connection is kept only where both say so.
  const isClosed =
    version !== 'HTTP/1.1' || (connection !== undefined && /\bclose\b/i.test(connection));
  return {
    status,
    statusText,
    lines,
    framing,
    keepsAlive: !isClosed && framing.kind !== 'close',
    announcedBytes: framing.kind === 'length' && !isEmpty(status) ? framing.bytes : undefined,
    isPlain: status >= 200 && status < 300 && fieldOf(lines, 'content-encoding') === undefined,
  };
}

function framingOf(status: number, lines: string): Framing {
  if (isEmpty(status)) return { kind: 'length', bytes: 0 };
  const coding = fieldOf(lines, 'transfer-encoding');
  const [length, ...more] = fieldsOf(lines, 'content-length');
  if (more.length > 0 || (length !== undefined && coding !== undefined)) {
    throw unreadable('A length more than once', Buffer.from(lines)); // RFC 9112 6.3: perhaps smuggled
  }
  if (coding !== undefined) {
    return { kind: /(?:^|,)\s*chunked\s*$/i.test(coding) ? 'chunked' : 'close' };
  }
  return length === undefined ? { kind: 'close' } : { kind: 'length', bytes: readLength(length) };
}

/** Answers that have no body, whatever their head says (RFC 9112 6.3 rule 1). */
function isEmpty(status: number): boolean {
  return status < 200 || status === 204 || status === 304;
}

function readLength(text: string): number {
  if (/^\d{1,20}$/.test(text) && BigInt(text) < 2n ** 64n) return Number(text);
  throw unreadable('Invalid character in Content-Length', Buffer.from(text));
}

/** The value of the first line of that name (in small letters); undefined where there is none. */
function fieldOf(lines: string, name: string): string | undefined {
  return fieldsOf(lines, name)[0];
}

/** The values of the lines of that name (in small letters). */
function fieldsOf(lines: string, name: string): readonly string[] {
  const values: string[] = [];
  for (let at = 0; at < lines.length; ) {
    const end = lines.indexOf('\r\n', at);
    const colon = at + name.length;
    if (lines.charCodeAt(colon) === 0x3a && lines.slice(at, colon).toLowerCase() === name) {
      values.push(lines.slice(colon + 1, end).trim());
    }
    at = end + 2;
  }
  return values;
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

/** What comes is no HTTP/1.1, for this reason. */
export function unreadable(reason: string, bytes: Uint8Array): WireFailure {
  return new WireFailure({ unreadable: reason, firstBytes: Buffer.from(bytes.subarray(0, 64)) });
}
