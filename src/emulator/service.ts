import { encodeBase64, encodeBase64Url, encodeUtf8, sameText } from '../bytes.ts';
import { encryptPayload } from '../crypto/payload-ciphers.ts';
import type { Secret } from '../crypto/secret.ts';
import { AuthcliError } from '../errors.ts';
import { authenticatePath, tokenPath } from '../protocol/endpoints.ts';
import { formatExpireDt } from '../protocol/expiry.ts';
import { operations, type RequestReading } from '../protocol/operations.ts';

import { secretPlaces } from '../protocol/secret-fields.ts';
import type { User } from '../protocol/user.ts';
import { Call, type Outcome, type Side } from './call.ts';
import type { ServicePoints, SigninSituation } from './faults/points.ts';
import { type CallFaults, Switchboard } from './faults/switchboard.ts';
import { serviceFaults } from './faults.ts';
import { type Handled, refusal } from './handling.ts';
import type { EmulatorRequest } from './http.ts';
import {
  refusalOfHttp,
  refusalOfReading,
  type ServiceRefusal,
  seenField,
  serviceCodes,
} from './refusals.ts';
import { createAccessTokens, defaultPtnTokenTtlMs, verifyPtnToken } from './tokens.ts';

/** A user of the emulated service; without a passcode the registration is not complete. */
export type ServiceUser = Pick<User, 'ptnCd' | 'key' | 'superPasscode'>;

export interface Service extends Side {
  readonly secretKey: Secret;
  /** Called at every sign-in step, so that new users are found. */
  readonly findUser: (ptnCd: string) => ServiceUser | undefined | Promise<ServiceUser | undefined>;
  /** The time zone of `expire_dt`, an IANA name or offset. */
  readonly timeZone: string;
  readonly ptnTokenTtlMs: number;
  readonly tokens: ReturnType<typeof createAccessTokens>;
  readonly faults: Switchboard<ServicePoints>;
}

interface ServiceCall extends Service {
  readonly call: Call;
  readonly on: CallFaults<ServicePoints>;
}

export interface ServiceOptions extends Side, Pick<Service, 'secretKey' | 'findUser'> {
  /** UTC by default. */
  readonly timeZone?: string;
  /** How long an `acs_token` is valid; five minutes by default. */
  readonly tokenTtlMs?: number;
  /** How long a `ptn_token` is valid; ten minutes by default. */
  readonly ptnTokenTtlMs?: number;
}

/**
 * A service without tokens, with every fault off.
 *
 * @throws AuthcliError `usage` for an unknown time zone
 */
export function createService({
  timeZone = 'UTC',
  tokenTtlMs = 300_000,
  ptnTokenTtlMs = defaultPtnTokenTtlMs,
  ...options
}: ServiceOptions): Service {
  // An unknown time zone is found here, not in the first response.
  formatExpireDt(new Date(options.environment.now()), timeZone);
  const tokens = createAccessTokens(tokenTtlMs);
  const faults = new Switchboard(serviceFaults);
  return { ...options, timeZone, ptnTokenTtlMs, tokens, faults };
}

/**
 * Responds to a request to {auth_url} (section 4.2). The interface sets no limit for how often a
 * `ptn_token` may be exchanged before it expires; an `acs_token` is valid once.
 */
export async function handleServiceCall(
  request: EmulatorRequest,
  service: Service,
): Promise<Handled> {
  const on = service.faults.beginCall();
  const call = new Call(request, service, on);
  call.hide(service.secretKey);
  return call.finish(await decide({ ...service, call, on }));
}

async function decide(service: ServiceCall): Promise<Outcome> {
  const { call, secretKey } = service;
  const { request } = call;
  if (request.path === tokenPath) call.operation = 'token';
  if (request.path === authenticatePath) call.operation = 'authenticate';
  if (call.operation === undefined) return { ok: false, refusal: refusal(serviceCodes, 'path') };
  const outside = secretPlaces(request, secretKey.reveal()).length > 0;
  const wrong =
    refusalOfHttp(request, serviceCodes) ??
    (outside ? refusal(serviceCodes, 'secret-outside-body') : undefined);
  const refused = wrong && call.refuse(wrong);
  if (refused !== undefined) return refused;
  const run = call.operation === 'token' ? issueAccessToken : authenticateUser;
  return run(service).catch((ended: unknown) => {
    if (!(ended instanceof Ended)) throw ended;
    return ended.outcome ?? acceptBlindly(service);
  });
}

/** Ends a call early; without an outcome, a fault lets a request pass that can't be processed. */
class Ended extends Error {
  readonly outcome: Outcome | undefined;

  constructor(outcome: Outcome | undefined) {
    super('the call has ended');
    this.outcome = outcome;
  }
}

/** Ends the call, unless a fault lets the request pass for the user whom it once identified. */
function refuse({ call }: ServiceCall, name: ServiceRefusal, ptnCd?: string): string {
  const outcome = call.refuse(refusal(serviceCodes, name));
  if (outcome !== undefined || ptnCd === undefined) throw new Ended(outcome);
  return ptnCd;
}

