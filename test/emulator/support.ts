import assert from 'node:assert/strict';
import {
  constants,
  createCipheriv,
  createDecipheriv,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  privateDecrypt,
} from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { type Cipher, defaultCipher } from '../../src/crypto/cipher.ts';
import { Secret } from '../../src/crypto/secret.ts';
import { createApplication, handleCallback } from '../../src/emulator/application.ts';
import type { EmulatorRequest, EmulatorResponse } from '../../src/emulator/http.ts';
import { createService, handleServiceCall, type ServiceUser } from '../../src/emulator/service.ts';
import { issuePtnToken } from '../../src/emulator/tokens.ts';
import { seededBytes } from '../support/seeded-bytes.ts';

const randomBytes = seededBytes('support');

/*
 * What the tests of the emulators send and how they read what comes back. The cryptography here is
 * node:crypto's own, so that the emulators are not judged by their own code.
 */

export const clientId = 'client-1';
export const secretKey = 'server-secret-of-the-tests';

/** 2026-01-02 03:04:05 UTC. */
export const startOfTime = Date.UTC(2026, 0, 2, 3, 4, 5);

/** A clock that stands still until it is moved, and the same random bytes in every test. */
export function stoppedClock() {
  let now = startOfTime;
  return {
    environment: { now: () => now, randomBytes: seededBytes('environment') },
    pass: (milliseconds: number) => {
      now += milliseconds;
    },
  };
}

export interface KeyPair {
  readonly privateKey: KeyObject;
  /** What the interface sends as `public_key`. */
  readonly publicKeyText: string;
}

/** From the pool of all tests, where it has one of that size. */
export function newKeyPair(modulusLength = 2048, number = '01'): KeyPair {
  const file = `fixtures/keys/pool/${modulusLength}-${number}.pem`;
  const privateKey = existsSync(file)
    ? createPrivateKey(readFileSync(file))
    : generateKeyPairSync('rsa', { modulusLength }).privateKey;
  const spki = createPublicKey(privateKey).export({ type: 'spki', format: 'der' });
  return { privateKey, publicKeyText: spki.toString('base64') };
}

export const keyPair = newKeyPair();

/** A POST as the interface has it; `body` is sent as JSON, text as it is. */
export function post(body: unknown, changes: Partial<EmulatorRequest> = {}): EmulatorRequest {
  return {
    method: 'POST',
    path: '/callback',
    headers: { 'content-type': 'application/json;charset=utf-8' },
    body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
    ...changes,
  };
}

export function json(response: EmulatorResponse): Record<string, unknown> {
  return JSON.parse(Buffer.from(response.body).toString());
}

/** The key inside `enc_partner_key`, by RFC 8017 7.2.2 read by hand. */
export function unwrap(encPartnerKey: string, { privateKey: key } = keyPair): string {
  assert.match(encPartnerKey, /^[A-Za-z0-9+/]+={0,2}$/);
  const ciphertext = Buffer.from(encPartnerKey, 'base64');
  const block = privateDecrypt({ key, padding: constants.RSA_NO_PADDING }, ciphertext);
  const separator = block.indexOf(0, 2);
  assert.deepEqual([...block.subarray(0, 2)], [0, 2], 'block type 2');
  assert.ok(separator >= 10, 'at least eight octets of padding');
  return block.subarray(separator + 1).toString();
}

/** AES-256-CBC with the key's characters as the key and a random IV in front, in Base64: the default cipher. */
export function encrypt(text: string | Uint8Array, key: string): string {
  const iv = randomBytes(16);
  const cipher = createCipheriv('aes-256-cbc', key, iv);
  return Buffer.concat([iv, cipher.update(text), cipher.final()]).toString('base64');
}

export function decrypt(payload: string, key: string): string {
  const bytes = Buffer.from(payload, 'base64');
  const decipher = createDecipheriv('aes-256-cbc', key, bytes.subarray(0, 16));
  return Buffer.concat([decipher.update(bytes.subarray(16)), decipher.final()]).toString();
}

export function keyExchange(ptnCd = 'user-1', changes: Readonly<Record<string, unknown>> = {}) {
  const { publicKeyText: public_key } = keyPair;
  return post({ client_id: clientId, used_type: '1', ptn_cd: ptnCd, public_key, ...changes });
}

export function registration(
  partner_sp: string,
  ptnCd = 'user-1',
  changes: Readonly<Record<string, unknown>> = {},
) {
  return post({ client_id: clientId, used_type: '2', ptn_cd: ptnCd, partner_sp, ...changes });
}

/** A reference application, its responses, and the key it returns. */
export function newApplication() {
  const { environment, pass } = stoppedClock();
  const application = createApplication({ clientId, cipher: defaultCipher, environment });
  const call = (request: EmulatorRequest) => handleCallback(request, application);
  const send = async (request: EmulatorRequest) => json((await call(request)).response);
  const wrapped = async (request = keyExchange()) => {
    const { result } = await send(request);
    return (result as { enc_partner_key: string }).enc_partner_key;
  };
  const exchange = async (ptnCd = 'user-1') => unwrap(await wrapped(keyExchange(ptnCd)));
  return { application, call, send, wrapped, exchange, pass };
}

export const registeredUser: ServiceUser = {
  ptnCd: 'user-1',
  key: Secret.key('0123456789abcdefghijklmnopqrstuv'),
  superPasscode: Secret.text('passcode-of-user-1'),
};

/** An emulated service that knows `users`, and the calls of an application's server. */
export function newService(
  users: readonly ServiceUser[] = [registeredUser],
  cipher: Cipher = defaultCipher,
) {
  const { environment, pass } = stoppedClock();
  const service = createService({
    clientId,
    secretKey: Secret.text(secretKey),
    cipher,
    environment,
    findUser: (ptnCd) => users.find((user) => user.ptnCd === ptnCd),
  });
  const call = (request: EmulatorRequest) => handleServiceCall(request, service);
  const send = async (request: EmulatorRequest) => json((await call(request)).response);
  const ptnToken = (ptnCd = 'user-1') =>
    issuePtnToken(ptnCd, { clientId, secretKey: Secret.text(secretKey) }, environment);
  const acsToken = async (ptnCd = 'user-1') => {
    const { result } = await send(tokenCall(ptnToken(ptnCd)));
    return (result as { acs_token: string }).acs_token;
  };
  return { service, call, send, ptnToken, acsToken, pass };
}

export function tokenCall(ptn_token: string, changes: Readonly<Record<string, unknown>> = {}) {
  const body = { client_id: clientId, secret_key: secretKey, ptn_token, ...changes };
  return post(body, { path: '/process/token' });
}

export function authenticateCall(
  acs_token: string,
  changes: Readonly<Record<string, unknown>> = {},
) {
  const body = { client_id: clientId, secret_key: secretKey, acs_token, ...changes };
  return post(body, { path: '/process/authenticate' });
}
