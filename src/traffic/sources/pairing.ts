import { diagnosis } from '../../diagnosis/diagnosis.ts';
import { Recent } from '../../latest-results.ts';
import { isJsonObject, type JsonObject, otherProperties } from '../../protocol/json.ts';
import { successCode } from '../../protocol/response.ts';
import {
  type CapturedExchange,
  type CapturedMessage,
  type CapturedRequest,
  subjectIn,
} from '../capture.ts';
import { wireFields } from './notation.ts';

/** A request that has no response yet, or one that may belong to something else. */
interface Waiting {
  readonly request: LogBody;
  /** How many bodies came up to it. */
  readonly count: number;
  status?: number | undefined;
  /** How many bodies came up to the status. */
  statusCount?: number;
  /** What the log says of an error while it waited. */
  beside: string;
  /** A later request had its response or status before it. */
  isPassed?: true;
  doubtful?: { readonly response: LogBody; readonly at: number };
  /** A response that may be its own was taken for another's. */
  isUnsure?: true;
}

/** Waiting for their responses; more are given out without. */
const mostWaiting = 500;
/** A response that comes later isn't one to that request. */
const longestWaitMs = 60_000;
/** Of the errors beside a request, this much tells. */
const mostBeside = 16 * 1024;
/** Further bodies after which a doubtful response is taken for the right one. */
const mostDoubtedBodies = 32;
/** As many show whether statuses follow responses. */
const fewRequests = 50;
/** Responses of which a copy is recognised. */
const mostRemembered = 10_000;

/** How many, and where the first is. */
export class Places {
  count = 0;
  first = '';

  add(source: string): void {
    this.count += 1;
    this.first ||= source;
  }
}

/**
 * Pairs the bodies of a log: by ids and the names of threads around them where those differ, else by
 * operation, in their order. A body that several programs logged is taken once.
 */
export class Pairing {
  readonly #waiting: Waiting[] = [];
  /** Responses that only one exchange can have, with their requests. */
  readonly #known = new Recent<string, true>(mostRemembered);
  #count = 0;
  /** Responses that fit several requests. */
  readonly unsure = new Places();
  #lastAt = 0;
  /** How often the time goes on, less how often it goes back. */
  #steps = 0;
  /** Responses and statuses have the ids of their requests. */
  #areTagged = false;
  /** What is around every request, such as the name of the host: it tells none from another. */
  #common: readonly string[] = [];
  #requests = 0;
  /** Of the callbacks, as far as the log shows it. */
  #path: string | undefined;
  /** The request of the latest response, until the next request or status. */
  #answered: LogBody | undefined;
  /** How many responses came before the status of their request, and after it. */
  #statusAfter = 0;
  #statusBefore = 0;

  get isBackwards(): boolean {
    return this.#steps < 0;
  }

  /** Whether lines without a body may matter: a request waits, or whether statuses follow responses isn't known yet. */
  get isWaiting(): boolean {
    const isLearning = this.#statusAfter === 0 && this.#requests < fewRequests;
    return this.#waiting.length > 0 || (this.#answered !== undefined && isLearning);
  }

