import { constants, createCipheriv, createPublicKey, publicEncrypt } from 'node:crypto';

/** The secrets in right responses. */
export const peer = {
  key: 'Zk3v9QxT1mB7cRf0LwY8nHs5JdPa2UgE',
  passcode: 'Super-Passcode-0042',
  user: 'user-1',
} as const;

/** A right response as JSON, for a change to be made in it. */
export interface RightResponse {
  readonly code: string;
  readonly message: string;
  readonly result: Readonly<Record<string, string>>;
}

/** The response to a request by the interface (4.1.1 to 4.2.2), recognised by its body. */
export function rightResponse(requestBody: Uint8Array): RightResponse {
  return { code: '0000', message: 'OK', result: resultFor(readBody(requestBody)) };
}

type Call = Readonly<Record<string, unknown>>;

function readBody(body: Uint8Array): Call {
  try {
    return JSON.parse(Buffer.from(body).toString('utf8')) as Call;
  } catch {
    return {}; // doctor asks with OPTIONS, and verify sends what is wrong on purpose
  }
}

function resultFor(call: Call): RightResponse['result'] {
  if (typeof call.public_key === 'string') return { enc_partner_key: wrap(call.public_key) };
  if (call.ptn_token !== undefined) {
    return { acs_token: 'acs-0123456789', expire_dt: '20300102030405', ptn_cd: peer.user };
  }
  return call.acs_token === undefined ? {} : { ptn_sp: encryptedPasscode };
}

function wrap(publicKey: string): string {
  const spki = Buffer.from(publicKey, 'base64');
  const key = createPublicKey({ key: spki, format: 'der', type: 'spki' });
  const padding = constants.RSA_PKCS1_PADDING;
  return publicEncrypt({ key, padding }, Buffer.from(peer.key)).toString('base64');
}

const encryptedPasscode = encryptPasscode();

function encryptPasscode(): string {
  const iv = Buffer.alloc(16, 7);
  const cipher = createCipheriv('aes-256-cbc', Buffer.from(peer.key), iv);
  return Buffer.concat([iv, cipher.update(peer.passcode), cipher.final()]).toString('base64');
}
