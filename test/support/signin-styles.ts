import {
  createCipheriv,
  createDecipheriv,
  createHash,
  pbkdf2Sync,
  timingSafeEqual,
} from 'node:crypto';
import { Agent, type RequestOptions, request } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { Pool } from 'undici';
import { parseDocument } from 'yaml';
import { afterTurns, decrypt, type SigninInput, type SigninProgram } from './signin-program.ts';

/*
 * Right sign-ins as different developers write them, whom no check may blame: other clients of HTTP, other readers of
 * JSON, other ways to find a user and to compare, another order.
 */

/** A response that came whole. */
interface Reply {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

/** Sends one request; rejects without a whole response. */
type Send = (url: string, body: string) => Promise<Reply>;
type Fields = Readonly<Record<string, unknown>>;
type User = { readonly ptnCd: string; readonly key: string; readonly superPasscode: string };
type Find = (named: unknown, users: readonly User[]) => User | undefined;

/** Only responses that never come take this long. */
const patienceMs = 1500;
const late = new Error('no response in time');
const headers = { 'content-type': 'application/json;charset=utf-8' };

function patience(): AbortSignal {
  const controller = new AbortController();
  afterTurns(patienceMs, () => controller.abort(late));
  return controller.signal;
}

/** node:http, with what differs from a plain request. */
function overHttp(options: RequestOptions = {}, more: Readonly<Record<string, string>> = {}): Send {
  return (url, body) =>
    new Promise((resolve, reject) => {
      const all = { ...headers, 'content-length': Buffer.byteLength(body), ...more };
      const sent = request(url, { method: 'POST', agent: false, headers: all, ...options });
      sent.on('error', reject);
      sent.on(
        'close',
        afterTurns(patienceMs, () => sent.destroy(late)),
      );
      sent.on('response', (response) => {
        const chunks: Buffer[] = [];
        response.on('error', reject);
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => {
          const bytes = Buffer.concat(chunks);
          const { 'content-encoding': encoding, 'content-type': type = '' } = response.headers;
          Promise.resolve()
            .then(() => (encoding === 'gzip' ? gunzipSync(bytes) : bytes).toString())
            .then((text) => resolve({ status: response.statusCode ?? 0, type, text }), reject);
        });
      });
      if (!('expect' in more)) sent.end(body);
      else sent.on('continue', () => sent.end(body)).flushHeaders();
    });
}

/** A socket and the lines of the protocol in small pieces, as clients of devices do it. */
const overSocket: Send = (address, body) =>
  new Promise((resolve, reject) => {
    const { hostname, port, host, pathname, protocol } = new URL(address);
    if (protocol !== 'http:') throw new Error('no TLS here');
    const socket = connect(Number(port), hostname).setNoDelay(true);
    let text = '';
    socket.setEncoding('utf8').on('data', (chunk) => (text += chunk));
    socket.on(
      'close',
      afterTurns(patienceMs, () => socket.destroy(late)),
    );
    socket.on('error', reject);
    socket.on('end', () => {
      const [head = '', rest = ''] = text.split('\r\n\r\n');
      const field = (name: string) => new RegExp(`^${name}: *(.*)$`, 'im').exec(head)?.[1];
      const [status, type = ''] = [Number(head.split(' ')[1]), field('content-type')];
      if (Buffer.byteLength(rest) < Number(field('content-length') ?? Number.NaN)) reject(late);
      else resolve({ status, type, text: rest });
    });
    socket.on('connect', async () => {
      const fields = `Host: ${host}\r\nContent-type: ${headers['content-type']}\r\n`;
      const length = `Content-Length: ${Buffer.byteLength(body)}\r\n`;
      const whole = `POST ${pathname} HTTP/1.0\r\n${fields}${length}\r\n${body}`;
      for (const piece of whole.match(/[\s\S]{1,97}/g) ?? []) {
        socket.write(piece);
        await delay(2);
      }
    });
  });