  /** Takes a status that was logged by itself: of the latest response, or of the request that has waited longest. */
  status({ status, path }: LoggedStatus, given: Place): void {
    const place = this.#telling(given);
    if (path !== undefined && !isSamePath(path, this.#path ?? path)) return;
    const [first] = this.#near(place);
    const isTagged = first !== undefined && shared(first.request.tags, place.tags) > 0;
    const answered = this.#answered;
    if (!isTagged && answered && !isElsewhere(answered, place)) {
      this.#statusAfter += 1;
      this.#answered = undefined;
    } else if (first !== undefined) {
      this.#path ??= path;
      first.status = status;
      first.statusCount = this.#count;
      this.#pass(first);
    }
    this.#areTagged ||= isTagged;
  }

  /** Takes what the log says of an error: it is about the latest request of the same thread. */
  error(text: string, place: Place): void {
    const last = this.#near(this.#telling(place), 500).at(-1);
    if (last !== undefined) last.beside = `${last.beside}${text}`.slice(0, mostBeside);
  }

  /** The callbacks that wait, and may be what a line of the log is about; with a status from `least` on where it has their id. */
  #near(place: Place, least = Infinity): readonly Waiting[] {
    const { at, tags } = place;
    const isStatus = least === Infinity;
    const open = this.#waiting.filter(({ request, status = Infinity, doubtful, isPassed }) => {
      const waited = at === undefined || request.at === undefined ? 0 : at - request.at;
      const isRecent = waited >= -1000 && waited <= longestWaitMs;
      const isOfSame = shared(request.tags, tags) > 0;
      const isOpen = isOfSame ? status >= least : status === Infinity && !isPassed;
      // where ids tell requests apart, a status without one is about something else
      const isOther = this.#areTagged && (isStatus || tags.length > 0) && request.tags.length > 0;
      const isNear = isOfSame || (!isOther && !isElsewhere(request, place));
      return isCallback(request) && isOpen && !doubtful && isRecent && isNear;
    });
    return best(open, ({ request }) => shared(request.tags, tags));
  }

  /** A place without the tags of every request. */
  #telling<T extends Place>(place: T): T {
    const common = this.#requests > 1 ? this.#common : [];
    if (!place.tags.some((tag) => common.includes(tag))) return place;
    return { ...place, tags: place.tags.filter((tag) => !common.includes(tag)) };
  }

  /** What began before a request that has ended was passed by it. */
  #pass(ended: Waiting): void {
    for (const each of this.#waiting) if (each.count < ended.count) each.isPassed = true;
  }

  /** Takes the next body; returns the exchanges that are complete with it. */
  add(given: LogBody): CapturedExchange[] {
    this.#count += 1;
    if (!given.isResponse) {
      this.#common =
        this.#requests === 0 ? given.tags : this.#common.filter((tag) => given.tags.includes(tag));
      this.#requests += 1;
    }
    const body = this.#telling(given);
    if (body.at !== undefined) {
      if (this.#lastAt > 0) this.#steps += Math.sign(body.at - this.#lastAt);
      this.#lastAt = body.at;
    }
    const settled = this.#settle(({ doubtful, request }) => {
      const isTaken = doubtful !== undefined && this.#count - doubtful.at > mostDoubtedBodies;
      const isLate = this.#lastAt - (request.at ?? this.#lastAt) > longestWaitMs;
      return isTaken || (isLate && !this.isBackwards);
    });
    return [...settled, ...(body.isResponse ? this.#respond(body) : this.#request(body))];
  }

  /** Requests that are left, with a response or without. */
  end(): CapturedExchange[] {
    return this.#settle(() => true);
  }

  #request(body: LogBody): CapturedExchange[] {
    const isSame = ({ request }: Waiting) => request.identity === body.identity;
    const isCopy =
      body.masked.length === 0 && this.#waiting.some((each) => isSame(each) && !each.doubtful);
    if (isCopy) return [];
    // a user who registers, or sends the same again, has the response to what came before
    const settled = this.#settle((each) => {
      const { operation, ptnCd } = each.request;
      const isBefore = body.operation === 'registration' && operation === 'key-exchange';
      return (
        (isSame(each) && body.masked.length === 0) ||
        (isBefore && ptnCd !== undefined && ptnCd === body.ptnCd)
      );
    });
    this.#waiting.push({
      request: body,
      count: this.#count,
      status: body.status,
      beside: body.beside,
    });
    this.#answered = undefined;
    this.#path ??= isCallback(body) ? body.path : undefined;
    const isFull = this.#waiting.length > mostWaiting;
    return isFull ? [...settled, ...this.#settle((each) => each === this.#waiting[0])] : settled;
  }

  #respond(body: LogBody): CapturedExchange[] {
    const { path = this.#path } = body.fields;
    // what a framework says of another URL
    const isOther = typeof path === 'string' && !isSamePath(path, this.#path ?? path);
    const candidates = isOther ? [] : this.#candidatesFor(body);
    const [first] = candidates;
    const isCopy = hasOwnResult(body) && this.#known.has(body.identity);
    if (first === undefined) return isCopy || body.operation === 'other' ? [] : this.#alone(body);
    const operations = new Set(candidates.map(({ request }) => request.operation));
    if (operations.size > 1) {
      this.unsure.add(body.source);
      return [];
    }
    if (isCopy || !isResponseTo(first.request, body)) {
      first.doubtful ??= { response: body, at: this.#count };
      if (first.status === undefined && isCallback(first.request)) this.#answered = first.request;
      return [];
    }
    this.#waiting.splice(this.#waiting.indexOf(first), 1);
    this.#pass(first);
    this.#areTagged ||= shared(first.request.tags, body.tags) > 0;
    if (first.status !== undefined) this.#statusBefore += 1;
    else if (isCallback(first.request)) this.#answered = first.request;
    if (candidates.length > 1) this.unsure.add(body.source);
    if (candidates.length > 1) for (const each of candidates) each.isUnsure = true;
    return this.#exchange(first, body);
  }

  /** The requests to which a response can belong: of those that fit best, the ones nothing else tells apart. */
  #candidatesFor(body: LogBody): readonly Waiting[] {
    const bare = body.operation === 'other';
    // the clocks of two programs that log to one file may differ
    const skewMs = this.isBackwards ? 0 : 1000;
    const fitting = this.#waiting.filter((each) => {
      const { operation, at } = each.request;
      const waited = at === undefined || body.at === undefined ? 0 : body.at - at;
      const isTimely = waited >= -skewMs && waited <= longestWaitMs;
      return (bare || operation === body.operation) && isTimely && this.#mayTake(each, body);
    });
    const tagged = best(fitting, ({ request }) => shared(request.tags, body.tags));
    const isAccepted = body.fields.code === successCode;
    const isSuccess = bare && isAccepted;
    const open = best(tagged, ({ doubtful, isPassed }) => (doubtful || isPassed ? 0 : 1));
    // an error is followed by a refusal, and nothing that succeeds has one
    const likely = best(open, ({ status = 0, beside }) => {
      const isFailed = status >= 400 || beside !== '';
      return isFailed === isAccepted ? 0 : 1;
    });
    return best(likely, ({ request }) =>
      isSuccess && request.operation === 'registration' ? 1 : 0,
    );
  }

  /** Whether a response can be that of a request: another has its id, and what has ended takes at most the next body. */
  #mayTake(
    { request, status, beside, statusCount = this.#count }: Waiting,
    body: LogBody,
  ): boolean {
    if (shared(request.tags, body.tags) > 0) return true;
    if (body.operation === 'other' && isElsewhere(request, body)) return false;
    const hasFailed = status !== undefined || beside !== '';
    if (hasFailed && body.operation === 'other' && hasOtherFields(body)) return false;
    const endsWithStatus = this.#statusAfter > 0 && this.#statusBefore === 0;
    return status === undefined || (!endsWithStatus && this.#count - statusCount <= 1);
  }

  #settle(isMeant: (waiting: Waiting) => boolean): CapturedExchange[] {
    const meant = this.#waiting.filter(isMeant);
    for (const each of meant) this.#waiting.splice(this.#waiting.indexOf(each), 1);
    return meant.flatMap((each) => this.#exchange(each, each.doubtful?.response));
  }

  #alone(body: LogBody): CapturedExchange[] {
    this.#remember(body);
    return [{ ...startOf(body, body.ptnCd), response: body.message }];
  }

  #exchange(waiting: Waiting, response?: LogBody): CapturedExchange[] {
    const { request, isUnsure, beside } = waiting;
    const { at } = request;
    // an access log has the request once more, after the response
    if (!response && this.#known.has(request.identity)) return [];
    if (response && hasOwnResult(response)) {
      const both = `${request.identity}\n${response.identity}`;
      if (this.#known.has(both)) return [];
      this.#remember(response, both);
    }
    if (response && request.masked.length === 0) this.#known.set(request.identity, true);
    const ptnCd = request.ptnCd ?? (isUnsure ? undefined : response?.ptnCd);
    const durationMs = at !== undefined && response?.at !== undefined ? response.at - at : -1;
    return [
      {
        durationMs: durationMs >= 0 ? durationMs : undefined,
        request: request.line ? { ...request.message, ...request.line } : request.message,
        response: response?.message,
        beside: beside || undefined,
        isPairUnsure: response && isUnsure,
        ...(!response && this.#failureOf(waiting)),
        ...startOf(request, ptnCd),
      },
    ];
  }

  /** Why a callback has no response; nothing where the log need not have one. */
  #failureOf(waiting: Waiting): Pick<CapturedExchange, 'failure' | 'isUnanswered'> {
    const { request, count, isUnsure, status = 0, beside } = waiting;
    if (!isCallback(request)) return {};
    if (status >= 400 || (status === 0 && beside !== '')) {
      const responded = status === 0 ? 'did not respond' : `responded with HTTP ${status}`;
      return { failure: diagnosis('code-not-success', `The application ${responded}.`, ofError) };
    }
    const isLast = count === this.#count;
    if (status !== 0 || isUnsure || isLast || request.isPartial) return {};
    const message = 'The log has no response to this request.';
    return { failure: diagnosis('timeout', message, ofSilence), isUnanswered: true };
  }

  #remember({ identity }: LogBody, both = identity): void {
    for (const known of [identity, both]) this.#known.set(known, true);
  }
}

