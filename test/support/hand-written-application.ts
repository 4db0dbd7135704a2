import { constants, createDecipheriv, createPublicKey, publicEncrypt } from 'node:crypto';
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { listen } from './fault-server.ts';
import { seededBytes } from './seeded-bytes.ts';

/** How an application decrypts a payload's bytes with the stored key; it throws what node:crypto does. */
export type Decrypt = (raw: Buffer, key: string) => Buffer;

const finish = (name: string, key: string | Buffer, iv: Buffer | null, body: Buffer): Buffer => {
  const decipher = createDecipheriv(name, key, iv);
  return Buffer.concat([decipher.update(body), decipher.final()]);
};

/** Decryptions as developers write them; all but the first misread what the default cipher makes. */
export const decryptions = {
  right: (raw, key) => finish('aes-256-cbc', key, raw.subarray(0, 16), raw.subarray(16)),
  ecb: (raw, key) => finish('aes-256-ecb', key, null, raw),
  hexKey: (raw, key) =>
    finish('aes-128-cbc', Buffer.from(key, 'hex'), raw.subarray(0, 16), raw.subarray(16)),
} as const satisfies Readonly<Record<string, Decrypt>>;

/** What an application received, as JSON. */
type Call = Readonly<Record<string, string>>;

/** How an application differs from a right one. */
export interface HandWritten {
  readonly decrypt?: Decrypt;
  readonly makeKey?: () => string;
  /** What is kept of a key. */
  readonly stored?: (key: string) => string;
  /** The response to an error; by default a refusal with its message. */
  readonly onError?: (error: Error) => { readonly status: number; readonly body: string };
  /** Changes the text of a response, by the kind of callback. */
  readonly respond?: (usedType: unknown, right: string) => string;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

const refusal = ({ message }: Error) => ({
  status: 200,
  body: JSON.stringify({ code: '9999', message }),
});

/** The same keys for each application: which ciphers fit a wrong decryption depends on them. */
function drawingKeys(): () => string {
  const draw = seededBytes('application');
  return () => draw(16).toString('hex');
}

function wrap(publicKey = '', key: string): string {
  const bytes = Buffer.from(publicKey, 'base64');
  const spki = createPublicKey({ key: bytes, format: 'der', type: 'spki' });
  const { RSA_PKCS1_PADDING: padding } = constants;
  return publicEncrypt({ key: spki, padding }, Buffer.from(key)).toString('base64');
}

/**
 * Section 4.1 of the interface in node:crypto alone, on loopback, which reports the errors of node:crypto;
 * with what it received.
 */
export async function startHandWritten({
  decrypt = decryptions.right,
  makeKey = drawingKeys(),
  stored = (key) => key,
  onError = refusal,
  respond = (_, right) => right,
  status = 200,
  headers = { 'content-type': 'application/json' },
}: HandWritten = {}) {
  const keys = new Map<string, string>();
  const calls: Call[] = [];
  const text = (payload: string, key: string) => {
    const bytes = decrypt(Buffer.from(payload, 'base64'), key);
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  };
  const handle = (call: Call): object => {
    const { ptn_cd: ptnCd = '', partner_sp: partnerSp = '' } = call;
    if (ptnCd === '') throw new Error('no ptn_cd');
    if (call.used_type === '1') {
      const key = makeKey();
      keys.set(ptnCd, stored(key));
      return { result: { enc_partner_key: wrap(call.public_key, key) } };
    }
    const key = keys.get(ptnCd);
    if (key === undefined) throw new Error('not a user');
    text(partnerSp, key);
    if (call.ubifill !== undefined) JSON.parse(text(call.ubifill, key));
    return {};
  };
  const server = createServer(async (request, response) => {
    let call: Call = {};
    try {
      call = (await json(request)) as Call;
      calls.push(call);
      const right = JSON.stringify({ code: '0000', message: '', ...handle(call) });
      response.writeHead(status, headers).end(respond(call.used_type, right));
    } catch (error) {
      const refused = onError(error as Error);
      response.writeHead(refused.status, headers).end(respond(call.used_type, refused.body));
    }
  });
  return { ...(await listen(server, 'http')), calls };
}
