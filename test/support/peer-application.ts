import { constants, createDecipheriv, createPublicKey, publicEncrypt } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { listen, type TestServer } from './fault-server.ts';

/** What an application received, as JSON. */
export type Call = Readonly<Record<string, unknown>>;

/** How an application differs from the interface. */
export interface ApplicationVariant {
  readonly key?: string;
  readonly padding?: number;
  /** Changes the text of a response, by the kind of callback. */
  readonly respond?: (usedType: unknown, right: string) => string;
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An application on loopback, with what it saw. */
export interface PeerApplication extends TestServer {
  readonly calls: Call[];
  /** What the last registration decrypted to. */
  readonly decrypted: { partnerSp?: string; ubifill?: string };
}

export const applicationKey = 'Zk3v9QxT1mB7cRf0LwY8nHs5JdPa2UgE';

/** Section 4.1 of the interface in node:crypto alone, with aes-256-cbc and the IV in front. */
export async function startApplication(variant: ApplicationVariant = {}): Promise<PeerApplication> {
  const calls: Call[] = [];
  const decrypted: PeerApplication['decrypted'] = {};
  const key = variant.key ?? applicationKey;
  const respond = (call: Call): string => {
    if (call.used_type === '1') {
      const wrapped = wrap(String(call.public_key), key, variant.padding);
      return JSON.stringify({ code: '0000', message: '', result: { enc_partner_key: wrapped } });
    }
    try {
      decrypted.partnerSp = decrypt(String(call.partner_sp), key);
      if (call.ubifill !== undefined) decrypted.ubifill = decrypt(String(call.ubifill), key);
    } catch {
      return JSON.stringify({ code: '5001', message: 'cannot decrypt' });
    }
    return JSON.stringify({ code: '0000', message: '' });
  };
  const server = createServer(async (request, response) => {
    const call = await readJson(request);
    calls.push(call);
    const right = respond(call);
    write(response, variant, variant.respond?.(call.used_type, right) ?? right);
  });
  return { ...(await listen(server, 'http')), calls, decrypted };
}

function wrap(publicKey: string, key: string, padding = constants.RSA_PKCS1_PADDING): string {
  const spki = Buffer.from(publicKey, 'base64');
  const keyObject = createPublicKey({ key: spki, format: 'der', type: 'spki' });
  return publicEncrypt({ key: keyObject, padding }, Buffer.from(key)).toString('base64');
}

function decrypt(payload: string, key: string): string {
  const bytes = Buffer.from(payload, 'base64');
  const decipher = createDecipheriv('aes-256-cbc', Buffer.from(key), bytes.subarray(0, 16));
  return Buffer.concat([decipher.update(bytes.subarray(16)), decipher.final()]).toString('utf8');
}

/** The body of a request as a JSON object. */
export async function readJson(request: IncomingMessage): Promise<Call> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString('utf8'));
}

function write(response: ServerResponse, variant: ApplicationVariant, text: string): void {
  const headers = variant.headers ?? { 'content-type': 'application/json' };
  response.writeHead(variant.status ?? 200, headers).end(text);
}
