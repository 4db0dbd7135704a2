import { headerOf } from '../../client/exchange.ts';
import { Recent } from '../../latest-results.ts';
import {
  type FittingOffset,
  fittingOffsets,
  fittingOffsetText,
  isUsualLifetime,
  lifetimeText,
  parseExpireDt,
} from '../../protocol/expiry.ts';
import { isJsonObject } from '../../protocol/json.ts';
import { counted } from '../../text.ts';
import { type CapturedExchange, jsonOf, knownText } from '../capture.ts';
import { type Lesson, type Lessons, Places } from './lesson.ts';

interface Token {
  readonly expireDt: string;
  /** When the response came, by the clock of the service if it has a `Date`. */
  readonly dateHeader: string;
}

/** Beyond these nothing new is learned. */
const mostTokens = 64;

/**
 * The time zone of `expire_dt` and the lifetime of a token. One lifetime for all tokens is assumed; a token that works
 * some time after it came narrows it. Never certain.
 */
export class ExpiryLesson implements Lessons {
  readonly #tokens: Token[] = [];
  readonly #issuedAt = new Recent<string, number>(mostTokens);
  readonly #places = new Places();
  readonly #untimed = new Places();
  #hasLocalTimes = false;
  /** Seconds after which a token still worked. */
  #lived = 0;

  observe(exchange: CapturedExchange): void {
    if (exchange.operation === 'token') this.#observeToken(exchange);
    if (exchange.operation === 'authenticate') this.#observeUse(exchange);
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

  #observeToken(exchange: CapturedExchange): void {
    const { response, startedAt, durationMs, source, isLocalTime } = exchange;
    const result = jsonOf(response).result;
    if (!isJsonObject(result) || typeof result.expire_dt !== 'string') return;
    if (parseExpireDt(result.expire_dt) === undefined) return;
    const cameAt = startedAt === undefined ? undefined : startedAt + (durationMs ?? 0);
    const readAsUtc = cameAt && !isLocalTime ? new Date(cameAt).toUTCString() : undefined;
    const dateHeader = dateOf(response) ?? readAsUtc;
    (dateHeader ? this.#places : this.#untimed).add(source);
    if (isLocalTime) this.#hasLocalTimes = true;
    if (!dateHeader) return;
    if (this.#tokens.length < mostTokens) {
      this.#tokens.push({ expireDt: result.expire_dt, dateHeader });
    }
    const token = knownText(result.acs_token);
    if (token === undefined || cameAt === undefined) return;
    this.#issuedAt.set(token, cameAt);
  }

  /** A token that was accepted had not expired. */
  #observeUse({ request, response, startedAt }: CapturedExchange): void {
    const token = jsonOf(request).acs_token;
    const issuedAt = typeof token === 'string' ? this.#issuedAt.get(token) : undefined;
    if (issuedAt === undefined || startedAt === undefined) return;
    if (jsonOf(response).code === '0000') {
      this.#lived = Math.max(this.#lived, (startedAt - issuedAt) / 1000);
    }
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
  const alternatives = fitting.map(fittingOffsetText);
  return ['expire-time-zone', 'token-ttl'].map((setting) => ({
    setting,
    confidence: 'unknown',
    evidence,
    ...(setting === 'expire-time-zone' && { alternatives }),
  }));
}

function dateOf(response: CapturedExchange['response']): string | undefined {
  const date = headerOf(response?.headers ?? [], 'date');
  return date?.endsWith(' GMT') && !Number.isNaN(Date.parse(date)) ? date : undefined;
}
