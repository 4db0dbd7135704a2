import type { UserSecrets } from '../client/signin.ts';
import { signinChecks } from '../conformance/signin-catalogue.ts';
import { diagnosis } from '../diagnosis/diagnosis.ts';
import { Recent } from '../latest-results.ts';
import { parseExpireDt } from '../protocol/expiry.ts';
import { isJsonObject } from '../protocol/json.ts';
import { successCode } from '../protocol/response.ts';
import { type CapturedExchange, jsonOf, knownText } from './capture.ts';
import type { Finding } from './exchange-review.ts';

interface IssuedToken {
  /** The user whom it is for. */
  readonly ptnCd: string | undefined;
  readonly at: number | undefined;
  readonly expireDt: unknown;
  isUsed?: true;
}

const mostRemembered = 10_000;
/** Offsets of time zones are multiples of it. */
const zoneStepMs = 15 * 60_000;

/** The latest values by their names; hidden names are unknown, and none is remembered. */
class Known<T> extends Recent<unknown, T> {
  override set(name: unknown, value: T): this {
    return knownText(name) === undefined ? this : super.set(name, value);
  }
}

/** What traffic has shown of its users, and of the tokens that were issued and used. */
export class Tracker {
  readonly #users = new Known<UserSecrets>(mostRemembered);
  readonly #issued = new Known<IssuedToken>(mostRemembered);
  readonly #used = new Known<true>(mostRemembered);
  readonly #ptnTokens = new Known<true>(mostRemembered);

  /** The user of an exchange, by its token where it doesn't name one. */
  userOf({ ptnCd, request }: CapturedExchange): string | undefined {
    return ptnCd ?? this.#issued.get(jsonOf(request).acs_token)?.ptnCd;
  }

  secretsOf(ptnCd: string | undefined): UserSecrets | undefined {
    return this.#users.get(ptnCd);
  }

  know(ptnCd: string | undefined, secrets: UserSecrets): void {
    this.#users.set(ptnCd, { ...this.#users.get(ptnCd), ...secrets });
  }

  observe({ operation, request, response, startedAt, durationMs = 0 }: CapturedExchange): void {
    const { acs_token: sent, ptn_token: ptnToken } = jsonOf(request);
    const { code, result } = jsonOf(response);
    if (operation === 'token') this.#ptnTokens.set(ptnToken, true);
    if (operation === 'token' && isJsonObject(result)) {
      const { acs_token: token, expire_dt: expireDt, ptn_cd: ptnCd } = result;
      const at = startedAt === undefined ? undefined : startedAt + durationMs;
      this.#issued.set(token, { ptnCd: knownText(ptnCd), expireDt, at });
    }
    const issued = operation === 'authenticate' ? this.#issued.get(sent) : undefined;
    if (issued !== undefined && code === successCode) issued.isUsed = true;
    if (operation === 'authenticate' && code === successCode) this.#used.set(sent, true);
  }

  /** An access token that was used before, whatever came of it now. */
  reuse(captured: CapturedExchange): readonly Finding[] {
    const { operation, request, response, isPairUnsure } = captured;
    const isReused = operation === 'authenticate' && this.#used.has(jsonOf(request).acs_token);
    if (!isReused || isPairUnsure) return [];
    const { code } = jsonOf(response);
    const isRefused = code !== undefined && code !== successCode;
    return [misused('signin/acs-token-once', 'an acs_token that was used before', isRefused)];
  }

  /** What the refusal of an access token shows: the service is to blame only for one that it issued, fresh and as it was. */
  explain(captured: CapturedExchange, refusal: Finding): readonly Finding[] {
    const { request, startedAt, isPairUnsure } = captured;
    const token = jsonOf(request).acs_token;
    if (typeof token !== 'string' || isPairUnsure) return [];
    if (knownText(token) === undefined) return [refusal];
    const issued = this.#issued.get(token);
    if (issued?.isUsed) return [];
    if (issued !== undefined) return mayBeExpired(issued, startedAt) ? [] : [refusal];
    const observed = this.#ptnTokens.has(token)
      ? 'the ptn_token in place of the acs_token'
      : this.#issued.has(token.replaceAll(' ', '+')) &&
        'an acs_token with a space in place of a plus sign';
    return observed ? [misused('signin/acs-token-unchanged', observed, true)] : [];
  }
}

function misused(id: string, observed: string, isRefused: boolean): Finding {
  const check = signinChecks.find((each) => each.id === id);
  if (check === undefined) throw new TypeError(`No check ${id}.`);
  const fix = 'Send the acs_token of the response to this sign-in, once and exactly as it came.';
  const message = `The application sent ${observed}${isRefused ? '; the service refused it' : ''}.`;
  const expected = 'the acs_token as it was issued';
  const cause = diagnosis('field-malformed', message, fix);
  const failed = isRefused ? ({ ...check, level: 'must' } as const) : check;
  return {
    check: failed,
    side: 'application',
    fault: { expected, observed, fix, diagnosis: cause },
  };
}

/** Whether it was used after the earliest instant at which some time zone has its expire_dt after its issue. */
function mayBeExpired({ at, expireDt }: IssuedToken, usedAt: number | undefined): boolean {
  const wall = typeof expireDt === 'string' ? parseExpireDt(expireDt) : undefined;
  if (wall === undefined || at === undefined || usedAt === undefined) return false;
  const shortest = (((wall.getTime() - at) % zoneStepMs) + zoneStepMs) % zoneStepMs;
  return usedAt - at >= shortest;
}