const overFetch: Send = async (url, body) => {
  const options = { method: 'POST', headers, body, redirect: 'error', signal: patience() } as const;
  const response = await fetch(url, options);
  const type = response.headers.get('content-type') ?? '';
  return { status: response.status, type, text: await response.text() };
};

/** Connections are kept for all sign-ins with one service. */
function overPools(): Send {
  const pools = new Map<string, Pool>();
  return async (address, body) => {
    const { origin, pathname: path } = new URL(address);
    const pool = pools.get(origin) ?? new Pool(origin, { connections: 2 });
    pools.set(origin, pool);
    const sent = { method: 'POST', headers, path, body, signal: patience() } as const;
    const response = await pool.request(sent);
    const type = String(response.headers['content-type']);
    return { status: response.statusCode, type, text: await response.body.text() };
  };
}

/** One request after another, whoever it is for. */
function inTurn(): Send {
  let last: Promise<unknown> = Promise.resolve();
  return (url, body) => {
    const reply = last.then(() => overHttp()(url, body));
    last = reply.catch(() => {});
    return reply;
  };
}

/** Demands everything that the interface states. */
function strictly({ status, type, text }: Reply): Fields {
  if (status !== 200 || !/^application\/json\b/i.test(type)) throw new Error(`HTTP ${status}`);
  const response = JSON.parse(text);
  if (typeof response.message !== 'string') throw new Error('message is a string');
  return response;
}

/** Of a member that comes twice JSON.parse takes the last; others take the first, or refuse both. */
function documentOf(text: string, uniqueKeys: boolean) {
  JSON.parse(text);
  const document = parseDocument(text, { uniqueKeys });
  if (document.errors.length > 0) throw document.errors[0];
  return document;
}

function firstOfDuplicates({ text }: Reply): Fields {
  const document = documentOf(text, false);
  const names = ['code', 'message', 'result'];
  return Object.fromEntries(
    names.map((name) => [name, document.createNode(document.get(name)).toJSON()]),
  );
}

const sameBytes = (found: Buffer, stored: string): boolean =>
  found.length === Buffer.byteLength(stored) && timingSafeEqual(found, Buffer.from(stored));

const slowHash = (text: string) => pbkdf2Sync(text, 'salt of this user', 20, 32, 'sha256');

/** The stored passcode under the IV of the payload has to give the same payload. */
function encryptsToSame(payload: string, { key, superPasscode }: User): boolean {
  const bytes = Buffer.from(payload, 'base64');
  const iv = bytes.subarray(0, 16);
  const cipher = createCipheriv('aes-256-cbc', key, iv);
  return Buffer.concat([iv, cipher.update(superPasscode), cipher.final()]).equals(bytes);
}

function unpadsByHand(payload: string, { key, superPasscode }: User): boolean {
  const bytes = Buffer.from(payload, 'base64');
  if (bytes.length < 32 || bytes.length % 16 > 0) throw new Error('not whole blocks');
  const decipher = createDecipheriv('aes-256-cbc', key, bytes.subarray(0, 16));
  const blocks = decipher.setAutoPadding(false).update(bytes.subarray(16));
  const length = blocks.at(-1) ?? 0;
  const isPadded =
    length >= 1 && length <= 16 && blocks.subarray(-length).every((b) => b === length);
  return isPadded && blocks.subarray(0, -length).toString() === superPasscode;
}

const byCode: Find = (named, users) => users.find(({ ptnCd }) => ptnCd === named);

/** What an application reads once, and keeps by the user's code. */
function keepingUsers(): Find {
  const kept = new Map<unknown, User>();
  return (named, users) => {
    const user = kept.get(named) ?? byCode(named, users);
    if (user !== undefined) kept.set(named, user);
    return user;
  };
}

/** How an application is written; each part is the plainest by default. */
interface Style {
  readonly send?: Send;
  readonly read?: (reply: Reply) => Fields;
  readonly find?: Find;
  readonly same?: (ptnSp: string, user: User) => boolean;
  /** When the user is looked up. */
  readonly finds?: 'first' | 'meanwhile';
  /** Logs what is not a secret. */
  readonly logs?: boolean;
}

