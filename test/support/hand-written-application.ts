import { constants, createDecipheriv, createPublicKey, publicEncrypt } from 'node:crypto';
import { createServer } from 'node:http';
import { listen, type TestServer } from './fault-server.ts';
import { readJson } from './peer-application.ts';
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
  zeroIv: (raw, key) => finish('aes-256-cbc', key, Buffer.alloc(16), raw),
  gcm: (raw, key) => {
    const decipher = createDecipheriv('aes-256-gcm', key, raw.subarray(0, 12));
    decipher.setAuthTag(raw.subarray(-16));
    return Buffer.concat([decipher.update(raw.subarray(12, -16)), decipher.final()]);
  },
  hexKey: (raw, key) =>
    finish('aes-128-cbc', Buffer.from(key, 'hex'), raw.subarray(0, 16), raw.subarray(16)),
  /** Wrong padding may leave nothing, and noise becomes text. */
  uncheckedPadding: (raw, key) => {
    const decipher = createDecipheriv('aes-256-cbc', key, raw.subarray(0, 16));
    const plain = decipher.setAutoPadding(false).update(raw.subarray(16));
    const end = Math.max(0, plain.length - (plain.at(-1) ?? 0));
    return Buffer.from(plain.subarray(0, end).toString());
  },
  /** The block in front of the text is noise, which becomes text. */
  ivKept: (raw, key) => Buffer.from(finish('aes-256-cbc', key, Buffer.alloc(16), raw).toString()),
} as const satisfies Readonly<Record<string, Decrypt>>;

interface Options {
  readonly decrypt: Decrypt;
  /** What is kept of a key. */
  readonly stored?: (key: string) => string;
  /** The response to an error; by default a refusal with its message. */
  readonly onError?: (error: Error) => { readonly status: number; readonly body: string };
  readonly makeKey?: () => string;
  readonly refusesUserInfo?: boolean;
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

/** An application on loopback that reports the errors of node:crypto. */
export async function startHandWritten({
  decrypt,
  stored = (key) => key,
  onError = refusal,
  makeKey = drawingKeys(),
  refusesUserInfo = false,
}: Options): Promise<TestServer> {
  const keys = new Map<string, string>();
  const text = (payload: string, key: string) =>
    new TextDecoder('utf-8', { fatal: true }).decode(decrypt(Buffer.from(payload, 'base64'), key));
  const respond = (call: Readonly<Record<string, string>>): object => {
    const { ptn_cd: ptnCd = '', public_key: publicKey = '', partner_sp: partnerSp = '' } = call;
    if (ptnCd === '') throw new Error('no ptn_cd');
    if (call.used_type === '1') {
      const key = makeKey();
      const spki = createPublicKey({
        key: Buffer.from(publicKey, 'base64'),
        format: 'der',
        type: 'spki',
      });
      const wrapped = publicEncrypt(
        { key: spki, padding: constants.RSA_PKCS1_PADDING },
        Buffer.from(key),
      );
      keys.set(ptnCd, stored(key));
      return { result: { enc_partner_key: wrapped.toString('base64') } };
    }
    const key = keys.get(ptnCd);
    if (key === undefined) throw new Error('not a user');
    text(partnerSp, key);
    if (call.ubifill !== undefined) {
      const info = JSON.parse(text(call.ubifill, key));
      if (refusesUserInfo) throw new Error(`unknown attribute of ${Object.keys(info).length}`);
    }
    return {};
  };
  const server = createServer(async (request, response) => {
    response.setHeader('content-type', 'application/json');
    try {
      const call = (await readJson(request)) as Readonly<Record<string, string>>;
      response.end(JSON.stringify({ code: '0000', message: '', ...respond(call) }));
    } catch (error) {
      const { status, body } = onError(error as Error);
      response.writeHead(status).end(body);
    }
  });
  return listen(server, 'http');
}