const ofError = 'Read what the application logged at this time, and fix that error.';
const ofSilence =
  'Find out whether the application crashed or took too long at this time; log each response with its status.';

/** A status in a line of its own, such as one of an access log. */
export interface LoggedStatus {
  readonly status: number;
  readonly path?: string | undefined;
}

function isCallback({ operation }: LogBody): boolean {
  return operation === 'key-exchange' || operation === 'registration';
}

/** A proxy may have taken away the beginning, and a client have written the host. */
function isSamePath(one: string, other: string): boolean {
  return one.endsWith(other) || other.endsWith(one);
}

function shared(tags: readonly string[], others: readonly string[]): number {
  return tags.filter((tag) => others.includes(tag)).length;
}

/** Whether both name a thread, a worker, a request or a container, and not the same one. */
function isElsewhere(one: Place, other: Place): boolean {
  if (one.instance !== undefined && other.instance !== undefined && one.instance !== other.instance)
    return true;
  if (shared(one.tags, other.tags) > 0) return false;
  const kinds = new Set(one.tags.map(kindOf));
  return other.tags.some((tag) => kinds.has(kindOf(tag)));
}

/** The name of a field, or a word without its numbers. */
function kindOf(tag: string): string {
  return tag.includes('=') ? tag.replace(/=.*/s, '=') : tag.replace(/\d+/g, '#');
}

