import { decodeBase64Strict, decodeUtf8, encodeBase64, encodeUtf8 } from '../bytes.ts';
import { publicKeyIn } from '../crypto/key-reading.ts';
import { decryptPayload, encryptPayload, type PayloadFailure } from '../crypto/payload-ciphers.ts';
import { generatePerUserKey } from '../crypto/per-user-key.ts';
import { encryptRsaesPkcs1V15 } from '../crypto/rsaes-pkcs1-v1_5.ts';
import { Secret } from '../crypto/secret.ts';
import { keepingLatest } from '../latest-results.ts';
import {
  type KeyExchangeRequest,
  operations,
  parseCallbackRequest,
  type RegistrationRequest,
  type RequestReading,
} from '../protocol/operations.ts';

import type { User } from '../protocol/user.ts';
import { excerptOf } from '../text.ts';
import { Call, type Outcome, type Side } from './call.ts';
import type { ApplicationPoints, KeyExchangeSituation } from './faults/points.ts';
import { type CallFaults, Switchboard } from './faults/switchboard.ts';
import { applicationFaults } from './faults.ts';
import { type Handled, refusal } from './handling.ts';
import type { EmulatorRequest } from './http.ts';
import {
  type ApplicationRefusal,
  applicationCodes,
  refusalOfHttp,
  refusalOfReading,
  seenField,
} from './refusals.ts';

export interface UserStore {
  get(ptnCd: string): User | undefined;
  /** Resolves once the user is stored durably; `get` returns it at once. */
  put(user: User): void | Promise<void>;
  list(): readonly User[];
  /** Forgets all users, where that loses nothing that was stored durably. */
  clear?(): void;
}

export function createUserStore(users: Iterable<User> = []): UserStore {
  const known = new Map([...users].map((user) => [user.ptnCd, user]));
  return {
    get: (ptnCd) => known.get(ptnCd),
    put: (user) => void known.set(user.ptnCd, user),
    list: () => [...known.values()],
    clear: () => known.clear(),
  };
}

export interface Application extends Side {
  readonly users: UserStore;
  /** A payload to decrypt in place of one that fails early; see `decryptText`. */
  readonly dummyPayload: string;
  readonly faults: Switchboard<ApplicationPoints>;
}

export interface ApplicationOptions extends Side {
  readonly users?: UserStore;
}

export function createApplication({ users, ...side }: ApplicationOptions): Application {
  return {
    ...side,
    users: users ?? createUserStore(),
    dummyPayload: encryptPayload(zeros(32), '0'.repeat(64), side.cipher, zeros),
    faults: new Switchboard(applicationFaults),
  };
}

const zeros = (size: number) => new Uint8Array(size);

interface ApplicationCall extends Application {
  readonly call: Call;
  readonly on: CallFaults<ApplicationPoints>;
}

/** The path of the emulated callback URL; the interface leaves it to the application. */
export const callbackPath = '/callback';

/**
 * Responds to a request to the callback URL (section 4.1). Undecryptable
 * payloads are all refused alike, so that the responses are not an oracle (RFC 8017 7.2.2, note).
 * Rejects only where `users` can't store a user.
 */
export async function handleCallback(
  request: EmulatorRequest,
  application: Application,
): Promise<Handled> {
  const on = application.faults.beginCall();
  const call = new Call(request, application, on);
  return call.finish(await decide({ ...application, call, on }));
}

