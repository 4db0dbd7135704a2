import { successCode } from '../../protocol/response.ts';
import type { CapturedExchange } from '../capture.ts';
import { hasOwnResult, type LogBody } from './log-body.ts';

/** A request that has no response yet, or one that may belong to something else. */
interface Waiting {
  readonly request: LogBody;
  doubtful?: { readonly response: LogBody; readonly at: number };
  /** A response that may be its own was taken for another's. */
  isUnsure?: true;
}

/** Waiting for their responses; more are given out without. */
const mostWaiting = 500;
/** A response that comes later isn't one to that request. */
const longestWaitMs = 60_000;
/** After so many further bodies a doubtful response is taken for the right one. */
const mostDoubtedBodies = 32;
/** Responses of which a copy is recognised. */
const mostRemembered = 10_000;

/**
 * Pairs the bodies of a log: by ids and the names of threads around them where those differ, else by
 * operation, in their order. A body that several programs logged is taken once.
 */
export class Pairing {
  readonly #waiting: Waiting[] = [];
  /** Responses that only one exchange can have, with their requests. */
  readonly #known = new Set<string>();
  #count = 0;
  /** Responses that fit several requests. */
  unsure = 0;
  /** Where the first of them is. */
  unsureSource = '';

  /** Takes the next body; returns the exchanges that are complete with it. */
  add(body: LogBody): CapturedExchange[] {
    this.#count += 1;
    const settled = this.#settle(
      ({ doubtful }) => doubtful !== undefined && this.#count - doubtful.at > mostDoubtedBodies,
    );
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
    this.#waiting.push({ request: body });
    const isFull = this.#waiting.length > mostWaiting;
    return isFull ? [...settled, ...this.#settle((each) => each === this.#waiting[0])] : settled;
  }

  #respond(body: LogBody): CapturedExchange[] {
    const candidates = this.#candidatesFor(body);
    const [first] = candidates;
    const isCopy = hasOwnResult(body) && this.#known.has(body.identity);
    if (first === undefined) return isCopy || body.operation === 'other' ? [] : this.#alone(body);
    const operations = new Set(candidates.map(({ request }) => request.operation));
    if (operations.size > 1) {
      this.#doubt(body);
      return [];
    }
    if (isCopy || !isResponseTo(first.request, body)) {
      first.doubtful ??= { response: body, at: this.#count };
      return [];
    }
    this.#waiting.splice(this.#waiting.indexOf(first), 1);
    if (candidates.length > 1) this.#doubt(body);
    if (candidates.length > 1) for (const each of candidates) each.isUnsure = true;
    return this.#exchange(first, body);
  }

  /** The requests to which a response can belong: of those that fit best, the ones nothing else tells apart. */
  #candidatesFor(body: LogBody): readonly Waiting[] {
    const bare = body.operation === 'other';
    const fitting = this.#waiting.filter(
      ({ request: { operation, at = body.at } }) =>
        (bare || operation === body.operation) && (body.at ?? 0) - (at ?? 0) <= longestWaitMs,
    );
    const tagged = best(
      fitting,
      ({ request }) => request.tags.filter((tag) => body.tags.includes(tag)).length,
    );
    const open = best(tagged, ({ doubtful }) => (doubtful === undefined ? 1 : 0));
    const isSuccess = bare && body.fields.code === successCode;
    return best(open, ({ request }) => (isSuccess && request.operation === 'registration' ? 1 : 0));
  }

  #doubt({ source }: LogBody): void {
    this.unsure += 1;
    this.unsureSource ||= source;
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

  #exchange({ request, isUnsure }: Waiting, response?: LogBody): CapturedExchange[] {
    const { at } = request;
    if (response && hasOwnResult(response)) {
      const both = `${request.identity}\n${response.identity}`;
      if (this.#known.has(both)) return [];
      this.#remember(response, both);
    }
    const ptnCd = request.ptnCd ?? (isUnsure ? undefined : response?.ptnCd);
    const durationMs = at !== undefined && response?.at !== undefined ? response.at - at : -1;
    return [
      {
        ...startOf(request, ptnCd),
        ...(durationMs >= 0 && { durationMs }),
        request: request.message,
        ...(response && { response: response.message }),
        ...(response && isUnsure && { isPairUnsure: true }),
      },
    ];
  }

  #remember({ identity }: LogBody, both = identity): void {
    for (const known of [identity, both]) this.#known.add(known);
    while (this.#known.size > mostRemembered) {
      const [oldest = ''] = this.#known;
      this.#known.delete(oldest);
    }
  }
}

/** The exchange that begins with this body. */
function startOf({ source, operation, at, isLocalTime }: LogBody, ptnCd: string | undefined) {
  return {
    source,
    operation,
    ...(ptnCd !== undefined && { ptnCd }),
    ...(at !== undefined && { startedAt: at }),
    ...(isLocalTime && { isLocalTime }),
  };
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
