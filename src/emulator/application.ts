import { decodeUtf8, encodeBase64, encodeUtf8 } from '../bytes.ts';
import { decryptPayload, encryptPayload, type PayloadFailure } from '../crypto/payload-ciphers.ts';
import { generatePerUserKey } from '../crypto/per-user-key.ts';
import { encryptRsaesPkcs1V15 } from '../crypto/rsaes-pkcs1-v1_5.ts';
import { Secret } from '../crypto/secret.ts';
import { parseCallbackRequest } from '../protocol/callback.ts';
import { encodeKeyExchangeAnswer, type KeyExchangeRequest } from '../protocol/key-exchange.ts';
import { encodeRegistrationAnswer, type RegistrationRequest } from '../protocol/registration.ts';
import { type ApplicationRefusal, applicationCodes } from './application-codes.ts';
import { Call, type Outcome, type Side } from './call.ts';
import type { ApplicationPoints, KeyExchangeSituation } from './faults/points.ts';
import { type CallFaults, Switchboard } from './faults/switchboard.ts';
import { applicationFaults } from './faults.ts';
import { type Handled, refusal } from './handling.ts';
import type { EmulatorRequest } from './http.ts';
import { readPublicKeyField } from './public-key-field.ts';
import { refusalOfHttp, refusalOfReading, seenField } from './request-refusals.ts';
import { createUserStore, type UserStore } from './users.ts';

/** The reference application: what it is set to, and what it keeps. */
export interface Application extends Side {
  readonly users: UserStore;
  /** A payload of the cipher, of nothing, to be decrypted where another can't be. */
  readonly standIn: string;
  readonly faults: Switchboard<ApplicationPoints>;
}

export interface ApplicationOptions extends Side {
  /** In memory by default. */
  readonly users?: UserStore;
}

const nothing = (size: number): Uint8Array => new Uint8Array(size);
/** As what a wrong key gives. */
const noText = Uint8Array.of(0xff);

/** A reference application with every fault off. */
export function createApplication({ users, ...side }: ApplicationOptions): Application {
  return {
    ...side,
    users: users ?? createUserStore(),
    standIn: encryptPayload(new Uint8Array(32), '0'.repeat(64), side.cipher, nothing),
    faults: new Switchboard(applicationFaults),
  };
}

interface ApplicationCall extends Application {
  readonly call: Call;
  readonly on: CallFaults<ApplicationPoints>;
}

/**
 * Answers a request to the callback URL as section 4.1 says. Every refusal has its own code and
 * message (`applicationCodes`); only undecryptable payloads are all answered alike, whatever was
 * wrong with them, so that the answers are no oracle (RFC 8017 7.2.2, note). Unknown fields are
 * left alone. Any path is the callback path. Rejects only where `users` can't keep a user.
 */
export async function handleCallback(
  request: EmulatorRequest,
  application: Application,
): Promise<Handled> {
  const on = application.faults.beginCall();
  const call = new Call(request, application, { call: on, memory: application.faults.memory });
  return call.finish(await decide({ ...application, call, on }));
}

async function decide(app: ApplicationCall): Promise<Outcome> {
  const { call } = app;
  const wrongHttp = refusalOfHttp(call.request, applicationCodes);
  if (wrongHttp !== undefined) return call.refuse(wrongHttp) ?? acceptBlindly(app);
  const reading = parseCallbackRequest(call.request.body);
  if (!reading.ok) return refuseReading(app, reading);
  const { value } = reading;
  call.operation = value.usedType === '1' ? 'key-exchange' : 'registration';
  call.ptnCd = value.ptnCd;
  call.clientId = value.clientId;
  const foreign = value.clientId === app.clientId ? undefined : refuseAs('foreign-client');
  const refused = call.refuse(foreign);
  if (refused !== undefined) return refused;
  return value.usedType === '1' ? exchangeKey(app, value) : register(app, value);
}

function refuseReading(
  app: ApplicationCall,
  reading: Extract<ReturnType<typeof parseCallbackRequest>, { ok: false }>,
): Outcome {
  const { call } = app;
  call.ptnCd = seenField(reading.json, 'ptn_cd');
  call.clientId = seenField(reading.json, 'client_id');
  const usedType = seenField(reading.json, 'used_type');
  if (usedType === '1') call.operation = 'key-exchange';
  if (usedType === '2') call.operation = 'registration';
  const refused =
    reading.field === 'used_type'
      ? refusal(applicationCodes, 'used-type', reading.problem)
      : refusalOfReading(reading, applicationCodes);
  return call.refuse(refused) ?? acceptBlindly(app);
}

