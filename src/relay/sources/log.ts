import { isJsonObject, type JsonObject, parseJsonText } from '../../protocol/json.ts';
import { counted } from '../../text.ts';
import type { CapturedExchange } from '../capture.ts';
import { continues, type FoundObject, JsonRegions } from './json-regions.ts';
import { type LogBody, logBody, type Place, tagsOfFields, tagsOfPrefix } from './log-body.ts';
import { LogOrder, type Unit } from './log-order.ts';
import { Pairing } from './pairing.ts';

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
  readonly #order = new LogOrder();
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
    const { unsure, unsureSource } = this.#pairing;
    const [unreadable, masked] = [this.#unreadable, this.#masked];
    return [
      unreadable.count > 0 &&
        `${counted(unreadable.count, 'text')} in braces that contain field names of the interface left out, the first in ${unreadable.first}: not JSON, or cut off.`,
      masked.count > 0 &&
        `${counted(masked.count, 'value')} masked or cut by a logger, the first in ${masked.first}: what needs them was not judged (${[...this.#maskedFields].join(', ')}).`,
      unsure > 0 &&
        `${counted(unsure, 'response')} fitted several open requests, the first in ${unsureSource}: what depends on which belongs to which was not judged. Log an id of the request or the thread with both.`,
      this.#order.isBackwards && 'The log is newest first; it was read backwards.',
    ].filter((note) => note !== false);
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
    return [...last, ...this.#pair(this.#order.end()), ...this.#pairing.end()];
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
      return unitsOf(bodies).flatMap((unit) => this.#pair(this.#order.add(unit)));
    });
  }

  #pair(bodies: readonly LogBody[]): CapturedExchange[] {
    return bodies.flatMap((body) => this.#pairing.add(body));
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

/** How many, and where the first is. */
class Places {
  count = 0;
  first = '';

  add(source: string): void {
    this.count += 1;
    this.first ||= source;
  }
}

/** A request and a response that are alone in one object belong together; other bodies are units of their own. */
function unitsOf(bodies: readonly LogBody[]): readonly Unit[] {
  const [request, ...others] = [...bodies].sort(
    (a, b) => Number(a.isResponse) - Number(b.isResponse),
  );
  const [response] = others;
  if (others.length !== 1 || !request || request.isResponse || !response?.isResponse)
    return bodies.map((body) => [body]);
  const tag = `together in ${request.source}`;
  return [[request, response].map((body) => ({ ...body, tags: [...body.tags, tag] }))];
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