/** The exchange that begins with this body. */
function startOf(body: LogBody, ptnCd: string | undefined) {
  const { source, operation, at, isLocalTime, instance } = body;
  return {
    source,
    operation,
    ptnCd,
    startedAt: at,
    isLocalTime,
    instance,
    isLogged: true,
  } as const;
}

/** Whether it can only be a response of this operation: its result, or a success without one. */
function isResponseTo({ operation }: LogBody, response: LogBody): boolean {
  if (response.operation !== 'other') return true;
  return operation === 'registration' && response.fields.code === successCode;
}

/** Those with the highest rank, in their order. */
function best<T>(all: readonly T[], rank: (each: T) => number): readonly T[] {
  const ranks = all.map(rank);
  const highest = Math.max(...ranks);
  return all.filter((_, index) => ranks[index] === highest);
}

/** Where and when a body was found in a log. */
export interface Place {
  /** Such as `line 12`. */
  readonly source: string;
  /** Milliseconds since the epoch. */
  readonly at?: number | undefined;
  /** `at` was written without an offset, and is read as UTC. */
  readonly isLocalTime?: true | undefined;
  /** The container, pod or host that wrote it. */
  readonly instance?: string | undefined;
  /** Words around it that tell one request from others: ids, the names of threads and workers. */
  readonly tags: readonly string[];
  /** The path of a request that is named beside it. */
  readonly path?: string | undefined;
}

/** A request or a response of the interface that was found in a log. */
export interface LogBody extends Place {
  readonly isResponse: boolean;
  /** Not all of it was logged. */
  readonly isPartial: boolean;
  /** The status of the response, where it is in the same place as the request. */
  readonly status?: number | undefined;
  /** What is said of an error behind the request, in the same place. */
  beside: string;
  /** Of a request whose fields are in its URL. */
  readonly line?: Pick<CapturedRequest, 'method' | 'target'> | undefined;
  readonly operation: CapturedExchange['operation'];
  readonly ptnCd?: string;
  readonly fields: JsonObject;
  /** Without what a logger masked or cut, which is then a part of what was sent. */
  readonly message: CapturedMessage;
  /** The fields that were masked. */
  readonly masked: readonly string[];
  /** The same for the same fields and values in any order and form. */
  readonly identity: string;
}

