import { headerOf } from '../../client/exchange.ts';
import { isJsonObject, type JsonObject } from '../../protocol/json.ts';
import { counted, excerptOf } from '../../text.ts';
import { type CapturedExchange, type CapturedMessage, jsonOf } from '../capture.ts';
import { type Lesson, type Lessons, Places } from './lesson.ts';

type Operation = Exclude<CapturedExchange['operation'], 'other'>;

/** The fields of section 4. */
const requestFields: Readonly<Record<Operation, readonly string[]>> = {
  'key-exchange': ['client_id', 'used_type', 'ptn_cd', 'public_key'],
  registration: ['client_id', 'used_type', 'ptn_cd', 'partner_sp', 'ubifill'],
  token: ['client_id', 'secret_key', 'ptn_token'],
  authenticate: ['client_id', 'secret_key', 'acs_token'],
};
const responseFields = ['code', 'message', 'result'];
const resultFields: Readonly<Record<Operation, readonly string[]>> = {
  'key-exchange': ['enc_partner_key'],
  registration: [],
  token: ['acs_token', 'expire_dt', 'ptn_cd'],
  authenticate: ['ptn_sp'],
};

/** Headers of any HTTP message, which say nothing about this service or application. */
const usualHeaders = new Set([
  ...['accept', 'accept-encoding', 'connection', 'content-length', 'content-type', 'date', 'host'],
  ...['keep-alive', 'server', 'transfer-encoding', 'user-agent', 'vary', 'expect'],
]);

/** More different values of one kind are counted as others. */
const mostValues = 50;
/** Of a longer value the beginning is kept. */
const longestValue = 500;

/** Values in the order in which they were seen, each with its places. */
class Seen {
  readonly #values = new Map<string, Places>();

  add(whole: string, source: string): void {
    const value = excerptOf(whole, longestValue);
    const places = this.#values.get(value) ?? new Places();
    if (this.#values.size < mostValues) this.#values.set(value, places);
    places.add(source);
  }

  lesson(setting: string): readonly Lesson[] {
    const entries = [...this.#values];
    if (entries.length === 0) return [];
    const evidence = entries.map(
      ([value, places]) =>
        `${entries.length > 1 ? `${value}: ` : ''}${counted(places.count, 'time')}, ${places}`,
    );
    const value = entries.map(([each]) => each).join('; ');
    return [
      {
        setting,
        value,
        confidence: 'certain',
        evidence: `${evidence.join('; ')}.`,
        isOfWire: true,
      },
    ];
  }
}

/** What the messages look like on the wire: codes and messages, fields and headers beyond the usual ones. */
export class WireLessons implements Lessons {
  readonly #seen = new Map<string, Seen>();

  observe(exchange: CapturedExchange): void {
    const { operation, request, response, source } = exchange;
    if (operation === 'other') return;
    const see = (what: string, value: string) =>
      this.#of(`${what} of ${operation}`).add(value, source);
    const received = jsonOf(response);
    if (received.code !== undefined) see('codes', codeAndMessage(received));
    if (response?.status !== undefined) see('HTTP status', String(response.status));
    const result = isJsonObject(received.result) ? received.result : {};
    const extra = [
      ...others(jsonOf(request), requestFields[operation], 'request'),
      ...others(received, responseFields, 'response'),
      ...others(result, resultFields[operation], 'response.result'),
    ];
    for (const field of extra) see('extra fields', field);
    seeHeaders(request, 'request', see);
    seeHeaders(response, 'response', see);
  }

  read(): readonly Lesson[] {
    return [...this.#seen]
      .toSorted(([left], [right]) => (left < right ? -1 : 1))
      .flatMap(([setting, seen]) => seen.lesson(setting));
  }

  #of(setting: string): Seen {
    const seen = this.#seen.get(setting) ?? new Seen();
    this.#seen.set(setting, seen);
    return seen;
  }
}

/** `"0000"`, or `"9001" (no such user)`; a code that is not a string as JSON writes it. */
function codeAndMessage({ code, message }: JsonObject): string {
  const text = typeof message === 'string' && message !== '' ? ` (${message})` : '';
  return `${JSON.stringify(code)}${text}`;
}

function others(fields: JsonObject, known: readonly string[], where: string): readonly string[] {
  return Object.keys(fields)
    .filter((name) => !known.includes(name))
    .map((name) => `${where}.${name}`);
}

function seeHeaders(
  message: CapturedMessage | undefined,
  side: 'request' | 'response',
  see: (what: string, value: string) => void,
): void {
  const { headers } = message ?? {};
  if (headers === undefined) return;
  see(`content type in the ${side}`, headerOf(headers, 'content-type') ?? 'none');
  for (const [name] of headers) {
    if (!usualHeaders.has(name.toLowerCase())) see(`headers in the ${side}`, name);
  }
}