/** Section 4.1.1: a new key for the user, stored and returned wrapped. */
async function exchangeKey(app: ApplicationCall, request: KeyExchangeRequest): Promise<Outcome> {
  const { call, on, users, environment } = app;
  const publicKey = readPublicKeyField(request.publicKey);
  if (publicKey === undefined) return call.refuse(refuseAs('public-key')) ?? acceptBlindly(app);
  const ptnCd = on.pass('userCode', request.ptnCd, call.seen());
  call.user = users.get(ptnCd);
  const see = (key: string) => ({ ...call.seen(), ptnCd: request.ptnCd, publicKey, key });
  const right = generatePerUserKey(environment.randomBytes);
  const key = on.pass('key', right, see(right));
  call.key = key;
  call.hide(key);
  const kept = on.pass('keptUser', { ptnCd, key: Secret.key(key), state: 'known' }, see(key));
  if (kept !== undefined) await users.put(kept);
  return { ok: true, body: encodeKeyExchangeAnswer({ encPartnerKey: wrap(app, see(key)) }) };
}

/** Section 2.2: RSAES-PKCS1-v1_5 of the key's characters, in Base64. */
function wrap({ on, environment }: ApplicationCall, seen: KeyExchangeSituation): string {
  const { publicKey } = seen;
  const message = on.pass('message', encodeUtf8(seen.key), seen);
  const wrapped = encryptRsaesPkcs1V15(publicKey, message, environment.randomBytes);
  const ciphertext = on.pass('ciphertext', wrapped, seen);
  return on.pass('encPartnerKey', encodeBase64(ciphertext), seen);
}

/** Section 4.1.2: the passcode decrypted with the key of that user, and stored. */
async function register(app: ApplicationCall, request: RegistrationRequest): Promise<Outcome> {
  const { call, on, users } = app;
  const user = users.get(on.pass('userCode', request.ptnCd, call.seen()));
  if (user === undefined) return call.refuse(refuseAs('unknown-user')) ?? acceptBlindly(app);
  call.user = user;
  call.key = user.key.reveal();
  const superPasscode = decryptText(app, request.partnerSp, user.key);
  const userInfo =
    request.ubifill === undefined ? undefined : decryptText(app, request.ubifill, user.key);
  call.hide(user.key, superPasscode, userInfo);
  if (superPasscode === undefined || (request.ubifill !== undefined && userInfo === undefined)) {
    return call.refuse(refuseAs('undecryptable')) ?? acceptBlindly(app);
  }
  await users.put({ ...user, superPasscode, userInfo, state: 'registered' });
  return { ok: true, body: encodeRegistrationAnswer() };
}

/**
 * The text of a payload; undefined where it can't be decrypted. What fails early then does the work
 * of what fails late, so that the time doesn't tell them apart (RFC 5246 7.4.7.1, RFC 8017 7.2.2).
 */
function decryptText(app: ApplicationCall, payload: string, key: Secret): Secret | undefined {
  const result = decryptPayload(payload, key.reveal(), app.cipher);
  if (result.ok) return Secret.optional(decodeUtf8(result.plaintext));
  if (early.has(result.failure)) decryptPayload(app.standIn, key.reveal(), app.cipher);
  decodeUtf8(noText);
  return undefined;
}

/** Found out before anything is decrypted. */
const early: ReadonlySet<PayloadFailure> = new Set([
  'payload-encoding',
  'payload-length',
  'salt-missing',
]);

function refuseAs(name: ApplicationRefusal) {
  return refusal(applicationCodes, name, applicationCodes[name].meaning);
}

/** What an application answers that takes a request as good without being able to do its work. */
function acceptBlindly({ call, environment }: ApplicationCall): Outcome {
  if (call.operation !== 'key-exchange') return { ok: true, body: encodeRegistrationAnswer() };
  const encPartnerKey = encodeBase64(environment.randomBytes(256));
  return { ok: true, body: encodeKeyExchangeAnswer({ encPartnerKey }) };
}
