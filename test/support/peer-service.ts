import { createCipheriv } from 'node:crypto';
import { createServer } from 'node:http';
import { listen, type TestServer } from './fault-server.ts';
import { type Call, readJson } from './peer-application.ts';
import { seededBytes } from './seeded-bytes.ts';

const randomBytes = seededBytes('peer-service');

/** How a service differs from the interface, and what it contains. */
export interface ServiceVariant {
  readonly key?: string;
  readonly passcode?: string;
  readonly algorithm?: 'aes-256-cbc' | 'aes-256-ctr' | 'aes-256-ecb';
  /** Changes the text of a response, by its path. */
  readonly respond?: (path: string, right: string) => string;
}

/** One request to a service. */
export interface ServiceCall {
  readonly path: string;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: Call;
}

/** A service on loopback, with what it saw. */
export interface PeerService extends TestServer {
  readonly authUrl: string;
  readonly calls: ServiceCall[];
}

export const userKey = 'q7Hn2Lx9Vb4Tz6Rm1Kc8Wd3Fs5Gy0JpA';
export const userPasscode = 'Super-Passcode-0042';

/** Section 4.2 of the interface in node:crypto alone. */
export async function startService(variant: ServiceVariant = {}): Promise<PeerService> {
  const calls: ServiceCall[] = [];
  const server = createServer(async (request, response) => {
    const path = request.url ?? '';
    calls.push({ path, headers: request.headers, body: await readJson(request) });
    const right = JSON.stringify({ code: '0000', message: 'OK', result: resultOf(path, variant) });
    response
      .writeHead(200, { 'content-type': 'application/json;charset=utf-8' })
      .end(variant.respond?.(path, right) ?? right);
  });
  const listening = await listen(server, 'http');
  return { ...listening, calls, authUrl: `${listening.url.origin}/login` };
}

function resultOf(path: string, variant: ServiceVariant): object {
  return path.endsWith('/token')
    ? { acs_token: 'acs-0123456789', expire_dt: '20300102030405', ptn_cd: 'user-1' }
    : { ptn_sp: encrypt(variant) };
}

function encrypt({
  key = userKey,
  passcode = userPasscode,
  algorithm = 'aes-256-cbc',
}: ServiceVariant) {
  const iv = algorithm === 'aes-256-ecb' ? Buffer.alloc(0) : randomBytes(16);
  const cipher = createCipheriv(algorithm, Buffer.from(key), iv.length === 0 ? null : iv);
  return Buffer.concat([iv, cipher.update(passcode, 'utf8'), cipher.final()]).toString('base64');
}
