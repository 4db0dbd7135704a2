import { isJsonObject, type JsonObject, parseJsonText } from '../../protocol/json.ts';
import { counted } from '../../text.ts';
import type { CapturedExchange } from '../capture.ts';
import { textOfLine } from './lines.ts';
import {
  type LogBody,
  logBody,
  Pairing,
  type Place,
  Places,
  tagsOfFields,
  tagsOfPrefix,
} from './pairing.ts';

const lineFeed = 0x0a;
const longestLine = 4 * 1024 * 1024;
/** Lines that are left for the next part, as what they begin may go on there. */
const mostKeptLines = 1000;

/**
 * The exchanges of a log, in constant memory. Lines with a field of the interface are read, and those around
 * them that may belong to the same text; all others are only searched for a field.
 * @param note is called with what was left out, as a sentence
 */
export async function* readLog(
  chunks: AsyncIterable<Uint8Array>,
  note: (text: string) => void,
): AsyncGenerator<CapturedExchange> {
  const log = new LogReader();
  const read = readerOf(log);
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of chunks) {
    if (rest.length >= longestLine && !chunk.includes(lineFeed)) continue;
    const joined = Buffer.concat([rest, chunk]);
    const end = endOfPart(joined);
    yield* read(joined.subarray(0, end));
    rest = joined.subarray(end, end + longestLine);
  }
  yield* read(rest);
  yield* log.end();
  for (const text of log.notes) note(text);
}

/** In a line that a container engine split, the two halves of a field's name may be in two lines. */
const splitLine = /std(?:out|err) P |[^n]","stream":"/;

/** Hands the lines of one part after another to `log`, where they matter. */
function readerOf(log: LogReader) {
  const marker = new RegExp(`${logMarker.source}|${splitLine.source}`, 'g');
  let number = 1;
  return function* read(part: Buffer): Generator<CapturedExchange> {
    const text = part.toString('latin1'); // a character a byte
    let marked = -1;
    for (let at = 0; at < part.length; number += 1) {
      if (at > marked && !log.isOpen) {
        marker.lastIndex = at;
        marked = marker.exec(text)?.index ?? part.length;
        const start = marked === part.length ? marked : startOfText(part, marked, at);
        number += countLines(part.subarray(at, start));
        at = start;
        if (at === part.length) return;
      }
      yield* log.line(lineAt(part, at), number);
      at = endOfLine(part, at) + 1;
    }
  };
}

/** The end of the lines that can be read without the next chunk: what comes after it begins anew. */
function endOfPart(bytes: Buffer): number {
  const end = bytes.lastIndexOf(lineFeed) + 1;
  const start = end === 0 ? 0 : startOfText(bytes, end - 1, 0, mostKeptLines);
  return bytes.length - start > longestLine ? end : start;
}

/** The start of the last line up to that of `at` that begins anew, not before `from`, which is the start of a line. */
function startOfText(bytes: Buffer, at: number, from: number, mostLines = Infinity): number {
  let start = startOfLine(bytes, at);
  for (let count = 1; start > from && count < mostLines; count += 1) {
    const before = startOfLine(bytes, start - 1);
    if (beginsAnew(lineAt(bytes, start), lineAt(bytes, before))) break;
    start = before;
  }
  return start;
}

/** The start of the line that contains `at`, its line feed included. */
function startOfLine(bytes: Buffer, at: number): number {
  return at === 0 ? 0 : bytes.lastIndexOf(lineFeed, at - 1) + 1;
}

function endOfLine(bytes: Buffer, start: number): number {
  const end = bytes.indexOf(lineFeed, start);
  return end === -1 ? bytes.length : end;
}

function lineAt(bytes: Buffer, start: number): string {
  return textOfLine({ bytes: bytes.subarray(start, endOfLine(bytes, start)) }).replace(/\r$/, '');
}

function countLines(part: Buffer): number {
  let count = 0;
  for (let at = part.indexOf(lineFeed); at !== -1; at = part.indexOf(lineFeed, at + 1)) count += 1;
  return count;
}

/** Fields by which a line may be about the interface; `code` is in every response. */
export const logMarker =
  /ptn_cd|enc_partner_key|partner_sp|ptn_sp|ptn_token|acs_token|used_type|secret_key|"code\\*"{1,2}\s*:/;

const deepest = 12;

