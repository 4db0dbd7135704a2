import { headerOf } from '../../client/exchange.ts';
import { publicKeyIn } from '../../crypto/key-reading.ts';
import { recogniseKey } from '../../crypto/key-text.ts';
import { keepingLatest, Recent } from '../../latest-results.ts';
import { isJsonObject, type JsonObject } from '../../protocol/json.ts';
import { operations } from '../../protocol/operations.ts';
import { counted, excerptOf } from '../../text.ts';
import { type CapturedExchange, isCallback, jsonOf } from '../capture.ts';
import { type Lesson, type Lessons, Places } from './lesson.ts';

const responseFields = ['code', 'message', 'result'];

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

  lesson(setting: string, before: string): Lesson {
    const entries = [...this.#values];
    const evidence = entries.map(
      ([value, places]) =>
        `${entries.length > 1 ? `${value}: ` : ''}${counted(places.count, 'time')}, ${places}`,
    );
    return {
      setting,
      value: entries.map(([each]) => each).join('; '),
      confidence: 'certain',
      evidence: `${before}${evidence.join('; ')}.`,
      isOfWire: true,
    };
  }
}

/** What the messages look like on the wire: keys, codes and messages, fields and headers beyond the usual ones. */
export class WireLessons implements Lessons {
  readonly #seen = new Map<string, Seen>();
  /** Of `public_key`; beyond some they aren't distinguished. */
  readonly #keys = new Set<string>();

  observe({ operation, request, response, source }: CapturedExchange): void {
    if (operation === 'other') return;
    const see = (setting: string, value: string) => {
      const seen = this.#seen.get(setting) ?? new Seen();
      this.#seen.set(setting, seen);
      seen.add(value, source);
    };
    const [sent, received] = [jsonOf(request), jsonOf(response)];
    const { public_key: key } = sent;
    if (operation === 'key-exchange' && typeof key === 'string') {
      see('public_key', formOf(key));
      if (this.#keys.size < mostRemembered) this.#keys.add(excerptOf(key, longestKey));
    }
    if (received.code !== undefined) see(`codes of ${operation}`, codeAndMessage(received));
    if (response?.status !== undefined) see(`HTTP status of ${operation}`, String(response.status));
    const { requestFields, resultFields } = operations[operation];
    for (const [where, fields, known] of [
      ['request', sent, requestFields],
      ['response', received, responseFields],
      ['response.result', received.result, resultFields],
    ] as const) {
      const names = isJsonObject(fields) ? Object.keys(fields) : [];
      for (const name of names)
        if (!known.includes(name)) see(`extra fields of ${operation}`, `${where}.${name}`);
    }
    for (const [side, { headers } = {}] of Object.entries({ request, response })) {
      if (headers === undefined) continue;
      see(
        `content type in the ${side} of ${operation}`,
        headerOf(headers, 'content-type') ?? 'none',
      );
      for (const [name] of headers)
        if (!usualHeaders.has(name.toLowerCase()))
          see(`headers in the ${side} of ${operation}`, name);
    }
  }

  read(): readonly Lesson[] {
    const seen = [...this.#seen].toSorted(([left], [right]) => (left < right ? -1 : 1));
    const keys = `${counted(this.#keys.size, 'key')}: `;
    return seen.map(([setting, each]) =>
      each.lesson(setting, setting === 'public_key' ? keys : ''),
    );
  }
}

/** More characters than the PEM text of a key of 8,192 bits has. */
const longestKey = 4096;

const encodings: Readonly<Record<string, string>> = {
  base64: 'Base64',
  pem: 'PEM',
  base64url: 'Base64url',
  hex: 'hexadecimal',
  jwk: 'JWK',
};

/** Size and form of a `public_key` (2.2). */
const formOf = keepingLatest(4, (text: string) => {
  const key = publicKeyIn(text)?.key;
  if (key === undefined) return 'unreadable';
  const { encoding = '' } = recogniseKey(text);
  const lines = /[\r\n]/.test(text) && encoding !== 'pem' ? ' with line breaks' : '';
  const { modulusBits, publicExponent } = key;
  return `RSA ${modulusBits} bits, exponent ${publicExponent}, ${encodings[encoding] ?? encoding}${lines}`;
});

/** `"0000"`, or `"9001" (no such user)`; a code that is not a string as JSON writes it. */
function codeAndMessage({ code, message }: JsonObject): string {
  const text = typeof message === 'string' && message !== '' ? ` (${message})` : '';
  return `${JSON.stringify(code)}${text}`;
}

const mostRemembered = 1000;
/** Further calls within this time are attempts at the same thing. */
const longestPauseMs = 3_600_000;

/** How often and at what intervals the service repeats a callback that failed. */
export class RetryLesson implements Lessons {
  /** The latest callbacks that failed, by operation and user, and how many before them did. */
  readonly #failed = new Recent<string, { readonly at: number; readonly count: number }>(
    mostRemembered,
  );
  readonly #pausesMs: number[] = [];
  readonly #places = new Places();
  #most = 0;

  observe(exchange: CapturedExchange): void {
    const { operation, ptnCd, startedAt: at, source, response } = exchange;
    if (!isCallback(exchange) || ptnCd === undefined || at === undefined) return;
    const name = `${operation} ${ptnCd}`;
    const before = this.#failed.get(name);
    const isRetry = before !== undefined && at - before.at <= longestPauseMs;
    const count = isRetry ? before.count + 1 : 0;
    if (isRetry) {
      this.#places.add(source);
      this.#most = Math.max(this.#most, count);
      if (this.#pausesMs.length < mostRemembered) this.#pausesMs.push(at - before.at);
    }
    if (jsonOf(response).code === '0000') this.#failed.delete(name);
    else this.#failed.set(name, { at, count });
  }

  read(): readonly Lesson[] {
    const { count } = this.#places;
    if (count === 0) return [];
    const [shortest, longest] = [Math.min(...this.#pausesMs), Math.max(...this.#pausesMs)];
    const seconds = (ms: number) => `${Math.round(ms / 100) / 10} s`;
    const spacing =
      longest - shortest < 500 ? seconds(longest) : `${seconds(shortest)} to ${seconds(longest)}`;
    return [
      {
        setting: 'callback retries',
        value: `up to ${this.#most}, after ${spacing}`,
        confidence: 'likely',
        evidence: `${counted(count, 'callback')} came again for the same user after a failure: ${this.#places}.`,
      },
    ];
  }
}