/** Success without the work, for a request that only a fault lets pass. */
function acceptBlindly({ call, environment, timeZone }: ServiceCall): Outcome {
  if (call.operation === 'authenticate') {
    const ptnSp = encodeBase64(environment.randomBytes(32));
    return { ok: true, body: operations.authenticate.encodeResponse({ ptnSp }) };
  }
  const acsToken = encodeBase64Url(environment.randomBytes(32));
  const expireDt = formatExpireDt(new Date(environment.now()), timeZone);
  const ptnCd = call.ptnCd ?? 'nobody';
  return { ok: true, body: operations.token.encodeResponse({ acsToken, expireDt, ptnCd }) };
}

/** Section 4.2.1: an access token for a `ptn_token`. */
async function issueAccessToken(service: ServiceCall): Promise<Outcome> {
  const { call, on, environment, tokens } = service;
  const { ptnToken } = admit(service, operations.token.parseRequest(call.request.body));
  call.hide(ptnToken);
  const { ptnCd, key } = await findRegistered(service, userOfPtnToken(service, ptnToken));
  const seen: SigninSituation = { ...call.seen(), ptnCd, key: key.reveal() };
  const issued = tokens.issue(ptnCd, environment);
  const expireDt = formatExpireDt(new Date(issued.expiresAt), service.timeZone);
  const acsToken = on.pass('acsToken', issued.acsToken, seen);
  call.hide(issued.acsToken, acsToken);
  const body = operations.token.encodeResponse({
    acsToken,
    expireDt: on.pass('expireDt', expireDt, seen),
    ptnCd: on.pass('ptnCd', ptnCd, seen),
  });
  return { ok: true, body };
}

/** Section 4.2.2: the user's passcode for an `acs_token`, encrypted again each time. */
async function authenticateUser(service: ServiceCall): Promise<Outcome> {
  const { call, on, cipher, environment } = service;
  const { acsToken } = admit(service, operations.authenticate.parseRequest(call.request.body));
  call.hide(acsToken);
  const user = await findRegistered(service, userOfAcsToken(service, acsToken));
  const seen = { ...call.seen(), ptnCd: user.ptnCd, key: user.key.reveal() };
  const passcode = on.pass('passcode', user.superPasscode.reveal(), seen);
  try {
    const right = encryptPayload(encodeUtf8(passcode), seen.key, cipher, environment.randomBytes);
    const ptnSp = on.pass('ptnSp', right, seen);
    return { ok: true, body: operations.authenticate.encodeResponse({ ptnSp }) };
  } catch (error) {
    if (!(error instanceof AuthcliError)) throw error;
    throw new Ended(call.refuse(refusal(serviceCodes, 'user-key')));
  }
}

/** Section 5.1: the fields; wrong client ids and wrong secret keys are refused alike. */
function admit<T extends { readonly clientId: string; readonly secretKey: string }>(
  { call, ...service }: ServiceCall,
  reading: RequestReading<T>,
): T {
  if (!reading.ok) {
    call.clientId = seenField(reading.json, 'client_id');
    throw new Ended(call.refuse(refusalOfReading(reading, serviceCodes)));
  }
  const { clientId, secretKey } = reading.value;
  call.clientId = clientId;
  call.hide(secretKey);
  // Both are always compared, each in constant time.
  const isClient = sameText(clientId, service.clientId);
  const isSecret = sameText(secretKey, service.secretKey.reveal());
  const wrong = isClient && isSecret ? undefined : refusal(serviceCodes, 'client');
  const refused = call.refuse(wrong);
  if (refused !== undefined) throw new Ended(refused);
  return reading.value;
}

function userOfPtnToken(service: ServiceCall, ptnToken: string): string {
  const times = { now: service.environment.now(), ttlMs: service.ptnTokenTtlMs };
  const { ptnCd, failure } = verifyPtnToken(ptnToken, service, times);
  if (ptnCd !== undefined && failure === undefined) return ptnCd;
  service.call.ptnCd = ptnCd;
  return refuse(service, failure ?? 'ptn-token', ptnCd);
}

function userOfAcsToken(service: ServiceCall, acsToken: string): string {
  const { ptnCd, failure } = service.tokens.redeem(acsToken, service.environment.now());
  if (ptnCd === undefined) return refuse(service, 'acs-token');
  if (failure === undefined) return ptnCd;
  service.call.ptnCd = ptnCd;
  return refuse(service, `acs-token-${failure}`, ptnCd);
}

async function findRegistered(service: ServiceCall, ptnCd: string) {
  const { call } = service;
  call.ptnCd = ptnCd;
  const user = await service.findUser(ptnCd);
  call.user = user;
  call.key = user?.key.reveal();
  call.hide(user?.key, user?.superPasscode);
  if (user?.superPasscode) return { ...user, superPasscode: user.superPasscode };
  const name = user === undefined ? 'unknown-user' : 'not-registered';
  throw new Ended(call.refuse(refusal(serviceCodes, name)));
}
