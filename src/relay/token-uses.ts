import { signinChecks } from '../conformance/signin-catalogue.ts';
import { diagnosis } from '../diagnosis/diagnosis.ts';
import { parseExpireDt } from '../protocol/expiry.ts';
import { isJsonObject } from '../protocol/json.ts';
import { successCode } from '../protocol/response.ts';
import { type CapturedExchange, jsonOf, knownText } from './capture.ts';
import type { Finding } from './exchange-review.ts';

interface Issued {
  readonly at?: number;
  readonly expireDt: unknown;
  isUsed?: true;
}

const rememberedTokens = 10_000;
/** Offsets of time zones are multiples of it. */
const zoneStepMs = 15 * 60_000;

/** The access tokens that were issued and used, to tell why one was refused. */
export class TokenUses {
  readonly #issued = new Map<unknown, Issued>();
  readonly #ptnTokens = new Map<unknown, true>();

  observe({ operation, request, response, startedAt, durationMs = 0 }: CapturedExchange): void {
    const received = jsonOf(response);
    const { result } = received;
    const token = jsonOf(request).acs_token;
    if (operation === 'token') remember(this.#ptnTokens, jsonOf(request).ptn_token, true);
    if (operation === 'token' && isJsonObject(result)) {
      const at = startedAt === undefined ? undefined : startedAt + durationMs;
      const expireDt = result.expire_dt;
      remember(this.#issued, result.acs_token, { expireDt, ...(at !== undefined && { at }) });
    }
    const issued = operation === 'authenticate' ? this.#issued.get(token) : undefined;
    if (issued !== undefined && received.code === successCode) issued.isUsed = true;
  }

  /** What the refusal of an access token shows: the service is to blame only for one that it issued, fresh and as it was. */
  explain(captured: CapturedExchange, refusal: Finding): readonly Finding[] {
    const { request, startedAt, isPairUnsure } = captured;
    const token = jsonOf(request).acs_token;
    if (typeof token !== 'string' || isPairUnsure) return [];
    if (knownText(token) === undefined) return [refusal];
    const issued = this.#issued.get(token);
    if (issued?.isUsed)
      return [misused(refusal, 'signin/acs-token-once', 'an acs_token that was used before')];
    if (issued !== undefined) return mayBeExpired(issued, startedAt) ? [] : [refusal];
    const observed = this.#ptnTokens.has(token)
      ? 'the ptn_token in place of the acs_token'
      : this.#issued.has(token.replaceAll(' ', '+')) &&
        'an acs_token with a space in place of a plus sign';
    return observed ? [misused(refusal, 'signin/acs-token-unchanged', observed)] : [];
  }
}

function misused({ fault, check: refused }: Finding, id: string, observed: string): Finding {
  const check = signinChecks.find((each) => each.id === id) ?? refused;
  const fix = 'Send the acs_token of the response to this sign-in, once and exactly as it came.';
  const message = `The application sent ${observed}; the service refused it.`;
  return {
    check,
    side: 'application',
    fault: {
      ...fault,
      expected: 'the acs_token as it was issued',
      observed,
      fix,
      diagnosis: diagnosis('field-malformed', message, fix),
    },
  };
}

/** Whether it was used after the earliest instant at which some time zone has its expire_dt after its issue. */
function mayBeExpired({ at, expireDt }: Issued, usedAt: number | undefined): boolean {
  const wall = typeof expireDt === 'string' ? parseExpireDt(expireDt) : undefined;
  if (wall === undefined || at === undefined || usedAt === undefined) return false;
  const shortest = (((wall.getTime() - at) % zoneStepMs) + zoneStepMs) % zoneStepMs;
  return usedAt - at >= shortest;
}

function remember<T>(map: Map<unknown, T>, name: unknown, value: T): void {
  if (knownText(name) === undefined) return;
  map.set(name, value);
  const [oldest] = map.keys();
  if (map.size > rememberedTokens) map.delete(oldest);
}
