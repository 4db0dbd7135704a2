import { type Exchange, unknownStatus } from '../client/exchange.ts';
import { checkHeader } from '../conformance/context.ts';
import { method } from '../protocol/endpoints.ts';
import { type CapturedExchange, isHidden, jsonOf } from './capture.ts';

/** In the place of an address that was not recorded (RFC 2606 2). */
const nowhere = 'http://recorded.invalid';

/** A captured exchange as one that was sent here; what is missing is empty, an unknown status is 0. */
export function toExchange(captured: CapturedExchange): Exchange {
  const { request, response, failure, startedAt = 0, durationMs = 0 } = captured;
  const target = request?.target ?? '/';
  // a path may begin with `//`, and is none of another host
  const place = target.startsWith('/') ? nowhere + target : target;
  const url = URL.canParse(place, nowhere) ? new URL(place, nowhere) : new URL(nowhere);
  const wireResponse = response && {
    status: response.status ?? unknownStatus,
    statusText: response.statusText ?? '',
    httpVersion: 'HTTP/1.1',
    headers: response.headers ?? [],
    body: response.body,
    encodedBodyBytes: response.body.length,
  };
  const isWhole = failure === undefined && response?.isCut !== true;
  return {
    request: {
      method: request?.method ?? method,
      url,
      headers: request?.headers ?? [],
      body: request?.body ?? new Uint8Array(),
    },
    startedAt,
    durationMs,
    timings: {},
    attempts: 1,
    ...(failure && { failure }),
    ...(wireResponse && (isWhole ? { response: wireResponse } : { partial: wireResponse })),
  };
}

/** Whether authcli itself sent the request: what it tries may be refused. */
export function isOfCheck({ request, isTest }: CapturedExchange): boolean {
  const wanted = checkHeader.toLowerCase();
  return (
    isTest === true || (request?.headers ?? []).some(([name]) => name.toLowerCase() === wanted)
  );
}

/** Whether a response can be judged: one that a log cut off or left out, or that is hidden, can't be blamed. */
export function hasOutcome({ response, failure }: CapturedExchange): boolean {
  const { enc_partner_key: wrapped, ptn_sp: passcode } = Object(jsonOf(response).result);
  const isKnown = ![wrapped, passcode].some(isHidden);
  return failure !== undefined || (response !== undefined && !response.isCut && isKnown);
}