/**
 * The exchanges in the lines of a log. Bodies may follow prefixes, be printed over several
 * lines, or be escaped in JSON of a logger, a container engine or a web server.
 */
export class LogReader {
  readonly #regions = new JsonRegions();
  readonly #pairing = new Pairing();
  readonly #unreadable = new Places();
  readonly #masked = new Places();
  readonly #maskedFields = new Set<string>();
  #partial = '';

  /** Whether the next line may belong to what came before. */
  get isOpen(): boolean {
    return this.#regions.isOpen || this.#partial !== '';
  }

  /** What was left out or not judged, as sentences. */
  get notes(): readonly string[] {
    const [unreadable, masked] = [this.#unreadable, this.#masked];
    const { unsure, isBackwards } = this.#pairing;
    return [
      unreadable.count > 0 &&
        `${counted(unreadable.count, 'text')} in braces that contain field names of the interface left out, the first in ${unreadable.first}: not JSON, or cut off.`,
      masked.count > 0 &&
        `${counted(masked.count, 'value')} masked or cut by a logger, the first in ${masked.first}: what needs them was not judged (${[...this.#maskedFields].join(', ')}).`,
      unsure.count > 0 &&
        `${counted(unsure.count, 'response')} fitted several open requests, the first in ${unsure.first}: what depends on which belongs to which was not judged. Log an id of the request or the thread with both.`,
      isBackwards &&
        'The log is newest first, so responses come before their requests: turn it around, `tac FILE > app.log`.',
    ].filter((note) => note !== false);
  }

  /** Takes the next line; returns the exchanges that are complete with it. */
  line(text: string, number: number): CapturedExchange[] {
    const { content, isPartial } = unwrapped(text);
    if (isPartial) {
      if (this.#partial.length < longestLine) this.#partial += content;
      return [];
    }
    const whole = this.#partial + content;
    this.#partial = '';
    return this.#take(this.#regions.add(whole, number), text);
  }

  /** The end of the log: what is left, requests without a response too. */
  end(): CapturedExchange[] {
    const last = this.#take([...this.#regions.add(this.#partial, 0), ...this.#regions.end()]);
    return [...last, ...this.#pairing.end()];
  }

  #take(found: readonly FoundObject[], written = ''): CapturedExchange[] {
    const marked = found.filter(({ text }) => logMarker.test(text));
    const time = marked.length > 0 ? timeIn(written) : {};
    return marked.flatMap((object) => {
      const place = {
        source: `line ${object.line}`,
        tags: tagsOfPrefix(object.prefix),
        ...time,
      };
      const bodies = object.isCut ? this.#skip(place) : this.#bodiesIn(object.text, place, 0);
      return together(bodies).flatMap((body) => this.#pairing.add(body));
    });
  }

  #skip({ source }: Place): LogBody[] {
    this.#unreadable.add(source);
    return [];
  }

  #bodiesIn(text: string, place: Place, depth: number): LogBody[] {
    const value = parseJsonText(text);
    if (!isJsonObject(value)) {
      // CSV doubles quotes (RFC 4180 2.7)
      const isCsv = text.startsWith('{""');
      return isCsv
        ? this.#bodiesIn(text.replaceAll('""', '"'), place, depth + 1)
        : this.#skip(place);
    }
    if (isBody(value)) return [this.#body(value, text, place)];
    return this.#within(value, place, depth + 1);
  }

  #body(value: JsonObject, text: string, place: Place): LogBody {
    const body = logBody(value, text, place);
    for (const name of body.masked) {
      this.#masked.add(place.source);
      this.#maskedFields.add(name);
    }
    return body;
  }

  #within(value: unknown, place: Place, depth: number): LogBody[] {
    if (depth > deepest) return [];
    if (typeof value === 'string')
      return logMarker.test(value) ? this.#inText(value, place, depth) : [];
    if (typeof value !== 'object' || value === null) return [];
    if (!isJsonObject(value))
      return Object.values(value).flatMap((item) => this.#within(item, place, depth + 1));
    if (isBody(value)) return [this.#body(value, JSON.stringify(value), place)];
    const at = place.at ?? timeOf(value);
    const tags = [...place.tags, ...tagsOfFields(value)];
    const inner = { ...place, tags, ...(at !== undefined && { at }) };
    return Object.values(value).flatMap((item) => this.#within(item, inner, depth + 1));
  }

  #inText(text: string, place: Place, depth: number): LogBody[] {
    const regions = new JsonRegions();
    const lines = text.split('\n');
    const found = [...lines.flatMap((line) => regions.add(line, 0)), ...regions.end()];
    return found.flatMap((object) => {
      const inner = { ...place, tags: [...place.tags, ...tagsOfPrefix(object.prefix)] };
      if (object.isCut) return this.#skip(place);
      return this.#bodiesIn(object.text, inner, depth + 1);
    });
  }
}

/** A request and a response that are alone in one object belong together, whichever is first there. */
function together(bodies: readonly LogBody[]): readonly LogBody[] {
  const [request, ...others] = bodies.toSorted(
    (a, b) => Number(a.isResponse) - Number(b.isResponse),
  );
  if (others.length !== 1 || !request || request.isResponse || !others[0]?.isResponse)
    return bodies;
  const tag = `together in ${request.source}`;
  return [request, ...others].map((body) => ({ ...body, tags: [...body.tags, tag] }));
}

/** Fields of a logger: what has one, and no result, is a message of the log. */
const loggerFields = [
  'level',
  'lvl',
  'loglevel',
  'severity',
  'logger',
  'logger_name',
  'thread',
].concat(['timestamp', '@timestamp', 'time', 'ts']);

/** Whether an object is a request or a response of the interface, and not what a logger put around one. */
function isBody(value: JsonObject): boolean {
  if ('used_type' in value || 'partner_sp' in value || 'public_key' in value) return true;
  if ('secret_key' in value && ('ptn_token' in value || 'acs_token' in value)) return true;
  if (!('code' in value)) return false;
  const { result } = value;
  const names = ['enc_partner_key', 'acs_token', 'ptn_sp'];
  if (isJsonObject(result) && names.some((name) => name in result)) return true;
  if (loggerFields.some((name) => name in value)) return false;
  return 'message' in value && Object.keys(value).length <= 4;
}

/** Whether a line belongs to nothing that `before`, the line before it, may have left open. */
export function beginsAnew(line: string, before: string): boolean {
  const { content, isPartial } = unwrapped(before);
  return !isPartial && content.trim() !== '' && !continues(unwrapped(line).content, content);
}

/** A line without what a container engine put around it: Docker's json-file, Kubernetes' CRI. */
function unwrapped(line: string): { readonly content: string; readonly isPartial: boolean } {
  const cri = /^\d{4}-\d\d-\d\dT\S+ (?:stdout|stderr) ([FP]) /.exec(line);
  if (cri !== null) return { content: line.slice(cri[0].length), isPartial: cri[1] === 'P' };
  const docker = line.startsWith('{"log":"') ? parseJsonText(line) : undefined;
  if (!isJsonObject(docker) || typeof docker.log !== 'string')
    return { content: line, isPartial: false };
  return { content: docker.log.replace(/\r?\n$/, ''), isPartial: !docker.log.endsWith('\n') };
}

/** The time in front of a line, or in Docker's field, in milliseconds since the epoch; UTC where no offset is given. */
function timeIn(line: string): Pick<Place, 'at' | 'isLocalTime'> {
  const found =
    /^\W{0,2}(\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?)(Z|[+-]\d\d:?\d\d)?/.exec(line) ??
    /"time":"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?)(Z)"\}$/.exec(line);
  if (found === null) return {};
  const [, wall = '', offset] = found;
  const at = Date.parse(`${wall.replace(' ', 'T').replace(',', '.')}${offset ?? 'Z'}`);
  if (Number.isNaN(at)) return {};
  return { at, ...(offset === undefined && { isLocalTime: true }) };
}

function timeOf(value: JsonObject): number | undefined {
  const stamp = value['@timestamp'] ?? value.timestamp ?? value.time ?? value.ts;
  const time = typeof stamp === 'string' ? Date.parse(stamp) : stamp;
  return typeof time === 'number' && time > 1e12 && time < 1e14 ? time : undefined;
}

/** A JSON object in a log, as its text, and the line on which it begins. */
export interface FoundObject {
  readonly text: string;
  readonly line: number;
  /** What is in front of it on this line. */
  readonly prefix: string;
  /** Its end is missing: the text is what is left of it without the objects that were closed in it. */
  readonly isCut?: true;
}

/** An object that is longer isn't a body: its inner objects are taken by themselves. */
const longestRegion = 4 * 1024 * 1024;

/** What may be on a further line of a JSON text that is printed over several. */
const continuation = /^\s*(?:["}\]{[]|-?\d[\d.eE+-]*\s*(?:[,\]}]\s*)?$|(?:true|false|null)\b|$)/;

/** Whether a line may belong to an object that is open and whose text so far ends with `before`. */
export function continues(line: string, before: string): boolean {
  if (!continuation.test(line)) return false;
  return !/^\s*\{/.test(line) || /[[{,:]\s*$/.test(before.slice(-64));
}

interface Closed {
  readonly start: number;
  readonly end: number;
}

/**
 * Finds JSON objects in lines of text: behind prefixes, several on a line, one over several lines.
 * Each character is read once, and only the open object is buffered.
 */
export class JsonRegions {
  readonly #found: FoundObject[] = [];
  /** Joined only when objects are given out: a text that grows would be copied with each line. */
  #lines: { readonly offset: number; readonly number: number; readonly text: string }[] = [];
  #length = 0;
  /** The end of the text so far. */
  #tail = '';
  #open: number[] = [];
  #closed: Closed[] = [];

  /** Whether an object has begun and not ended. */
  get isOpen(): boolean {
    return this.#open.length > 0;
  }

  /** Takes the next line; returns the objects that ended with it. */
  add(line: string, number: number): readonly FoundObject[] {
    if (this.#open.length > 0 && !this.#continues(line)) this.#give();
    if (this.#open.length === 0) this.#reset();
    if (this.#open.length > 0 || line.includes('{')) {
      const from = this.#length;
      this.#lines.push({ offset: from, number, text: line });
      this.#length += line.length + 1;
      this.#tail = `${this.#tail}${line.slice(-64)}\n`.slice(-64);
      this.#scan(line, from);
    }
    return this.#found.splice(0);
  }

  /** The end of the text: what was closed within an object that never is. */
  end(): readonly FoundObject[] {
    this.#give();
    this.#reset();
    return this.#found.splice(0);
  }

  #continues(line: string): boolean {
    return this.#length + line.length <= longestRegion && continues(line, this.#tail);
  }

  #scan(text: string, from: number): void {
    let inString = false;
    // outside of an object nothing but the start of one matters
    const start = this.#open.length > 0 ? 0 : text.indexOf('{');
    for (let at = start; at < text.length; at += 1) {
      const unit = text.charCodeAt(at);
      if (inString) {
        if (unit === 0x5c) at += 1;
        else if (unit === 0x22) inString = false;
      } else if (unit === 0x7b) this.#open.push(from + at);
      else if (unit === 0x22) inString = this.#open.length > 0;
      else if (unit === 0x7d) this.#close(from + at + 1);
    }
    if (this.#open.length === 0) this.#give();
  }

  #close(end: number): void {
    const start = this.#open.pop();
    if (start === undefined) return;
    while ((this.#closed.at(-1)?.start ?? -1) > start) this.#closed.pop();
    this.#closed.push({ start, end });
  }

  /** Gives out the outermost objects that are closed, and what is open without them. */
  #give(): void {
    const [open] = this.#open;
    const isAny = this.#closed.length > 0 || open !== undefined;
    const text = isAny ? this.#lines.map((line) => `${line.text}\n`).join('') : '';
    let index = 0;
    for (const { start, end } of this.#closed) {
      while ((this.#lines[index + 1]?.offset ?? Infinity) <= start) index += 1;
      this.#find(text, start, text.slice(start, end), this.#lines[index]);
    }
    if (open !== undefined) {
      const inner = this.#closed.filter(({ start }) => start > open);
      const starts = [...inner.map(({ start }) => start), text.length];
      const parts = starts.map((start, at) => text.slice(inner[at - 1]?.end ?? open, start));
      const line = this.#lines.findLast(({ offset }) => offset <= open);
      this.#find(text, open, parts.join(''), line, { isCut: true });
    }
    this.#open = [];
    this.#closed = [];
  }

  #find(
    whole: string,
    start: number,
    text: string,
    { offset, number } = { offset: 0, number: 1 },
    cut?: { readonly isCut: true },
  ): void {
    this.#found.push({ text, line: number, prefix: whole.slice(offset, start), ...cut });
  }

  #reset(): void {
    this.#lines = [];
    this.#length = 0;
    this.#tail = '';
    this.#closed = [];
  }
}
