import { createHash } from 'node:crypto';
import { constantTimeEqual, encodeUtf8 } from '../bytes.ts';
import { encryptPayload } from '../crypto/payload-ciphers.ts';
import type { Secret } from '../crypto/secret.ts';
import { AuthcliError } from '../errors.ts';
import { encodeAuthenticateAnswer, parseAuthenticateRequest } from '../protocol/authenticate.ts';
import { formatExpireDt } from '../protocol/expiry.ts';
import type { RequestReading } from '../protocol/request.ts';
import { encodeTokenAnswer, parseTokenRequest } from '../protocol/token.ts';
import type { Outcome } from './call.ts';
import type { SigninSituation } from './faults/points.ts';
import { refusal } from './handling.ts';
import { verifyPtnToken } from './ptn-token.ts';
import { refusalOfReading, seenField } from './request-refusals.ts';
import type { ServiceCall } from './service.ts';
import { type ServiceRefusal, serviceCodes } from './service-codes.ts';
import type { ServiceUser } from './service-users.ts';

/*
 * Each step gives what the next one needs, or an outcome. `undefined` as an outcome: a fault let a
 * request pass that can't be worked on, and the caller answers blindly.
 */
type Step<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly outcome: Outcome | undefined };

/** Section 4.2.1: an access token for a `ptn_token`. */
export async function issueAccessToken(service: ServiceCall): Promise<Outcome | undefined> {
  const { call, on, environment, tokens } = service;
  const admitted = admit(service, parseTokenRequest(call.request.body));
  if (!admitted.ok) return admitted.outcome;
  call.hide(admitted.value.ptnToken);
  const named = readPtnToken(service, admitted.value.ptnToken);
  if (!named.ok) return named.outcome;
  const found = await findRegistered(service, named.value);
  if (!found.ok) return found.outcome;
  const seen: SigninSituation = {
    ...call.seen(),
    ptnCd: found.value.ptnCd,
    key: found.value.key.reveal(),
  };
  const issued = tokens.issue(seen.ptnCd, { ...environment, now: environment.now() });
  const expireDt = formatExpireDt(new Date(issued.expiresAt), service.timeZone);
  const acsToken = on.pass('acsToken', issued.acsToken, seen);
  call.hide(issued.acsToken, acsToken);
  const body = encodeTokenAnswer({
    acsToken,
    expireDt: on.pass('expireDt', expireDt, seen),
    ptnCd: on.pass('ptnCd', seen.ptnCd, seen),
  });
  return { ok: true, body };
}

/** Section 4.2.2: the user's passcode for an `acs_token`, encrypted anew. */
export async function authenticateUser(service: ServiceCall): Promise<Outcome | undefined> {
  const { call } = service;
  const admitted = admit(service, parseAuthenticateRequest(call.request.body));
  if (!admitted.ok) return admitted.outcome;
  call.hide(admitted.value.acsToken);
  const redeemed = redeem(service, admitted.value.acsToken);
  if (!redeemed.ok) return redeemed.outcome;
  const found = await findRegistered(service, redeemed.value);
  if (!found.ok) return found.outcome;
  const { ptnCd, key, superPasscode } = found.value;
  return encryptPasscode(service, superPasscode, { ...call.seen(), ptnCd, key: key.reveal() });
}

/** Section 5.1: the fields, and client id and secret key, which are refused alike. */
function admit<T extends { readonly clientId: string; readonly secretKey: string }>(
  service: ServiceCall,
  reading: RequestReading<T>,
): Step<T> {
  const { call } = service;
  if (!reading.ok) {
    call.clientId = seenField(reading.json, 'client_id');
    for (const name of secretFields) call.hide(seenField(reading.json, name));
    return { ok: false, outcome: call.refuse(refusalOfReading(reading, serviceCodes)) };
  }
  const { clientId, secretKey } = reading.value;
  call.clientId = clientId;
  call.hide(secretKey);
  // Both are compared whatever the first comparison says, in time that tells nothing.
  const known = [
    sameText(clientId, service.clientId),
    sameText(secretKey, service.secretKey.reveal()),
  ];
  const refused = call.refuse(known.every(Boolean) ? undefined : refuseAs('client'));
  return refused === undefined
    ? { ok: true, value: reading.value }
    : { ok: false, outcome: refused };
}

const secretFields = ['secret_key', 'ptn_token', 'acs_token'];

function readPtnToken(service: ServiceCall, ptnToken: string): Step<string> {
  const { call, environment, ptnTokenTtlMs } = service;
  const times = { now: environment.now(), ttlMs: ptnTokenTtlMs };
  const reading = verifyPtnToken(ptnToken, service, times);
  if (reading.ok) return { ok: true, value: reading.ptnCd };
  call.ptnCd = reading.ptnCd;
  const expired = reading.failure === 'expired';
  return passOr(service, refuseAs(expired ? 'ptn-token-expired' : 'ptn-token'), reading.ptnCd);
}

function redeem(service: ServiceCall, acsToken: string): Step<string> {
  const redemption = service.tokens.redeem(acsToken, service.environment.now());
  if (redemption.ok) return { ok: true, value: redemption.ptnCd };
  if (redemption.failure === 'unknown') return passOr(service, refuseAs('acs-token'));
  service.call.ptnCd = redemption.ptnCd;
  return passOr(service, refuseAs(`acs-token-${redemption.failure}`), redemption.ptnCd);
}

/** Refuses, unless a fault lets the token pass; then with the user it once stood for, if any. */
function passOr(
  { call }: ServiceCall,
  refused: ReturnType<typeof refuseAs>,
  ptnCd?: string,
): Step<string> {
  const outcome = call.refuse(refused);
  if (outcome !== undefined || ptnCd === undefined) return { ok: false, outcome };
  return { ok: true, value: ptnCd };
}

type RegisteredUser = ServiceUser & { readonly superPasscode: Secret };

async function findRegistered(service: ServiceCall, ptnCd: string): Promise<Step<RegisteredUser>> {
  const { call } = service;
  call.ptnCd = ptnCd;
  const user = await service.findUser(ptnCd);
  call.user = user;
  call.key = user?.key.reveal();
  call.hide(user?.key, user?.superPasscode);
  if (user === undefined) return { ok: false, outcome: call.refuse(refuseAs('unknown-user')) };
  const { superPasscode } = user;
  return superPasscode === undefined
    ? { ok: false, outcome: call.refuse(refuseAs('not-registered')) }
    : { ok: true, value: { ...user, superPasscode } };
}

function encryptPasscode(
  { call, on, cipher, environment }: ServiceCall,
  superPasscode: Secret,
  seen: SigninSituation,
): Outcome | undefined {
  const passcode = on.pass('passcode', superPasscode.reveal(), seen);
  try {
    const right = encryptPayload(encodeUtf8(passcode), seen.key, cipher, environment.randomBytes);
    const ptnSp = on.pass('ptnSp', right, seen);
    return { ok: true, body: encodeAuthenticateAnswer({ ptnSp }) };
  } catch (error) {
    if (!(error instanceof AuthcliError)) throw error;
    return call.refuse(refuseAs('user-key'));
  }
}

function refuseAs(name: ServiceRefusal) {
  return refusal(serviceCodes, name, serviceCodes[name].meaning);
}

/** Digests are compared, so that not even the length can be told from the time. */
function sameText(left: string, right: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return constantTimeEqual(digest(left), digest(right));
}
