import { isJsonObject, type JsonObject, parseJsonText } from '../../protocol/json.ts';
import { foreignError } from '../../protocol/response.ts';
import { counted } from '../../text.ts';
import type { CapturedExchange } from '../capture.ts';
import { textOfLine } from './lines.ts';
import {
  continues,
  fieldNamed,
  NotationReader,
  type Passage,
  requestFields,
  resultFields,
  unescaped,
  type Values,
  type Written,
} from './notation.ts';
import {
  type LogBody,
  type LoggedStatus,
  logBody,
  Pairing,
  type Place,
  Places,
  tagField,
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
  const bodies = new RegExp(`${logMarker.source}|${splitLine.source}`, 'g');
  const others = [loggedStatus, loggedError, aPage, javaObject, goStruct];
  const all = new RegExp([bodies, ...others].map(({ source }) => source).join('|'), 'g');
  let number = 1;
  return function* read(part: Buffer): Generator<CapturedExchange> {
    const text = part.toString('latin1'); // a character a byte
    let marked = -1;
    for (let at = 0; at < part.length; number += 1) {
      if (at > marked && !log.isOpen) {
        const marker = log.isWaiting || !log.hasBodies ? all : bodies;
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
  /[pP]tn_?(?:[cC][dD]|[sS][pP]|[tT]oken)|[pP]artner_?(?:[sS]p|SP|[kK]ey)|[aA]cs_?[tT]oken|[uU]sed_?[tT]ype|[sS]ecret_?[kK]ey|(?:\b|x22)[cC]ode(?:\\*["'\]]|\\+x22|&quot;){0,4}\s*(?:[:=]|,\s*["'])|<code>\w|\[Object\]/;

/** What Java prints of an object without a toString() of its own. */
const javaObject = /@[\da-f]{5,8}\b/;
/** What Go's %v prints of a struct with a public key: values without names. */
const goStruct = /\{[^{}"=:]{1,300} MI[IG][A-Za-z\d+/]{60}/;

/** A status as access logs, frameworks and loggers write it. */
const loggedStatus =
  /HTTP\/[\d.]+"? [1-5]\d\d\b|\b(?:POST|PUT) \S{1,200} [1-5]\d\d\b|[sS]tatus(?:_?[cC]ode)?\\*["']?\s*(?:[:=]|=>)\s*["']?[1-5]\d\d\b|\b(?:Completed|responded) [1-5]\d\d\b|\bRequest finished .{1,300} - [1-5]\d\d\b|\| +[1-5]\d\d +\|/;

const namedError =
  /[a-z](?:Exception|Error)\b|\bTraceback \(|\bpanic(?:ked)?[: ]|Fatal error|(?:\b\w{1,80}\.){2,12}[A-Z]\w{1,80}: /;

/** The first line of an error. */
const loggedError = new RegExp(
  `${namedError.source}|\\b(?:ERROR|FATAL|CRITICAL|SEVERE)\\b|[lL]evel["']?[:=]\\s*["']?(?:error|fatal|ERROR|50|60)\\b`,
);

/** The lines after it: frames, causes, and the exception that Python names last. */
const errorGoesOn =
  /^(?:\s|$|Caused by|During handling|The above exception|#\d|\[?[sS]tack ?trace|goroutine \d|Traceback|[\w.$\\]{1,200}(?:Error|Exception|Warning)\b|(?:[\w$]{1,80}\.){1,12}[A-Z]\w{1,80}(?:: |$)|[\w./*()]{1,200}\([^)]*\)$)/;
const mostOfError = 16 * 1024;

/** The beginning of an HTML page. */
const aPage = /(?:<|\\u003[cC])(?:!(?:DOCTYPE|doctype) )?html\b/;
const mostOfPage = 64 * 1024;
/** The beginning of an object in a text. */
const anObject = /^\{\s*\\*(?:"|x22)/;

/** The path of a request: in its line, or in a field of a logger. */
const postedTo = /\bPOST "?([^\s"?]+)|\b(?:url|path|uri)["']?\s*[:=]\s*["']?(\/[^\s"',?]*)/;

const otherMethod = /\b(?:GET|HEAD|OPTIONS|DELETE)\b(?:"|'|\s)/;

function statusIn(text: string): LoggedStatus | undefined {
  const [found] = loggedStatus.exec(text) ?? [];
  const [status] = found === undefined ? [] : (/[1-5]\d\d(?=\D*$)/.exec(found) ?? []);
  if (status === undefined || otherMethod.test(text)) return undefined;
  return { status: Number(status), path: pathIn(text) };
}

function pathIn(text: string): string | undefined {
  const [, inLine, inField] = postedTo.exec(text) ?? [];
  return inLine ?? inField;
}

const deepest = 12;

/** The exchanges in the lines of a log, in whatever notation the bodies are. */
export class LogReader {
  readonly #reader = new NotationReader();
  readonly #pairing = new Pairing();
  readonly #cut = new Places();
  readonly #tooDeep = new Places();
  readonly #bodiless = new Places();
  readonly #javaObjects = new Places();
  readonly #goStructs = new Places();
  readonly #statuses = new Places();
  #failedStatuses = 0;
  readonly #masked = new Places();
  readonly #maskedFields = new Set<string>();
  #partial: Pick<Content, 'text' | 'prefix'> | undefined;
  /** The latest time in a line, and that line. */
  #time: Time = {};
  #timedLine = 0;
  #bodies = 0;
  /** The request that was found last in a passage: an error after it is about it. */
  #latest: LogBody | undefined;
  /** An error whose lines go on. */
  #error: { text: string; readonly place: Place } | undefined;

  /** Whether the next line may belong to what came before. */
  get isOpen(): boolean {
    return this.#reader.isOpen || this.#partial !== undefined || this.#error !== undefined;
  }

  get hasBodies(): boolean {
    return this.#bodies > 0;
  }

  /** Whether a request has no response so far: statuses and errors may be about it. */
  get isWaiting(): boolean {
    return this.#pairing.isWaiting;
  }

  /** What was left out or not judged, as sentences. */
  get notes(): readonly string[] {
    const { unsure, isBackwards } = this.#pairing;
    const said = ({ count, first }: Places, [one, more]: readonly string[], rest: string) =>
      count > 0 && `${count} ${count === 1 ? one : more}, the first in ${first}: ${rest}`;
    const hidden = [...this.#maskedFields].join(', ');
    const masked = ['value masked', 'values masked'].map((each) => `${each} or cut by a logger`);
    const bodiless = ['line', 'lines'].map((each) => `${each} with names of the interface`);
    return [
      said(this.#cut, ['body', 'bodies'], 'the end is missing, and what needs it was not judged.'),
      said(
        this.#tooDeep,
        ['object', 'objects'],
        'a placeholder such as [Object] is in place of what it contains; log JSON.stringify(body), or the like.',
      ),
      said(this.#masked, masked, `what needs them was not judged (${hidden}).`),
      unsure.count > 0 &&
        `${counted(unsure.count, 'response')} fitted several open requests, the first in ${unsure.first}: what depends on which belongs to which was not judged. Log an id of the request or the thread with both.`,
      this.#bodies === 0 &&
        said(
          this.#bodiless,
          bodiless,
          'no body is in them; log each as JSON, whole and on one line.',
        ),
      this.#bodies === 0 &&
        said(
          this.#javaObjects,
          ['Java object', 'Java objects'],
          'written as Name@hash, without what it contains; give the class a toString() (a record, @ToString), or log its JSON.',
        ),
      this.#bodies === 0 &&
        said(
          this.#goStructs,
          ['Go struct', 'Go structs'],
          'written by %v, without names; write %+v, or log its JSON.',
        ),
      this.#bodies === 0 &&
        said(
          this.#statuses,
          ['POST with its status alone', 'POSTs with their statuses alone'],
          `${this.#failedStatuses} failed with 4xx or 5xx; log the bodies of requests and responses too.`,
        ),
      isBackwards &&
        'The log is newest first, so responses come before their requests: turn it around, `tac FILE > app.log`.',
    ].filter((note) => note !== false);
  }

  /** Takes the next line; returns the exchanges that are complete with it. */
  line(written: string, number: number): CapturedExchange[] {
    const content = contentOf(written);
    const text = `${this.#partial?.text ?? ''}${content.text}`;
    const prefix = this.#partial?.prefix ?? content.prefix;
    this.#partial = content.isPartial ? { text: text.slice(0, longestLine), prefix } : undefined;
    if (content.isPartial) return [];
    const time = this.#timeOf(content, number);
    if (this.#error !== undefined && this.#goesOn(text)) return [];
    return this.#take(this.#reader.add(text, { number, prefix, time }));
  }

  /** Whether the line belongs to the error before it. */
  #goesOn(text: string): boolean {
    if (this.#error === undefined) return false;
    if (errorGoesOn.test(text) && this.#error.text.length < mostOfError) {
      this.#error.text += `${text}\n`;
      return true;
    }
    this.#pairing.error(this.#error.text, this.#error.place);
    this.#error = undefined;
    return false;
  }

  /** The time of a line, or else of the one shortly before it. */
  #timeOf({ text, prefix, time }: Content, number: number): Time {
    const { isOpen } = this.#reader;
    const own = time.at === undefined ? timeIn(prefix + (isOpen ? '' : text.slice(0, 300))) : time;
    if (own.at !== undefined) [this.#time, this.#timedLine] = [own, number];
    else if (!isOpen && number - this.#timedLine > 2) this.#time = {};
    return this.#time;
  }

  /** The end of the log: what is left, requests without a response too. */
  end(): CapturedExchange[] {
    const left = this.#partial ? this.#reader.add(this.#partial.text) : [];
    const taken = [...this.#take(left), ...this.#take(this.#reader.end())];
    if (this.#error !== undefined) this.#pairing.error(this.#error.text, this.#error.place);
    return [...taken, ...this.#pairing.end()];
  }

  #take(passages: readonly Passage[]): CapturedExchange[] {
    return passages.flatMap((passage) => {
      const isMarked = logMarker.test(passage.text);
      if (!this.hasBodies) this.#countUnreadable(passage);
      this.#latest = undefined;
      const isRead = isMarked || this.isWaiting;
      const nowhere: Place = { source: '', tags: [], path: pathIn(passage.text) };
      const found = isRead ? this.#bodiesIn(passage, passage.root, nowhere, 0) : [];
      const bodies = isRead ? withPage(withLine(found, passage), passage) : found;
      if (isMarked && bodies.length === 0) this.#bodiless.add(`line ${passage.number}`);
      const [only, ...others] = bodies;
      const isAlone = others.length === 0 && only?.isResponse === false;
      if (isAlone) {
        const { status } = statusIn(passage.text) ?? {};
        return this.#pairing.add(status === undefined ? only : { status, ...only });
      }
      if (bodies.length === 0) this.#readAside(passage);
      return together(bodies).flatMap((body) => this.#pairing.add(body));
    });
  }

  /** What there is in place of bodies, for a log without any. */
  #countUnreadable({ text, number }: Passage): void {
    if (javaObject.test(text)) this.#javaObjects.add(`line ${number}`);
    if (goStruct.test(text)) this.#goStructs.add(`line ${number}`);
    const { status, path } = statusIn(text) ?? {};
    if (path === undefined || status === undefined) return;
    this.#statuses.add(`line ${number}`);
    if (status >= 400) this.#failedStatuses += 1;
  }

  /** What a line without a body says about the requests that wait. */
  #readAside(passage: Passage): void {
    if (!this.isWaiting) return;
    const text = unescaped(passage.text);
    const place = placeOf(passage, text);
    const status = statusIn(text);
    if (status !== undefined) this.#pairing.status(status, place);
    const lines = passage.linesWithin(passage.root, namedError);
    if (loggedError.test(text)) this.#error = { text: lines ?? text, place };
  }

  #bodiesIn(passage: Passage, written: Written, outer: Place, depth: number): LogBody[] {
    if (depth > deepest) return [];
    const { number, prefix, before, time } = passage.contextOf(written);
    const values = passage.valuesOf(written);
    const source = number > 0 ? `line ${number}` : outer.source;
    const around = passage.textsOf(values, isContextName);
    const tags = [...outer.tags, ...tagsOfFields(around)];
    const isForeign = isForeignError(values);
    const own = isForeign ? undefined : timeOf(around);
    const { at, isLocalTime } = own ?? (outer.at === undefined ? time : outer);
    const named = instanceNames.map((name) => around[name]).find((each) => each !== undefined);
    const instance = named === undefined ? (outer.instance ?? instanceIn(prefix)) : `${named}`;
    const place = { source, tags, instance, at, isLocalTime, path: outer.path };
    const tagged = () => ({ ...place, tags: [...tags, ...tagsOfPrefix(before)] });
    if (isForeign || isBody(values, passage, written.closer === '')) {
      const body = this.#bodyIn(passage, written, values, tagged());
      if (body !== undefined) return [body];
    }
    return written.entries.flatMap(({ value }) => {
      if (value === undefined) return [];
      if ('entries' in value) return this.#bodiesIn(passage, value, place, depth + 1);
      const text =
        passage.textWithin(value, written, logMarker) ??
        passage.textWithin(value, written, anObject);
      if (text !== undefined) return this.#bodiesInText(text, tagged(), depth + 1);
      const error = value.isQuoted ? passage.textWithin(value, written, namedError) : undefined;
      if (error !== undefined && this.#latest) this.#latest.beside += `${error}\n`;
      return [];
    });
  }

  #bodiesInText(text: string, place: Place, depth: number): LogBody[] {
    const reader = new NotationReader();
    const passages = [...text.split('\n').flatMap((line) => reader.add(line)), ...reader.end()];
    return passages.flatMap((inner) => this.#bodiesIn(inner, inner.root, place, depth));
  }

  #bodyIn(passage: Passage, written: Written, values: Values, place: Place): LogBody | undefined {
    const isLine = written.closer === '';
    const { fields, sent, isCut } = passage.bodyOf(written);
    const isForeign = isForeignError(values);
    const own = isForeign ? foreignBody(fields) : isLine ? lineBody(fields) : fields;
    if (own === undefined) return undefined;
    const isLoggers = !isLine && loggerFields.some((name) => values.has(name));
    const isResponse = isForeign || 'code' in own;
    const isWhole =
      isResponse || ('client_id' in own && !isLoggers) || (sent !== undefined && !isLoggers);
    const isPartial = isCut || !isWhole;
    const body = logBody(own, place, isPartial, sent, isResponse);
    this.#bodies += 1;
    this.#latest = body.isResponse ? undefined : body;
    if (isCut) this.#cut.add(place.source);
    if (body.masked.includes('result')) this.#tooDeep.add(place.source);
    for (const name of body.masked) {
      if (name === 'result') continue;
      this.#masked.add(place.source);
      this.#maskedFields.add(name);
    }
    return body;
  }
}

/** Where a passage is from, with the ids that are in it: in fields of a logger, or in the beginning of `text`. */
function placeOf(passage: Passage, text: string): Place {
  const { prefix, before, time } = passage.contextOf(passage.root);
  const objects = passage.root.entries.flatMap(({ value }) =>
    value && 'entries' in value ? value : [],
  );
  const fields = [passage.root, ...objects].map((each) =>
    passage.textsOf(passage.valuesOf(each), isContextName),
  );
  const known = fields.map(timeOf).find((each) => each !== undefined) ?? time;
  const tags = [...fields.flatMap(tagsOfFields), ...tagsOfPrefix(`${before}${text.slice(0, 300)}`)];
  return { source: `line ${passage.number}`, tags, instance: instanceIn(prefix), ...known };
}

/** Secrets in the query of a URL; a request of them alone where the line has no body. */
function withLine(bodies: readonly LogBody[], passage: Passage): readonly LogBody[] {
  if (!inQuery.test(passage.text)) return bodies;
  const [, method, target = ''] = requestLine.exec(unescaped(passage.text)) ?? [];
  if (!inQuery.test(target)) return bodies;
  const line = { method, target };
  if (bodies.some(({ isResponse }) => !isResponse))
    return bodies.map((body) => (body.isResponse ? body : { ...body, line }));
  const place = placeOf(passage, '');
  const query = new URLSearchParams(target.slice(target.indexOf('?')));
  const pairs = [...query].map(([name, value]) => [fieldNamed(name), value] as const);
  return [{ ...logBody(Object.fromEntries(pairs), place, true), line }, ...bodies];
}

/** A page of HTML in place of a response. */
function withPage(bodies: readonly LogBody[], passage: Passage): readonly LogBody[] {
  const at = passage.text.search(aPage);
  const isOther = at === -1 || otherMethod.test(passage.text.slice(0, at));
  if (isOther || bodies.some(({ isResponse }) => isResponse)) return bodies;
  const place = placeOf(passage, passage.text.slice(0, at));
  const page = unescaped(unescaped(passage.text.slice(at, at + mostOfPage)));
  return [...bodies, logBody({}, place, false, Buffer.from(page), true)];
}

const inQuery = /(?:[?&]|u0026)(?:secret_?key|ptn_?token|acs_?token)=/i;
const requestLine = /(?:\b([A-Z]{3,7}) )?(\/[^\s"'?]{0,300}\?[^\s"']{1,2000})/;

/** A request and a response that are alone in one place belong together, whichever is first there. */
function together(bodies: readonly LogBody[]): readonly LogBody[] {
  const request = bodies.find(({ isResponse }) => !isResponse);
  const response = bodies.find(({ isResponse }) => isResponse);
  if (bodies.length !== 2 || !request || !response) return bodies;
  const tag = `together in ${request.source}`;
  return [request, response].map((body) => ({ ...body, tags: [...body.tags, tag] }));
}

/** Fields of a logger: what has one, and no result, is a message of the log. */
const loggerFields = [
  ...['level', 'lvl', 'loglevel', 'severity', 'logger', 'logger_name', 'thread'],
  ...['timestamp', '@timestamp', 'time', 'ts'],
];

/** Whether it is an error that a framework writes by itself, and not a line of a logger. */
function isForeignError(values: Values): boolean {
  const isOther = notForeign.some((name) => values.has(name));
  return values.size > 1 && !isOther && foreignError(Object.fromEntries(values)) !== undefined;
}

/** Fields of loggers and access logs, and of the interface. */
const notForeign = [
  ...['level', 'lvl', 'severity', 'logger', 'method', 'latency', 'user_agent', 'duration'],
  ...['used_type', 'ptn_cd', 'code'],
];

/** In a notation without types a status is a text, as it isn't in what frameworks send; undefined for a success. */
function foreignBody(fields: JsonObject): JsonObject | undefined {
  const name = 'status' in fields ? 'status' : 'statusCode';
  const status = Number(fields[name]);
  if (status < 400) return undefined;
  return Number.isNaN(status) ? fields : { ...fields, [name]: status };
}

/** Whether an object is a request or a response of the interface, and not what a logger put around one. */
function isBody(values: Values, passage: Passage, isLine: boolean): boolean {
  const has = (name: string) => values.has(name);
  const isOfUser = has('ptn_cd') || has('client_id');
  if (has('used_type') || (isOfUser && (has('partner_sp') || has('public_key')))) return true;
  if (has('secret_key') && (has('ptn_token') || has('acs_token'))) return true;
  if (!has('code')) return false;
  const result = values.get('result');
  const inner = result && 'entries' in result ? [...passage.valuesOf(result).keys()] : [];
  if (resultFields.some((name) => inner.includes(name) || has(name))) return true;
  if (isLine) return true;
  return has('message') && values.size <= 4 && !loggerFields.some(has);
}

/** The body in the pairs of a line: a form, a query, logfmt, attributes; undefined for what only mentions fields. */
function lineBody(all: JsonObject): JsonObject | undefined {
  const isValue = (name: string) => typeof all[name] === 'string' && /^[^\s]+$/.test(all[name]);
  const isCallback = ['used_type', 'ptn_cd'].every(isValue);
  const isSignIn = isValue('secret_key') && (isValue('ptn_token') || isValue('acs_token'));
  const pick = (names: readonly string[]) =>
    Object.fromEntries(names.flatMap((name) => (name in all ? [[name, all[name]]] : [])));
  if ((isCallback && (isValue('public_key') || isValue('partner_sp'))) || isSignIn)
    return pick(requestFields);
  const result = pick([...resultFields, 'ptn_cd']);
  const isResponse = all.code === '0000' || resultFields.some(isValue);
  if (!isResponse || !isValue('code')) return undefined;
  const { code, message = '' } = all;
  return { code, message, ...(resultFields.some((name) => name in result) && { result }) };
}

/** Whether a line belongs to nothing that `before`, the line before it, may have left open. */
function beginsAnew(line: string, before: string): boolean {
  const { text, isPartial } = contentOf(before);
  return !isPartial && text.trim() !== '' && !continues(contentOf(line).text, text);
}

type Time = Pick<Place, 'at' | 'isLocalTime'>;

interface Content {
  readonly text: string;
  /** What an engine or a collector put in front. */
  readonly prefix: string;
  /** The line goes on in the next one. */
  readonly isPartial: boolean;
  readonly time: Time;
}

/** In front of every line: Kubernetes' CRI, kubectl, Compose and pm2, syslog and journalctl, Heroku and rsyslog. */
const prefixes =
  /^(?:\d{4}-\d\d-\d\dT\S+ (?:stdout|stderr) ([FP]) |\[pod\/\S+\] |(?:\d+\|)?[\w.-]{1,60} +\| |[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \S+ [\w./@-]+(?:\[\d+\])?: |\d{4}-\d\d-\d\dT\S+ \S+ [\w./@-]+(?:\[[\w.]+\])?: |\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d+Z (?! ?[A-Z]{4,5} ))/;

/** A line without what a container engine or a collector put around it. */
function contentOf(line: string): Content {
  const whole = { text: line, prefix: '', isPartial: false, time: {} };
  const found = prefixes.exec(line);
  if (found !== null) {
    const [prefix, kind] = found;
    return { ...whole, text: line.slice(prefix.length), prefix, isPartial: kind === 'P' };
  }
  if (!/^\s*\{.*"(?:log|MESSAGE)"\s*:\s*"/.test(line)) return whole;
  const envelope = parseJsonText(line);
  if (!isJsonObject(envelope)) return whole;
  const {
    log,
    stream,
    time,
    kubernetes,
    MESSAGE: message,
    __REALTIME_TIMESTAMP: micros,
  } = envelope;
  if (typeof log === 'string' && (stream !== undefined || kubernetes !== undefined)) {
    const isPartial = kubernetes === undefined && !log.endsWith('\n');
    return { ...whole, text: log.replace(/\r?\n$/, ''), isPartial, time: timeOf({ time }) ?? {} };
  }
  if (typeof message !== 'string' || micros === undefined) return whole;
  return { ...whole, text: message, time: { at: Number(micros) / 1000 } };
}

/** The time in front of a line in milliseconds since the epoch; UTC where no offset is given. */
function timeIn(line: string): Time {
  const iso =
    /(\d{4})[-/](\d\d)[-/](\d\d)[T ](\d\d:\d\d:\d\d(?:[.,]\d{1,9})?) ?(Z|[+-]\d\d:?\d\d)?/.exec(
      line,
    );
  const named = iso
    ? null
    : /(\d\d)\/([A-Z][a-z]{2})\/(\d{4})[: ](\d\d:\d\d:\d\d) ?([+-]\d{4})?/.exec(line);
  const [, first, month, last, clock, offset] = iso ?? named ?? [];
  if (clock === undefined) return {};
  const day = iso ? `${first}-${month}-${last}` : `${first} ${month} ${last}`;
  const zone = iso ? (offset ?? 'Z') : ` ${offset ?? 'GMT'}`;
  const at = Date.parse(`${day}${iso ? 'T' : ' '}${clock.replace(',', '.')}${zone}`);
  if (Number.isNaN(at)) return {};
  return { at, ...(offset === undefined && { isLocalTime: true }) };
}

const timeNames = ['@timestamp', 'timestamp', 'time', 'ts'];
const instanceNames = ['hostname', 'host', 'pod', 'pod_name', 'instance'];

function isContextName(name: string): boolean {
  return tagField.test(name) || timeNames.includes(name) || instanceNames.includes(name);
}

/** The container, pod or host that Compose, kubectl or syslog put in front. */
function instanceIn(prefix: string): string | undefined {
  const [, pod, container, host] =
    /^(?:\[pod\/([\w.-]+)|([\w.-]{1,60}) +\| |[A-Z][a-z]{2} [ \d]\d [\d:]{8} ([\w.-]+) )/.exec(
      prefix,
    ) ?? [];
  return pod ?? container ?? host;
}

/** The time that a logger or an engine gives in a field of its own, as a text or in milliseconds. */
function timeOf(fields: JsonObject): Time | undefined {
  const stamp = timeNames.map((name) => fields[name]).find((value) => value !== undefined);
  if (typeof stamp === 'string' && !/^\d+$/.test(stamp)) {
    const time = timeIn(stamp);
    return time.at === undefined ? undefined : time;
  }
  const at = Number(stamp);
  return at > 1e12 && at < 1e14 ? { at } : undefined;
}