async function decide(app: ApplicationCall): Promise<Outcome> {
  const { call } = app;
  const { path } = call.request;
  // A bare address counts as the callback URL: there is nothing else to reach.
  if (path !== callbackPath && path !== '/') return refuseWrongPath(app);
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

/** The key of the user is hidden here too, wherever the request contains it. */
function refuseWrongPath({ call, users }: ApplicationCall): Outcome {
  const reading = parseCallbackRequest(call.request.body);
  const user = reading.ok ? users.get(reading.value.ptnCd) : undefined;
  if (user !== undefined) {
    call.key = user.key.reveal();
    call.hide(user.key);
  }
  const path = excerptOf(call.request.path, 60);
  const message = `No endpoint at ${path}: the path of the callback URL is ${callbackPath}.`;
  return { ok: false, refusal: refusal(applicationCodes, 'path', message) };
}

function refuseReading(
  app: ApplicationCall,
  reading: Extract<RequestReading<unknown>, { ok: false }>,
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
  const stored = on.pass('storedKey', key, see(key));
  if (stored) await users.put({ ptnCd, key: Secret.key(stored), state: 'known' });
  return {
    ok: true,
    body: operations['key-exchange'].encodeResponse({ encPartnerKey: wrap(app, see(key)) }),
  };
}

/** Section 2.2. */
function wrap({ on, environment }: ApplicationCall, seen: KeyExchangeSituation): string {
  const { publicKey } = seen;
  const message = on.pass('message', encodeUtf8(seen.key), seen);
  const wrapped = encryptRsaesPkcs1V15(publicKey, message, environment.randomBytes);
  const ciphertext = on.pass('ciphertext', wrapped, seen);
  return on.pass('encPartnerKey', encodeBase64(ciphertext), seen);
}

/** Section 4.1.2: the passcode is decrypted with the user's key, and stored. */
async function register(app: ApplicationCall, request: RegistrationRequest): Promise<Outcome> {
  const { call, on, users } = app;
  const ptnCd = on.pass('userCode', request.ptnCd, call.seen());
  const user = users.get(ptnCd);
  call.user = user;
  const seen = { ...call.seen(), ptnCd: request.ptnCd };
  const key = on.pass('foundKey', user?.key.reveal(), seen);
  if (key === undefined) return call.refuse(refuseAs('unknown-user')) ?? acceptBlindly(app);
  call.key = key;
  const { partnerSp, ubifill } = request;
  const superPasscode = decryptText(app, partnerSp, key);
  const userInfo = ubifill === undefined ? undefined : decryptText(app, ubifill, key);
  call.hide(key, superPasscode);
  call.hideUserInformation(userInfo);
  if (superPasscode === undefined || (ubifill !== undefined && userInfo === undefined)) {
    return call.refuse(refuseAs('undecryptable')) ?? acceptBlindly(app);
  }
  const registered = { ...user, ptnCd, key: Secret.key(key), superPasscode, userInfo };
  await users.put({ ...registered, state: 'registered' });
  return { ok: true, body: operations.registration.encodeResponse({}) };
}

/**
 * The text of a payload, if it can be decrypted. What fails early then does the work of what fails
 * late, so that the time doesn't distinguish them (RFC 5246 7.4.7.1, RFC 8017 7.2.2).
 */
function decryptText(app: ApplicationCall, payload: string, key: string): Secret | undefined {
  const result = decryptPayload(payload, key, app.cipher);
  if (result.ok) return Secret.optional(decodeUtf8(result.plaintext));
  if (earlyFailures.has(result.failure)) decryptPayload(app.dummyPayload, key, app.cipher);
  decodeUtf8(Uint8Array.of(0xff));
  return undefined;
}

/** What is detected before anything is decrypted. */
const earlyFailures: ReadonlySet<PayloadFailure> = new Set([
  'payload-encoding',
  'payload-length',
  'salt-missing',
]);

function refuseAs(name: ApplicationRefusal) {
  return refusal(applicationCodes, name);
}

/** Success without the work, for a request that only a fault lets pass. */
function acceptBlindly({ call, environment }: ApplicationCall): Outcome {
  if (call.operation !== 'key-exchange')
    return { ok: true, body: operations.registration.encodeResponse({}) };
  const encPartnerKey = encodeBase64(environment.randomBytes(256));
  return { ok: true, body: operations['key-exchange'].encodeResponse({ encPartnerKey }) };
}

/**
 * Section 2.2: Base64 (RFC 4648 section 4, no white space) of an X.509 SubjectPublicKeyInfo with an
 * RSA key that can wrap 32 characters; not the other forms that {@link publicKeyIn} converts.
 */
const readPublicKeyField = keepingLatest(64, (text: string) => {
  const reading = decodeBase64Strict(text) && publicKeyIn(text);
  return reading?.encoding === 'base64' && reading.notes.length === 0 ? reading.key : undefined;
});
