import { headerOf } from '../../client/exchange.ts';
import { Recent } from '../../latest-results.ts';
import {
  type ExpiryEvidence,
  type FittingOffset,
  fittingOffsets,
  fittingOffsetText,
  isUsualLifetime,
  lifetimeText,
  parseExpireDt,
} from '../../protocol/expiry.ts';
import { isJsonObject } from '../../protocol/json.ts';
import { successCode } from '../../protocol/response.ts';
import { counted } from '../../text.ts';
import { type CapturedExchange, jsonOf, knownText } from '../capture.ts';
import { type Lesson, type Lessons, Places } from './lesson.ts';

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
