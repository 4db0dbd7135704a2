import { decodeUtf8 } from '../bytes.ts';
import { headerOf } from '../client/exchange.ts';
import { parseCipher } from '../crypto/cipher.ts';
import { publicKeyIn } from '../crypto/key-reading.ts';
import { recogniseKey } from '../crypto/key-text.ts';
import { decryptPayload } from '../crypto/payload-ciphers.ts';
import { SharedCipher } from '../diagnosis/cipher-identification.ts';
import { keepingLatest, Recent } from '../latest-results.ts';
import {
  type ExpiryEvidence,
  type FittingOffset,
  fittingOffsets,
  fittingOffsetText,
  isUsualLifetime,
  lifetimeText,
  parseExpireDt,
} from '../protocol/expiry.ts';
import { isJsonObject, type JsonObject } from '../protocol/json.ts';
import { operations } from '../protocol/operations.ts';
import { type PayloadField, payloadFields, payloadKinds } from '../protocol/payload-fields.ts';
import { successCode } from '../protocol/response.ts';
import { formatOf, pairsOf } from '../protocol/user.ts';
import { counted, excerptOf } from '../text.ts';
import { type CapturedExchange, isCallback, jsonOf, knownText } from './capture.ts';

/** One thing that traffic shows about how the two sides work. */
export interface Lesson {
  /** The name of a setting of the profile, or of what was seen, such as `token-ttl`. */
  readonly setting: string;
  /** Absent if the traffic doesn't show it. */
  readonly value?: string;
  /** `certain` only if nothing else fits what was seen. */
  readonly confidence: 'certain' | 'likely' | 'unknown';
  /** How it is known, and from which exchanges; or what is missing, as a sentence. */
  readonly evidence: string;
  /** Other values that fit as well. */
  readonly alternatives?: readonly string[];
  /** It rests on an assumption: it is not suggested as a setting. */
  readonly isAssumed?: true;
  /** Only what messages look like: there is nothing to set. */
  readonly isOfWire?: true;
}

/** Learns one or several things from exchanges, in constant memory. */
export interface Lessons {
  observe(exchange: CapturedExchange): void;
  /** What is known so far; empty if no exchange was about it. */
  read(): readonly Lesson[];
}

/** Where something was seen: the first three places, and how many more. */
export class Places {
  readonly #first: string[] = [];
  #last: string | undefined;
  #count = 0;

