import { encodeBase64, encodeBase64Url } from '../bytes.ts';
import type { Cipher } from '../crypto/cipher.ts';
import type { Secret } from '../crypto/secret.ts';
import { encodeAuthenticateAnswer } from '../protocol/authenticate.ts';
import { authenticatePath, tokenPath } from '../protocol/endpoints.ts';
import { formatExpireDt } from '../protocol/expiry.ts';
import { secretPlaces } from '../protocol/secret-places.ts';
import { encodeTokenAnswer } from '../protocol/token.ts';
import { AccessTokens } from './access-tokens.ts';
import { Call, type Outcome, type Side } from './call.ts';
import type { ServicePoints } from './faults/points.ts';
import { type CallFaults, Switchboard } from './faults/switchboard.ts';
import { serviceFaults } from './faults.ts';
import { type Environment, type Handled, refusal } from './handling.ts';
import type { EmulatorRequest } from './http.ts';
import { defaultPtnTokenTtlMs } from './ptn-token.ts';
import { refusalOfHttp } from './request-refusals.ts';
import { serviceCodes } from './service-codes.ts';
import { authenticateUser, issueAccessToken } from './service-operations.ts';
import type { FindUser } from './service-users.ts';

/** How long an `acs_token` is good where nothing else is set, in milliseconds. */
export const defaultTokenTtlMs = 300_000;

/** The emulated service: what it is set to, and what it keeps. */
export interface Service extends Side {
  readonly secretKey: Secret;
  readonly findUser: FindUser;
  /** The time zone of `expire_dt`, an IANA name or offset. */
  readonly timeZone: string;
  readonly tokenTtlMs: number;
  /** How long a `ptn_token` is good after its issue, in milliseconds. */
  readonly ptnTokenTtlMs: number;
  readonly tokens: AccessTokens;
  readonly faults: Switchboard<ServicePoints>;
}

/** One call to the service, and the faults that are on in it. */
export interface ServiceCall extends Service {
  readonly call: Call;
  readonly on: CallFaults<ServicePoints>;
}

export interface ServiceOptions {
  readonly clientId: string;
  readonly secretKey: Secret;
  readonly cipher: Cipher;
  readonly findUser: FindUser;
  readonly environment: Environment;
  /** UTC by default. */
  readonly timeZone?: string;
  /** Five minutes by default. */
  readonly tokenTtlMs?: number;
  /** Ten minutes by default. */
  readonly ptnTokenTtlMs?: number;
}

/**
 * A service that has given out no token yet, with every fault off.
 *
 * @throws AuthcliError `usage` for an unknown time zone
 */
export function createService(options: ServiceOptions): Service {
  const {
    timeZone = 'UTC',
    tokenTtlMs = defaultTokenTtlMs,
    ptnTokenTtlMs = defaultPtnTokenTtlMs,
    ...rest
  } = options;
  // An unknown time zone is found here, not in the first answer.
  formatExpireDt(new Date(options.environment.now()), timeZone);
  const tokens = new AccessTokens(tokenTtlMs);
  const faults = new Switchboard(serviceFaults);
  return { ...rest, timeZone, tokenTtlMs, ptnTokenTtlMs, tokens, faults };
}

/**
 * Answers a request to {auth_url} as section 4.2 says, at least as strictly: POST with the
 * interface's content type, exactly typed fields (unknown ones are left alone), `client_id` and
 * `secret_key` checked together in constant time, the secret nowhere but in the body. A
 * `ptn_token` may be exchanged until it expires, as often as it comes (the interface sets no
 * limit); an `acs_token` is good once. Every refusal has its own code and message (`serviceCodes`).
 */
export async function handleServiceCall(
  request: EmulatorRequest,
  service: Service,
): Promise<Handled> {
  const on = service.faults.beginCall();
  const call = new Call(request, service, { call: on, memory: service.faults.memory });
  call.hide(service.secretKey);
  return call.finish(await decide({ ...service, call, on }));
}

async function decide(service: ServiceCall): Promise<Outcome> {
  const { call, secretKey } = service;
  const { request } = call;
  if (request.path === tokenPath) call.operation = 'token';
  if (request.path === authenticatePath) call.operation = 'authenticate';
  if (call.operation === undefined) return { ok: false, refusal: refuseAs('path') };
  const outside = secretPlaces(request, secretKey.reveal()).length > 0;
  const wrong =
    refusalOfHttp(request, serviceCodes) ?? (outside ? refuseAs('secret-outside-body') : undefined);
  const refused = wrong && call.refuse(wrong);
  if (refused !== undefined) return refused;
  const run = call.operation === 'token' ? issueAccessToken : authenticateUser;
  return (await run(service)) ?? acceptBlindly(service);
}

function refuseAs(name: 'path' | 'secret-outside-body') {
  return refusal(serviceCodes, name, serviceCodes[name].meaning);
}

/** What a service answers that takes a request as good without being able to do its work. */
function acceptBlindly({ call, environment, timeZone }: ServiceCall): Outcome {
  if (call.operation === 'authenticate') {
    const ptnSp = encodeBase64(environment.randomBytes(32));
    return { ok: true, body: encodeAuthenticateAnswer({ ptnSp }) };
  }
  const acsToken = encodeBase64Url(environment.randomBytes(32));
  const expireDt = formatExpireDt(new Date(environment.now()), timeZone);
  const ptnCd = call.ptnCd ?? 'nobody';
  return { ok: true, body: encodeTokenAnswer({ acsToken, expireDt, ptnCd }) };
}
