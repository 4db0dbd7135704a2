import { isJsonObject, type JsonObject, parseJsonText } from '../../protocol/json.ts';
import { type CapturedExchange, jsonOf, subjectOf } from '../capture.ts';
import { continues, type FoundObject, JsonRegions } from './json-regions.ts';

/** Fields by which a line may be about the interface; `code` is in every response. */
export const logMarker =
  /ptn_cd|enc_partner_key|partner_sp|ptn_sp|ptn_token|acs_token|used_type|secret_key|"code\\*"\s*:/;

/** A body of the interface that was found, and when and where. */
interface FoundBody {
  readonly text: string;
  readonly source: string;
  readonly at?: number;
}

/** Waiting for their responses; more are given out without. */
const mostWaiting = 500;
const deepest = 6;
/** A response that comes later isn't one to that request. */
const longestWaitMs = 60_000;

/**
 * The exchanges in the lines of a log. Bodies may follow prefixes, be printed over several
 * lines, or be escaped in JSON of a logger, a container engine or a web server. Requests and responses
 * are paired by their operation, in their order.
 */
export class LogReader {
  readonly #regions = new JsonRegions();
  readonly #waiting: { readonly body: FoundBody; readonly exchange: CapturedExchange }[] = [];
  #partial = '';
  /** Texts with fields of the interface that are not JSON. */
  unreadable = 0;

  /** Whether the next line may belong to what came before. */
  get isOpen(): boolean {
    return this.#regions.isOpen || this.#partial !== '';
  }

  /** Takes the next line; returns the exchanges that are complete with it. */
  line(text: string, number: number): CapturedExchange[] {
    const { content, isPartial } = unwrapped(text);
    if (isPartial) {
      this.#partial = (this.#partial + content).slice(0, 1 << 22);
      return [];
    }
    const whole = this.#partial + content;
    this.#partial = '';
    return this.#take(this.#regions.add(whole, number), text);
  }

  /** The end of the log: what is left, requests without a response too. */
  end(): CapturedExchange[] {
    const last = this.#take([...this.#regions.add(this.#partial, 0), ...this.#regions.end()]);
    return [...last, ...this.#waiting.splice(0).map(({ exchange }) => exchange)];
  }

  #take(found: readonly FoundObject[], written = ''): CapturedExchange[] {
    const marked = found.filter(({ text }) => logMarker.test(text));
    const at = marked.length > 0 ? timeIn(written) : undefined;
    return marked
      .flatMap(({ text, line }) => this.#bodiesIn(text, { source: `line ${line}`, at }, 0))
      .flatMap((body) => this.#exchange(body));
  }

  #bodiesIn(text: string, place: Omit<FoundBody, 'text'>, depth: number): FoundBody[] {
    const value = parseJsonText(text);
    if (!isJsonObject(value)) {
      this.unreadable += 1;
      return [];
    }
    if (isBody(value)) return [{ text, ...place }];
    const at = place.at ?? timeOf(value);
    return this.#within(value, { ...place, ...(at !== undefined && { at }) }, depth + 1);
  }

  #within(value: unknown, place: Omit<FoundBody, 'text'>, depth: number): FoundBody[] {
    if (depth > deepest) return [];
    if (typeof value === 'string')
      return logMarker.test(value) ? this.#inText(value, place, depth) : [];
    if (typeof value !== 'object' || value === null) return [];
    if (isJsonObject(value) && isBody(value)) return [{ text: JSON.stringify(value), ...place }];
    return Object.values(value).flatMap((item) => this.#within(item, place, depth + 1));
  }

  #inText(text: string, place: Omit<FoundBody, 'text'>, depth: number): FoundBody[] {
    const regions = new JsonRegions();
    const lines = text.split('\n');
    const found = [...lines.flatMap((line) => regions.add(line, 0)), ...regions.end()];
    return found.flatMap((object) => this.#bodiesIn(object.text, place, depth + 1));
  }

  #exchange(body: FoundBody): CapturedExchange[] {
    const message = { body: Buffer.from(body.text) };
    const started = body.at === undefined ? {} : { startedAt: body.at };
    if ('code' in jsonOf(message)) return this.#respond(body);
    // a body that a proxy and the application both log
    if (this.#waiting.some((other) => other.body.text === body.text)) return [];
    const exchange = { source: body.source, ...subjectOf(message), ...started, request: message };
    this.#waiting.push({ body, exchange });
    return this.#waiting.length > mostWaiting
      ? this.#waiting.splice(0, 1).map((oldest) => oldest.exchange)
      : [];
  }

  /** A response belongs to the oldest request of its operation; a bare one to the latest registration or refusal. */
  #respond({ text, source, at }: FoundBody): CapturedExchange[] {
    const response = { body: Buffer.from(text) };
    const { operation, ptnCd } = subjectOf(undefined, response);
    const bare = operation === 'other';
    const find = (wanted?: CapturedExchange['operation']) =>
      this.#waiting.findIndex(
        ({ exchange: { operation: sent, startedAt = at } }) =>
          (wanted === undefined || sent === wanted) &&
          (at ?? 0) - (startedAt ?? 0) <= longestWaitMs,
      );
    const registration = bare ? find('registration') : -1;
    const index = registration === -1 ? find(bare ? undefined : operation) : registration;
    const [waiting] = index === -1 ? [] : this.#waiting.splice(index, 1);
    if (waiting === undefined) {
      return bare ? [] : [{ source, operation, ...(ptnCd !== undefined && { ptnCd }), response }];
    }
    const { exchange } = waiting;
    const { startedAt } = exchange;
    const durationMs = at !== undefined && startedAt !== undefined ? at - startedAt : -1;
    return [
      {
        ...exchange,
        ...subjectOf(exchange.request, response),
        ...(durationMs >= 0 && { durationMs }),
        response,
      },
    ];
  }
}

/** Whether an object is a request or a response of the interface, and not what a logger put around one. */
function isBody(value: JsonObject): boolean {
  if ('used_type' in value || 'partner_sp' in value || 'public_key' in value) return true;
  if ('secret_key' in value && ('ptn_token' in value || 'acs_token' in value)) return true;
  if (!('code' in value)) return false;
  const { result } = value;
  const names = ['enc_partner_key', 'acs_token', 'ptn_sp'];
  if (isJsonObject(result) && names.some((name) => name in result)) return true;
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
function timeIn(line: string): number | undefined {
  const found =
    /^\W{0,2}(\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?)(Z|[+-]\d\d:?\d\d)?/.exec(line) ??
    /"time":"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?)(Z)"\}$/.exec(line);
  if (found === null) return undefined;
  const time = Date.parse(`${found[1]?.replace(' ', 'T').replace(',', '.')}${found[2] ?? 'Z'}`);
  return Number.isNaN(time) ? undefined : time;
}

function timeOf(value: JsonObject): number | undefined {
  const stamp = value['@timestamp'] ?? value.timestamp ?? value.time ?? value.ts;
  const time = typeof stamp === 'string' ? Date.parse(stamp) : stamp;
  return typeof time === 'number' && time > 1e12 && time < 1e14 ? time : undefined;
}