  /** The same place twice in a row counts once. */
  add(source: string): void {
    if (source === this.#last) return;
    this.#last = source;
    this.#count += 1;
    if (this.#first.length < 3) this.#first.push(source);
  }

  get count(): number {
    return this.#count;
  }

  toString(): string {
    const more = this.#count - this.#first.length;
    return more === 0 ? this.#first.join(', ') : `${this.#first.join(', ')} and ${more} more`;
  }
}

/** Everything that traffic shows about what the interface leaves open, in constant memory. */
export class Learner implements Lessons {
  readonly #lessons: readonly Lessons[] = [
    new PayloadLessons(),
    new ExpiryLesson(),
    new RetryLesson(),
    new WireLessons(),
  ];

  observe(exchange: CapturedExchange): void {
    for (const lesson of this.#lessons) lesson.observe(exchange);
  }

  /** What is known so far, the settings first; identifying a cipher takes up to a second. */
  read(): readonly Lesson[] {
    return this.#lessons.flatMap((lesson) => lesson.read());
  }
}

interface Sample {
  readonly field: PayloadField;
  readonly payload: string;
  readonly key: string;
  readonly kind: (typeof payloadKinds)[PayloadField];
  readonly source: string;
}

/** This many payloads together single out one cipher. */
const mostSamples = 8;
/** The fields of user information don't differ much. */
const mostUserInfo = 16;

/** The cipher of the per-user key, from all payloads whose key is known, and what the user information is written in. */
class PayloadLessons implements Lessons {
  readonly #agreeing: Sample[] = [];
  readonly #others: Sample[] = [];
  readonly #waiting: Sample[] = [];
  #cipher = new SharedCipher();
  /** Payloads that decrypt with the cipher, beyond the samples. */
  #confirmed = 0;
  readonly #userInfo: Sample[] = [];
  /** Where the key isn't known. */
  readonly #keyless = { payloads: 0, places: new Places(), userInfo: new Places() };

  observe({ key, request, response, source }: CapturedExchange): void {
    const result = jsonOf(response).result;
    const fields: JsonObject = { ...jsonOf(request), ...(isJsonObject(result) && result) };
    for (const field of payloadFields) {
      const payload = knownText(fields[field]);
      if (!payload) continue;
      if (key === undefined) {
        this.#keyless.payloads += 1;
        this.#keyless.places.add(source);
        if (field === 'ubifill') this.#keyless.userInfo.add(source);
        continue;
      }
      const sample = { field, payload, key: key.reveal(), kind: payloadKinds[field], source };
      const tried = this.#agreeing.length + this.#others.length + this.#waiting.length;
      if (tried < mostSamples) this.#waiting.push(sample);
      else if (this.#decrypt(sample) !== undefined) this.#confirmed += 1;
      else if (this.#others.length < 2 * mostSamples) this.#others.push(sample);
      if (field === 'ubifill' && this.#userInfo.length < mostUserInfo) this.#userInfo.push(sample);
    }
  }

  read(): readonly Lesson[] {
    const cipher = this.#cipherLesson();
    const userInfo = this.#userInfoLesson(cipher?.confidence ?? 'unknown');
    return [cipher, userInfo].filter((lesson) => lesson !== undefined);
  }

  /** The text of a payload under the cipher as far as it is known; undefined if it isn't. */
  #decrypt({ payload, key }: Sample): string | undefined {
    this.#weigh();
    const [best] = this.#cipher.candidates;
    if (best === undefined || best.confidence === 'possible') return undefined;
    const result = decryptPayload(payload, key, parseCipher(best.cipher));
    return result.ok ? decodeUtf8(result.plaintext) : undefined;
  }

  /** Takes the waiting samples in; one that no common cipher decrypts is set apart. */
  #weigh(): void {
    if (this.#waiting.length === 0) return;
    this.#sort(this.#waiting.splice(0));
    if (this.#agreeing.length === 0 || this.#others.length <= this.#agreeing.length) return;
    // the first samples were the odd ones: most payloads decide
    this.#cipher = new SharedCipher();
    this.#sort([...this.#others.splice(0), ...this.#agreeing.splice(0)]);
  }

  #sort(samples: readonly Sample[]): void {
    for (const sample of samples) {
      (this.#cipher.add(sample) ? this.#agreeing : this.#others).push(sample);
    }
  }

  #cipherLesson(): Lesson | undefined {
    this.#weigh();
    const setting = 'cipher';
    const [agreeing, others, keyless] = [this.#agreeing, this.#others, this.#keyless];
    const [best, ...rivals] = this.#cipher.candidates;
    if (best !== undefined && best.confidence !== 'possible') {
      const isSure = best.confidence === 'certain' && rivals.length === 0 && others.length === 0;
      const fields = [...new Set(agreeing.map(({ field }) => field))].join(', ');
      const users = new Set(agreeing.map(({ key }) => key)).size;
      const payloads = counted(agreeing.length + this.#confirmed, 'payload');
      const doubt =
        others.length > 0
          ? ` ${counted(others.length, 'payload')} can't be decrypted with it: ${placesOf(others)}.`
          : ` ${counted(rivals.length, 'other cipher')} gives a text that makes sense too.`;
      return {
        setting,
        value: best.cipher,
        confidence: isSure ? 'certain' : 'likely',
        evidence: `It decrypts ${payloads} (${fields}) of ${counted(users, 'user')}: ${placesOf(agreeing)}.${others.length + rivals.length > 0 ? doubt : ''}`,
        alternatives: rivals.map(({ cipher }) => cipher),
      };
    }
    const tried = [...agreeing, ...others];
    if (tried.length + keyless.payloads === 0) return undefined;
    const evidence =
      tried.length > 0
        ? `No cipher makes sense of ${counted(tried.length, 'payload')} (${placesOf(tried)}) with the keys that are known.`
        : `The key of ${counted(keyless.payloads, 'encrypted payload')} is not known (${keyless.places}).`;
    return { setting, confidence: 'unknown', evidence };
  }

  /** The form and the field names of the user information (2.3), once the cipher is known. */
  #userInfoLesson(ofCipher: Lesson['confidence']): Lesson | undefined {
    const setting = 'user-info-format';
    const [samples, { userInfo: keyless }] = [this.#userInfo, this.#keyless];
    const texts = samples.flatMap((sample) => {
      const text = this.#decrypt(sample);
      return text === undefined ? [] : { ...sample, format: formatOf(text), names: namesIn(text) };
    });
    const [first, ...formats] = new Set(texts.map(({ format }) => format));
    if (first !== undefined) {
      const same = texts.filter(({ format }) => format === first);
      const names = namesWithCounts(same.map((text) => text.names));
      return {
        setting,
        value: names === '' ? first : `${first}: ${names}`,
        confidence: formats.length > 0 ? 'likely' : ofCipher,
        evidence: `In ubifill of ${counted(same.length, 'registration')}: ${placesOf(same)}.`,
        alternatives: formats,
      };
    }
    const seen = samples.length + keyless.count;
    if (seen === 0) return undefined;
    const why =
      samples.length > 0 ? "can't be decrypted" : `has a key that is not known (${keyless})`;
    const evidence = `ubifill of ${counted(seen, 'registration')} ${why}.`;
    return { setting, confidence: 'unknown', evidence };
  }
}

function placesOf(samples: readonly Pick<Sample, 'source'>[]): string {
  const places = new Places();
  for (const source of new Set(samples.map((sample) => sample.source))) places.add(source);
  return `${places}`;
}

/** Names of fields; pieces without one have none. */
function namesIn(text: string): readonly string[] {
  return pairsOf(text).flatMap(({ name, path }) => (name === undefined ? [] : [path]));
}

/** In the order of the first text; a name that isn't in all says in how many it is. */
function namesWithCounts(texts: readonly (readonly string[])[]): string {
  const shown = [...new Set(texts.flat())].map((name) => {
    const count = texts.filter((names) => names.includes(name)).length;
    return count === texts.length ? name : `${name} (${count} of ${texts.length})`;
  });
  return shown.join(', ');
}

/** Beyond these nothing new is learned. */
const mostTokens = 64;

/**
 * The time zone of `expire_dt` and the lifetime of a token. One lifetime for all tokens is assumed; a token that works
 * some time after it came narrows it. Never certain.
 */
export class ExpiryLesson implements Lessons {
  /** With the instants of their responses, by the clock of the service if it has a `Date`. */
  readonly #tokens: ExpiryEvidence[] = [];
  readonly #issuedAt = new Recent<string, number>(mostTokens);
  readonly #places = new Places();
  readonly #untimed = new Places();
  #hasLocalTimes = false;
  /** Seconds after which a token still worked. */
  #lived = 0;

  observe({ operation, request, response, startedAt, ...exchange }: CapturedExchange): void {
    const { code, result } = jsonOf(response);
    if (operation === 'authenticate') {
      const issuedAt = this.#issuedAt.get(String(jsonOf(request).acs_token));
      if (issuedAt === undefined || startedAt === undefined || code !== successCode) return;
      this.#lived = Math.max(this.#lived, (startedAt - issuedAt) / 1000);
    }
    if (operation !== 'token' || !isJsonObject(result)) return;
    const { expire_dt: expireDt, acs_token: token } = result;
    if (typeof expireDt !== 'string' || parseExpireDt(expireDt) === undefined) return;
    const { durationMs = 0, source, isLocalTime } = exchange;
    const cameAt = startedAt === undefined ? undefined : startedAt + durationMs;
    const readAsUtc = cameAt && !isLocalTime ? new Date(cameAt).toUTCString() : undefined;
    const dateHeader = dateOf(response) ?? readAsUtc;
    (dateHeader ? this.#places : this.#untimed).add(source);
    if (isLocalTime) this.#hasLocalTimes = true;
    if (!dateHeader) return;
    if (this.#tokens.length < mostTokens) this.#tokens.push({ expireDt, dateHeader });
    const known = knownText(token);
    if (known !== undefined && cameAt !== undefined) this.#issuedAt.set(known, cameAt);
  }

  read(): readonly Lesson[] {
    if (this.#tokens.length === 0) return this.#unknown();
    const fitting = this.#commonOffsets();
    const usual = fitting.filter(({ lifetimeSeconds }) => isUsualLifetime(lifetimeSeconds));
    const tokens = `${counted(this.#places.count, 'token')} (${this.#places})`;
    const [best, ...others] = fitting;
    if (best === undefined || usual.length !== 1) return unsure(fitting, tokens);
    const lifetime = lifetimeText(best.lifetimeSeconds);
    const assumed = { confidence: 'likely', isAssumed: true } as const;
    return [
      {
        setting: 'expire-time-zone',
        value: best.offset,
        ...assumed,
        evidence: `Assumes that a token lives for ${lifetime}: ${tokens}.`,
        alternatives: others.map(fittingOffsetText),
      },
      {
        setting: 'token-ttl',
        value: lifetime,
        ...assumed,
        evidence: `Assumes that expire_dt is in ${best.offset}: ${tokens}.`,
        alternatives: others.map(({ lifetimeSeconds }) => lifetimeText(lifetimeSeconds)),
      },
    ];
  }

  #commonOffsets(): readonly FittingOffset[] {
    const [first = [], ...rest] = this.#tokens.map(fittingOffsets);
    return first.filter(
      ({ offset, lifetimeSeconds }) =>
        lifetimeSeconds >= Math.floor(this.#lived) &&
        rest.every((others) => others.some((other) => other.offset === offset)),
    );
  }

  #unknown(): readonly Lesson[] {
    if (this.#untimed.count === 0) return [];
    const why = this.#hasLocalTimes ? 'The times of the log have no offset, so nothing' : 'Nothing';
    const evidence = `${why} says when ${counted(this.#untimed.count, 'token response')} came (${this.#untimed}).`;
    return [{ setting: 'expire-time-zone', confidence: 'unknown', evidence }];
  }
}

/** Which zone it is depends on the lifetime, and none or several are usual. */
function unsure(fitting: readonly FittingOffset[], tokens: string): readonly Lesson[] {
  const evidence =
    fitting.length === 0
      ? `No time zone gives all of ${tokens} the same lifetime.`
      : `The zone depends on how long a token lives, which the traffic doesn't show: ${tokens}.`;
  const unknown = { confidence: 'unknown', evidence } as const;
  return [
    { setting: 'expire-time-zone', ...unknown, alternatives: fitting.map(fittingOffsetText) },
    { setting: 'token-ttl', ...unknown },
  ];
}

function dateOf(response: CapturedExchange['response']): string | undefined {
  const date = headerOf(response?.headers ?? [], 'date');
  return date?.endsWith(' GMT') && !Number.isNaN(Date.parse(date)) ? date : undefined;
}

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
class RetryLesson implements Lessons {
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