/** @param sent the body as it was sent, where the log has it */
export function logBody(
  value: JsonObject,
  place: Place,
  isPartial: boolean,
  sent: Uint8Array = Buffer.from(JSON.stringify(value)),
  isResponse = 'code' in value,
): LogBody {
  const message = { body: sent, ...(isPartial && { isCut: true }) };
  const { operation, ptnCd } = isResponse ? subjectIn({}, value) : subjectIn(value, {});
  const { fields, masked } = withoutMasked(value);
  const isMasked = masked.length > 0;
  return {
    isResponse,
    isPartial,
    beside: '',
    operation,
    ptnCd: masked.includes('ptn_cd') ? undefined : ptnCd,
    fields,
    message: isMasked ? { body: Buffer.from(JSON.stringify(fields)), isCut: true } : message,
    masked,
    identity: identityOf(value),
    ...place,
  };
}

/** Whether a response has what only one exchange can have: a ciphertext, or a token. */
function hasOwnResult({ operation, isResponse, masked }: LogBody): boolean {
  return isResponse && operation !== 'other' && masked.length === 0;
}

/** What the interface doesn't have: another interface may. */
function hasOtherFields({ fields }: LogBody): boolean {
  return 'code' in fields && Object.keys(fields).some((name) => !envelope.includes(name));
}

const envelope: readonly string[] = ['code', 'message', 'result'];

/** A number is the same as its text: not every notation tells them apart. */
function identityOf(value: unknown): string {
  if (typeof value === 'string') return value;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const names = Object.keys(value).sort();
  return names.map((name) => `${name}=${identityOf(value[name])}`).join('\n');
}

/** What identifies a request, a thread or a connection in the fields of a logger. */
export const tagField =
  /^(?:x[-_])?(?:trace|span|request|req|correlation|thread|worker|connection|conn)[-_.]?(?:id|name)?$/i;

/** Each is compared with those of every waiting request. */
const mostTags = 16;

/** The tags among the fields that a logger put around a body. */
export function tagsOfFields(value: JsonObject): string[] {
  return Object.entries(value)
    .filter(([name, inner]) => tagField.test(name) && ['string', 'number'].includes(typeof inner))
    .slice(0, mostTags)
    .map(([name, inner]) => `${name}=${inner}`);
}

const aTime = /^\d{4}-\d\d-\d\d|^\d\d:\d\d|^\d+(?:\.\d+)?(?:ns|us|µs|ms|s|b|kb)$/i;

/** The tags in front of a body: words with a digit and a letter, and numbers in brackets; not a time. */
export function tagsOfPrefix(prefix: string): string[] {
  const [before = ''] = prefix.slice(-400).split('{');
  const words = before.split(/[\s[\](),;|"<>]+/);
  const numbers = before.match(/\[\d+\]/g) ?? [];
  return [
    ...words.filter((word) => /\d/.test(word) && /[a-z]/i.test(word) && !aTime.test(word)),
    ...numbers,
  ];
}

/** Signs that replace characters, and an ellipsis where the rest was cut off. */
const maskSigns = ['***', '•••', '●●●', '███', '…', '...'];
/** What is said in place of a value. */
const mask =
  /^(?:[x#-]{3,}|[[<({].*[\])}>]|\W*(?:redacted|filtered|masked|hidden|removed|omitted|scrubbed|suppressed)\W*)$|\btruncated\b/i;

/** Fields whose values loggers never hide or shorten. */
const notMasked: readonly string[] = ['used_type', 'code', 'message'];

/** A body without the values that a logger masked or cut, which are unknown, not wrong; and the fields that had them. */
function withoutMasked(body: JsonObject) {
  const { result } = body;
  // null is a right value beside a refusal
  const hidesAsNull = !('code' in body) || body.code === successCode;
  const maskedIn = (object: JsonObject) =>
    Object.keys(object).filter((name) => {
      const mayBe = wireFields.has(name) && !notMasked.includes(name);
      return mayBe && hides(object[name], hidesAsNull);
    });
  const inBody = maskedIn(body);
  const inResult = isJsonObject(result) ? maskedIn(result) : [];
  const masked = [...inBody, ...inResult];
  if (masked.length === 0) return { fields: body, masked };
  const fields = otherProperties(body, inBody);
  if (!isJsonObject(result)) return { fields, masked };
  return { fields: { ...fields, result: otherProperties(result, inResult) }, masked };
}

function hides(value: unknown, hidesAsNull: boolean): boolean {
  if (typeof value !== 'string') return value === null && hidesAsNull;
  return maskSigns.some((sign) => value.includes(sign)) || mask.test(value);
}
