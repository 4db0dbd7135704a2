import { constants, createCipheriv, createPublicKey, publicEncrypt } from 'node:crypto';
import { TLSSocket } from 'node:tls';
import type { ErrorCode } from '../../../src/errors.ts';
import { makeCertificate } from '../../support/certificates.ts';
import { type Line, startFaultServer, type TestServer } from '../../support/fault-server.ts';

/**
 * How a command ends that gets the response: `code` is that of its error, where it has one and the
 * answer alone decides it; `any` where chance decides between right endings.
 */
export interface Ending {
  readonly exit: 0 | 1 | 3 | 'any';
  readonly code?: ErrorCode;
}

/** The command goes on as if nothing was odd; a response is wrong; none came that could be read. */
export const accepted: Ending = { exit: 0 };
export const wrong = (code: ErrorCode): Ending => ({ exit: 1, code });
export const lost = (code: ErrorCode): Ending => ({ exit: 3, code });

/** One response of a peer. */
export interface HostileResponse {
  readonly name: string;
  readonly ending: Ending;
  /** Responds to one request, which was read; with `atOnce`, called as soon as there is a connection. */
  readonly serve: (line: Line, right: RightResponse) => void | Promise<void>;
  readonly atOnce?: boolean;
  /** The scheme of the URL that the command is given, and what the server speaks; plain by default. */
  readonly scheme?: 'http' | 'https';
  readonly speaks?: 'http' | 'https';
  /** Whether it ends by the time limit alone. */
  readonly endless?: boolean;
  /** Further arguments of the command. */
  readonly argv?: readonly string[];
}

type Text = string | Uint8Array;

/** The bytes of a whole response: status 200 and JSON unless `head` says otherwise. */
export function message(body: Text, head: { status?: string; headers?: readonly string[] } = {}) {
  const bytes = Buffer.from(body);
  const { status = 'HTTP/1.1 200 OK', headers = ['content-type: application/json'] } = head;
  const lines = [status, ...headers, `content-length: ${bytes.length}`, '', ''];
  return Buffer.concat([Buffer.from(lines.join('\r\n'), 'latin1'), bytes]);
}

/** A response that sends the body that `make` gives, with a length. */
export function body(
  name: string,
  ending: Ending,
  make: Text | ((right: string, value: RightResponse) => Text),
  headers: readonly string[] = ['content-type: application/json'],
): HostileResponse {
  const serve: HostileResponse['serve'] = (line, right) => {
    const bytes = typeof make === 'function' ? make(JSON.stringify(right), right) : make;
    line.send(message(bytes, { headers }));
  };
  return { name, ending, serve };
}

/** What follows the text of a response. */
export type Then = 'end' | 'reset';

/** A response that sends text (Latin-1) as it is, and then optionally ends or cuts the connection. */
export function raw(
  name: string,
  ending: Ending,
  text: Text | ((right: string) => Text),
  then?: Then,
): HostileResponse {
  const serve: HostileResponse['serve'] = (line, right) => {
    line.send(typeof text === 'function' ? text(JSON.stringify(right)) : text);
    if (then === 'end') line.socket.end();
    if (then === 'reset') setTimeout(() => cut(line), 20);
  };
  return { name, ending, serve };
}

/** What acts on the connection at once. */
export function atOnce(name: string, ending: Ending, serve: (line: Line) => unknown) {
  return { name, ending, atOnce: true, serve: (line: Line) => void serve(line) };
}

/** Resets the connection; over TLS, where Node can't, it is closed without a word. */
export function cut({ socket }: Line): void {
  if (socket instanceof TLSSocket) socket.destroy();
  else socket.resetAndDestroy();
}

/** Sends `start`, then `chunk` without end, as fast as the other side takes it. */
export function pour(name: string, ending: Ending, start: string, chunk: string): HostileResponse {
  const serve = (line: Line): void => {
    line.send(start);
    const more = (): void => {
      while (!line.socket.destroyed && line.socket.write(chunk, 'latin1'));
      if (!line.socket.destroyed) line.socket.once('drain', more);
    };
    more();
  };
  return { name, ending, serve };
}

/** Sends `start`, then `chunk` every few milliseconds, so that the time limit alone ends it. */
export function drip(name: string, start: string, chunk: string): HostileResponse {
  const serve = (line: Line): void => {
    line.send(start);
    const timer = setInterval(() => line.send(chunk), 10);
    line.socket.once('close', () => clearInterval(timer));
  };
  return { name, ending: lost('timeout'), endless: true, serve };
}

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

/** The result for a request by the interface (4.1.1 to 4.2.2), recognised by its body. */
function resultFor(body: string): RightResponse['result'] {
  let call: Readonly<Record<string, unknown>>;
  try {
    call = JSON.parse(body);
  } catch {
    return {}; // doctor asks with OPTIONS, and verify sends what is wrong on purpose
  }
  if (typeof call.public_key === 'string') {
    const spki = Buffer.from(call.public_key, 'base64');
    const key = createPublicKey({ key: spki, format: 'der', type: 'spki' });
    const padding = constants.RSA_PKCS1_PADDING;
    const wrapped = publicEncrypt({ key, padding }, Buffer.from(peer.key));
    return { enc_partner_key: wrapped.toString('base64') };
  }
  if (call.ptn_token !== undefined)
    return { acs_token: 'acs-0123456789', expire_dt: '20300102030405', ptn_cd: peer.user };
  if (call.acs_token === undefined) return {};
  const iv = Buffer.alloc(16, 7);
  const cipher = createCipheriv('aes-256-cbc', peer.key, iv);
  const payload = Buffer.concat([iv, cipher.update(peer.passcode), cipher.final()]);
  return { ptn_sp: payload.toString('base64') };
}

let identity: ReturnType<typeof makeCertificate> | undefined;

/** Starts a server that gives `response` to every request. */
export async function startPeer(response: HostileResponse): Promise<TestServer> {
  identity ??= makeCertificate();
  const right = (request: string) => ({ code: '0000', message: 'OK', result: resultFor(request) });
  const serve = async (line: Line): Promise<void> => {
    if (response.atOnce) return response.serve(line, right('{}'));
    for (;;) await response.serve(line, right(String((await line.request()).body)));
  };
  const server = await startFaultServer(serve, response.speaks === 'https' ? identity : undefined);
  const url = new URL(server.url);
  url.protocol = response.scheme ?? 'http';
  return { ...server, url };
}