const moreHeaders = {
  'user-agent': 'shop/3.1',
  accept: 'application/json, */*;q=0.1',
  traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  cookie: 'lang=de',
};

const styles = {
  'keep-alive': () => ({ send: overHttp({ agent: new Agent({ keepAlive: true }) }) }),
  'one-connection': () => ({
    send: overHttp({ agent: new Agent({ keepAlive: true, maxSockets: 1 }) }),
    find: keepingUsers(),
  }),
  'closes-connections': () => ({ send: overHttp({}, { connection: 'close' }), finds: 'first' }),
  'waits-to-continue': () => ({ send: overHttp({}, { expect: '100-continue' }) }),
  'accepts-gzip': () => ({ send: overHttp({}, { 'accept-encoding': 'gzip' }) }),
  'more-headers': () => ({ send: overHttp({}, moreHeaders), logs: true }),
  'http-1.0': () => ({ send: overSocket }),
  fetch: () => ({ send: overFetch, read: strictly }),
  'connection-pools': () => ({ send: overPools(), finds: 'meanwhile' }),
  'one-at-a-time': () => ({ send: inTurn() }),
  'refuses-duplicates': () => ({ read: ({ text }) => documentOf(text, true).toJS() }),
  'first-of-duplicates': () => ({ read: firstOfDuplicates }),
  'compares-bytes': () => ({
    same: (ptnSp, { key, superPasscode }) =>
      sameBytes(Buffer.from(decrypt(ptnSp, key)), superPasscode),
  }),
  'keeps-only-a-hash': () => ({
    same: (ptnSp, { key, superPasscode }) =>
      timingSafeEqual(slowHash(decrypt(ptnSp, key)), slowHash(superPasscode)),
  }),
  'compares-by-encrypting': () => ({ same: encryptsToSame }),
  'unpads-by-hand': () => ({ same: unpadsByHand }),
} satisfies Readonly<Record<string, () => Style>>;

/** A program is made for each run. */
export const signinStyles = Object.fromEntries(
  Object.entries<() => Style>(styles).map(([name, make]) => [name, () => programOf(make())]),
) as Readonly<Record<keyof typeof styles, () => SigninProgram>>;

function programOf(style: Style): SigninProgram {
  const { send = overHttp(), find = byCode, finds, logs } = style;
  const { read = ({ text }: Reply): Fields => JSON.parse(text) } = style;
  const { same = (ptnSp: string, user: User) => decrypt(ptnSp, user.key) === user.superPasscode } =
    style;

  async function post(input: SigninInput, name: string, field: object): Promise<Fields> {
    const { authUrl, clientId, secretKey } = input;
    const fields = { client_id: clientId, secret_key: secretKey, ...field };
    const { code, result } = read(await send(`${authUrl}/process/${name}`, JSON.stringify(fields)));
    if (code !== '0000') throw new Error(`refused: ${code}`);
    return result as Fields;
  }

  return async (input, print) => {
    const users = [...input.users].map(([ptnCd, secrets]) => ({ ptnCd, ...secrets }));
    const token = await post(input, 'token', { ptn_token: input.ptnToken });
    if (typeof token.acs_token !== 'string') throw new Error('no acs_token');
    const authenticate = () => post(input, 'authenticate', { acs_token: token.acs_token });
    const lookUp = async () => find(token.ptn_cd, users) ?? fail('unknown user');
    const early = finds === undefined ? undefined : lookUp();
    if (finds === 'first') await early;
    const [{ ptn_sp: ptnSp }, known] = await Promise.all([authenticate(), early]);
    const user = known ?? (await lookUp());
    if (typeof ptnSp !== 'string' || !same(ptnSp, user)) throw new Error('another passcode');
    if (logs) print(`${user.ptnCd} is signed in with the key ${fingerprint(user.key)}`);
  };
}

/** As logs name a secret. */
function fingerprint(secret: string): string {
  return createHash('sha256').update(secret).digest('hex').slice(0, 12);
}

function fail(message: string): never {
  throw new Error(message);
}
