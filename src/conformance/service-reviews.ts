import { headerOf } from '../client/exchange.ts';
import type { TokenOutcome } from '../client/signin.ts';
import { diagnosis } from '../diagnosis/diagnosis.ts';
import { diagnoseResponse } from '../diagnosis/response.ts';
import { expireDtFormat, parseExpireDt, toInstant } from '../protocol/expiry.ts';
import { quoted } from '../text.ts';
import { type CheckDefinition, type CheckFacts, complete, type Review } from './check.ts';
import { httpStatus } from './checks/protocol/http-status.ts';
import { jsonContentType } from './checks/protocol/json-content-type.ts';
import { noByteOrderMark } from './checks/protocol/no-byte-order-mark.ts';
import {
  expectEnvelope,
  failWith,
  isAccepted,
  reviewAccepted,
  reviewEnvelopes,
  skip,
} from './expect.ts';

/** A requirement on the responses of the service at a sign-in (section 4.2), judged in traffic that passes. */
export interface ServiceReview extends CheckFacts {
  readonly review: Review;
}

const hourMs = 3_600_000;
const required = { level: 'must', polarity: 'positive' } as const;

/** That the passcode decrypts with the key of the user, where that is known, is judged beside it. */
export const returnsPasscode: ServiceReview = {
  ...required,
  id: 'service/returns-passcode',
  title: "must return the user's passcode in result.ptn_sp, encrypted with the per-user key",
  section: '4.2.2',
  sentence: 'result.ptn_sp: User Super Passcode, encrypted.',
  review: reviewEnvelopes('authenticate', 'code, message and result.ptn_sp as strings'),
};

export const serviceReviews: readonly ServiceReview[] = [
  {
    ...required,
    id: 'service/issues-token',
    title: 'must accept a valid token request',
    section: '4.2.1',
    sentence: 'POST {auth_url}/process/token: code "0000" on success.',
    review: reviewAccepted('token', 'a token request'),
  },
  {
    ...required,
    id: 'service/token-shape',
    title:
      'must respond to a token request with code, message, acs_token, expire_dt and ptn_cd as strings',
    section: '4.2.1',
    sentence:
      'Response body: code String, message String, result Object, result.acs_token, result.expire_dt, result.ptn_cd.',
    review: ofTokens((outcome) => {
      const { problem } = outcome.reading ?? {};
      // What expire_dt contains is judged by itself.
      if (problem?.kind === 'field-malformed' && problem.field === 'result.expire_dt') return;
      expectEnvelope(outcome, 'code, message, acs_token, expire_dt and ptn_cd as strings');
    }),
  },
  {
    ...required,
    id: 'service/expire-dt',
    title: 'must give expire_dt as a date and time in the form yyyyMMddHH24miss',
    section: '4.2.1',
    sentence: 'result.expire_dt: Expiry, yyyyMMddHH24miss.',
    review: ofTokens(judgeExpiry),
  },
  {
    ...required,
    id: 'service/token-works',
    title: 'must accept the acs_token that it issued',
    section: '4.2.2',
    sentence: 'POST /process/authenticate requires the acs_token obtained from /process/token.',
    review: reviewAccepted('authenticate', 'an authenticate request'),
  },
  returnsPasscode,
  asOfService('service/json-content-type', jsonContentType),
  asOfService('service/no-byte-order-mark', noByteOrderMark),
  asOfService('service/http-status', httpStatus),
];

function asOfService(id: string, definition: CheckDefinition): ServiceReview {
  const { review = () => undefined, ...check } = complete(definition);
  return { ...check, id, review };
}

/** Judges each token that was issued. */
function ofTokens(judge: (outcome: TokenOutcome) => void): Review {
  return ({ exchanges }) => {
    for (const { operation, outcome } of exchanges) {
      if (operation === 'token' && isAccepted(outcome)) judge(outcome as TokenOutcome);
    }
  };
}

function judgeExpiry(outcome: TokenOutcome): void {
  const text = outcome.reading?.seen.expireDt ?? skip('The response contained no expire_dt.');
  const value = parseExpireDt(text);
  const { response, startedAt } = outcome.exchange;
  if (value !== undefined) {
    // By the clock of the service, from its Date header.
    const date = Date.parse(headerOf(response?.headers ?? [], 'date') ?? '');
    const respondedAt = Number.isNaN(date) ? startedAt : date;
    if (toInstant(value, 'UTC').getTime() >= respondedAt - 12 * hourMs) return;
    const fix =
      'Add the lifetime of the token to the current time, and format that in the time zone of the service.';
    const message = 'expire_dt was over before the acs_token was issued, in every time zone.';
    const over = diagnosis('field-malformed', message, fix);
    const observed = 'one that was over in every time zone';
    failWith(over, 'an expire_dt in the future', observed, outcome.exchange);
  }
  const observed = /^\d{14}$/.test(text) ? '14 digits that are not a date' : quoted(text, 40);
  const field = 'result.expire_dt';
  const status = response?.status ?? 200;
  const problem = { kind: 'field-malformed', field, expected: expireDtFormat, observed } as const;
  failWith(
    diagnoseResponse(problem, { status }),
    `expire_dt as ${expireDtFormat}`,
    observed,
    outcome.exchange,
  );
}
