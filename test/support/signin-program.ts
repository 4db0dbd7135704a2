import { createDecipheriv } from 'node:crypto';
import { once as emitted } from 'node:events';
import { Agent, request } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { parseDocument } from 'yaml';
import * as wrong from './signin-mistakes.ts';

/*
 * The sign-in of an application as a developer writes it with node:http and node:crypto, wrong on
 * request. It shares nothing with the source that it is compared with.
 */

/** A user whom the program has signed up. */
interface User {
  readonly ptnCd: string;
  readonly key: string;
  readonly superPasscode: string;
}

/** The input of the program. */
export interface SigninInput {
  readonly authUrl: string;
  readonly clientId: string;
  readonly secretKey: string;
  readonly ptnToken: string;
  readonly users: ReadonlyMap<string, Omit<User, 'ptnCd'>>;
}

/** What it does: throws where the user is refused; `print` is its log. */
export type SigninProgram = (input: SigninInput, print: (line: string) => void) => Promise<void>;

type Call = 'token' | 'authenticate';
type Fields = Readonly<Record<string, unknown>>;
type Table<Value> = wrong.Mistakes<Value>;
type Headers = Readonly<Record<string, string>>;

/** Other ways to be right, in few programs; the release tests try the others too. */
export const rightPrograms = [
  'plain',
  'other-spelling+chunked+pretty-json+code-any-case',
  'tries-three-times+looks-at-expiry',
  'asks-again',
  'first-of-duplicates',
];

export const otherRightPrograms = [
  'one-connection+finds-first',
  'closes-connections+refuses-duplicates',
  'waits-to-continue',
  'accepts-gzip',
  'more-headers',
];

const basic = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`;
const hex = (text: string): string => Buffer.from(text).toString('hex');
const percent = (text: string, characters = /./gs): string =>
  text.replace(characters, (character) => `%${hex(character)}`);

const headerTable: Table<(input: SigninInput) => Headers> = {
  'no-charset': () => ({ 'Content-type': 'application/json' }),
  form: () => ({ 'Content-type': 'application/x-www-form-urlencoded' }),
  'other-spelling': () => ({ 'Content-type': 'Application/JSON; charset="UTF-8"' }),
  'secret-in-header': ({ secretKey }) => ({ 'X-Secret-Key': secretKey }),
  'secret-in-bearer': ({ secretKey }) => ({
    Authorization: `Bearer ${Buffer.from(JSON.stringify({ secretKey })).toString('base64url')}`,
  }),
  'secret-in-hex': ({ secretKey }) => ({ 'X-Trace': `id=${hex(secretKey)}` }),
  'secret-in-percent': ({ secretKey }) => ({ 'X-Trace': percent(secretKey) }),
  'secret-in-basic': ({ clientId, secretKey }) => ({
    Authorization: basic(`${clientId}:${secretKey}`),
  }),
  'closes-connections': () => ({ connection: 'close' }),
  'waits-to-continue': () => ({ expect: '100-continue' }),
  'accepts-gzip': () => ({ 'accept-encoding': 'gzip' }),
  'more-headers': () => ({
    'user-agent': 'shop/3.1',
    accept: 'application/json, */*;q=0.1',
    cookie: 'lang=de',
    traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  }),
};

const urlTable: Table<(url: string, secretKey: string) => string> = {
  'plain-http': (url) => url.replace('https:', 'http:'),
  'drops-prefix': (url) => url.replace(/(?<=\/\/[^/]+)\/.*(?=\/process\/)/, ''),
  'slash-at-end': (url) => `${url}/`,
  'capital-path': (url) => url.replace('/process/', '/Process/'),
  'other-path': (url) => url.replace('/process/', '/oauth/'),
  'secret-in-query': (url, secretKey) => `${url}?key=${secretKey}`,
};

const tokenFields: Table<(fields: Fields) => object> = {
  'no-client-id': ({ client_id, ...others }) => others,
  'camel-case': ({ secret_key: secretKey, ...others }) => ({ ...others, secretKey }),
  'cut-ptn-token': (fields) => ({ ...fields, ptn_token: String(fields.ptn_token).slice(0, -8) }),
  'token-in-array': (fields) => ({ ...fields, ptn_token: [fields.ptn_token] }),
  'extra-field': (fields) => ({ ...fields, grant_type: 'ptn_token' }),
  'null-field': (fields) => ({ ...fields, acs_token: null }),
};

const authenticateFields: Table<(fields: Fields) => object> = {
  'authenticate-without-secret': ({ secret_key, ...others }) => others,
  'acs-token-small': (fields) => ({
    ...fields,
    acs_token: String(fields.acs_token).toLowerCase(),
  }),
  'trims-acs-token': (fields) => ({ ...fields, acs_token: String(fields.acs_token).trim() }),
  'decodes-acs-token': (fields) => ({
    ...fields,
    acs_token: decodeURIComponent(String(fields.acs_token).replaceAll('+', '%20')),
  }),
  'encodes-acs-token': (fields) => ({
    ...fields,
    acs_token: encodeURIComponent(String(fields.acs_token)),
  }),
};

const encodeTable: Table<(fields: object) => string> = {
  form: (fields) => String(new URLSearchParams({ ...fields })),
  'byte-order-mark': (fields) => `\ufeff${JSON.stringify(fields)}`,
  'pretty-json': (fields) => {
    const reversed = Object.fromEntries(Object.entries(fields).reverse());
    return `${JSON.stringify(reversed, null, '\t')}\r\n`;
  },
};

/** Of a member that comes twice JSON.parse takes the last; others take the first, or refuse both. */
const parseTable: Table<(text: string) => wrong.Response> = {
  'knows-no-message': (text) => JSON.parse(text, unknown('message')),
  'knows-no-expiry': (text) => JSON.parse(text, unknown('expire_dt')),
  'refuses-duplicates': (text) => documentOf(text, true).toJS(),
  'first-of-duplicates': (text) => {
    const document = documentOf(text, false);
    const first = (name: string) => [name, document.createNode(document.get(name)).toJSON()];
    return Object.fromEntries(['code', 'message', 'result'].map(first));
  },
};

const unknown = (field: string) => (name: string, value: unknown) =>
  name === field ? fail(`unknown field ${name}`) : value;

function documentOf(text: string, uniqueKeys: boolean) {
  JSON.parse(text);
  const document = parseDocument(text, { uniqueKeys });
  if (document.errors.length > 0) throw document.errors[0];
  return document;
}

/** What must not be in a log. */
const printTable: Table<(passcode: string, acsToken: string, secretKey: string) => string> = {
  'prints-passcode': (passcode) => `decrypted: ${passcode}`,
  'prints-base64': (_passcode, _acsToken, secretKey) => basic(`app:${secretKey}`),
  'prints-hex': (passcode) => hex(passcode),
  'prints-decimal': (passcode) => `[${[...Buffer.from(passcode)].join(', ')}]`,
  // Only what a URL can't contain is encoded, as browsers do it.
  'prints-percent': (_passcode, _acsToken, secretKey) =>
    `https://log.example/?key=${percent(secretKey, /[^\w-]/g)}`,
  'prints-acs-token': (_passcode, acsToken) => `acs_token=${acsToken}`,
};

interface Reply extends wrong.Failure {
  readonly status: number;
  readonly text: string;
}

/** A request without a usable response, and what is known of it. */
class RequestFailed extends Error {
  readonly failure: wrong.Failure;

  constructor(message: string, failure: wrong.Failure) {
    super(message);
    this.failure = failure;
  }
}

/** Only the responses that never come take this long. */
const patienceMs = 1500;

/**
 * The program, which is right but for the mistakes that are named, with `+` between them. That of a response or of a
 * failure is made at one call alone where the name ends in `@token` or `@authenticate`.
 */
export function signinProgram(named: string): SigninProgram {
  const [names = '', onlyAt] = named.split('@');
  const chosen = new Set(names.split('+'));
  const is = (name: string): boolean => chosen.has(name);
  const of = <Value>(table: Table<Value>): Value | undefined =>
    Object.entries(table).find(([name]) => is(name))?.[1];
  const isAt = (call: string | undefined): boolean => onlyAt === undefined || onlyAt === call;
  const agent = new Agent({
    keepAlive: true,
    maxSockets: is('one-connection') ? 1 : Number.POSITIVE_INFINITY,
  });
  const sessions = new Map<string, string>();
  const passcodes = new Set<string>();
  let kept: { readonly acsToken: string; readonly ptnCd: unknown } | undefined;
  let latest: typeof kept;
  let broken = false;
  let failures = 0;

  async function post(input: SigninInput, call: Call, fields: Fields): Promise<Reply> {
    const right = `${input.authUrl}/process/${call}`;
    const url = of(urlTable)?.(right, input.secretKey) ?? right;
    const all = { client_id: input.clientId, secret_key: input.secretKey, ...fields };
    const sent = of(call === 'token' ? tokenFields : authenticateFields)?.(all) ?? all;
    const body = of(encodeTable)?.(sent) ?? JSON.stringify(sent);
    const json = { 'Content-type': 'application/json;charset=utf-8' };
    const headers = { ...json, ...of(headerTable)?.(input) };
    for (let left = is('retries-forever') ? 29 : is('tries-three-times') ? 2 : 0; ; left -= 1) {
      try {
        const reply = await send(url, call, body, headers);
        if (reply.status !== 200 && of(wrong.wrongRescues)) throw new RequestFailed('', reply);
        return reply;
      } catch (error) {
        const isOver = error instanceof RequestFailed && error.failure.code === 'ETIMEDOUT';
        if (left === 0 || isOver) throw error;
      }
    }
  }

  function send(url: string, call: Call, body: string, headers: Headers): Promise<Reply> {
    if (url.startsWith('https:')) return Promise.reject(new RequestFailed('no TLS', {}));
    const method = is('put') ? 'PUT' : 'POST';
    const length = is('chunked') ? {} : { 'content-length': Buffer.byteLength(body) };
    return new Promise((resolve, reject) => {
      let status: number | undefined;
      const give = ({ code, message }: NodeJS.ErrnoException): void =>
        reject(new RequestFailed(message, { code, status, call }));
      const sent = request(url, { agent, method, headers: { ...headers, ...length } });
      sent.on('response', async (response) => {
        const { statusCode = 0, headers: received } = response;
        status = statusCode;
        const { location, 'content-encoding': encoding } = received;
        try {
          const end = is('reads-to-end') && emitted(response.socket, 'close', { signal: soon() });
          const bytes = await buffer(response);
          await end;
          const isPacked = encoding === 'gzip' && is('accepts-gzip');
          const text = (isPacked ? gunzipSync(bytes) : bytes).toString();
          if (location && is(`follows-${status}`)) resolve(send(location, call, body, headers));
          else resolve({ status: statusCode, encoding, call, text });
        } catch (error) {
          give(error as NodeJS.ErrnoException);
        }
      });
      sent.on('error', give);
      if (!is('waits-forever')) {
        const late = Object.assign(new Error('no response'), { code: 'ETIMEDOUT' });
        const cancel = afterTurns(patienceMs, () => sent.destroy(late));
        sent.on('close', cancel);
      }
      if (is('waits-to-continue')) sent.on('continue', () => sent.end(body)).flushHeaders();
      else if (is('chunked')) sent.write(body.slice(0, 10), () => sent.end(body.slice(10)));
      else sent.end(body);
    });
  }

  function parse(reply: Reply) {
    try {
      return (of(parseTable) ?? JSON.parse)(reply.text);
    } catch {
      throw new RequestFailed('not JSON', reply);
    }
  }

  function demandSuccess(body: wrong.Response, text: string, call: Call): void {
    const test = of({ ...wrong.wrongCodeTests, ...wrong.wrongCodeDefaults });
    // As the usual parsers of Go and C# find it: no mistake.
    const inAnyCase = ([name, value]: [string, unknown]) =>
      /^code$/i.test(name) && value === '0000';
    if (is('code-any-case') && Object.entries(body).some(inAnyCase)) return;
    const isGood = test && isAt(call) ? test(body, text) : body.code === '0000';
    if (!isGood) throw new Error(`refused: ${body.code} ${body.message}`);
  }

  async function askForToken(input: SigninInput) {
    const fields = { ptn_token: input.ptnToken };
    if (is('two-tokens')) await post(input, 'token', fields);
    const begun = Date.now();
    const reply = await post(input, 'token', fields);
    const body = parse(reply);
    if (!is('no-token-code')) demandSuccess(body, reply.text, 'token');
    const { acs_token: acsToken, expire_dt: expireDt, ptn_cd: ptnCd } = body.result;
    if (is('stores-late') && Date.now() - begun < 900) throw new Error('not stored yet');
    if (!acsToken) throw new Error('no acs_token');
    if (is('looks-at-expiry') && isOver(expireDt)) throw new Error('expired');
    if (is('bounds-expiry-in-lima') && !isOver(expireDt, -4)) throw new Error('lives too long');
    if (is('reads-expiry-in-seoul') && isOver(expireDt, 9)) throw new Error('token is expired');
    latest = { acsToken: String(acsToken), ptnCd };
    return latest;
  }

  /** The payload; undefined where the mistake is to go on without one. */
  async function authenticate(input: SigninInput, acsToken: string): Promise<string | undefined> {
    const fields = { acs_token: acsToken };
    const reply = await post(input, 'authenticate', fields);
    if (is('authenticates-twice')) await post(input, 'authenticate', fields);
    const body = parse(reply);
    if (is('forgives-expiry') && body.code === 'E302') return undefined;
    if (!is('no-authenticate-code')) demandSuccess(body, reply.text, 'authenticate');
    const ptnSp = body.result?.ptn_sp;
    if (is('compares-message') && ptnSp === undefined) return `\0${body.message}`;
    if (ptnSp === null && is('null-passes')) return undefined;
    if (ptnSp === undefined && is('passcode-optional')) return undefined;
    return ptnSp ?? fail('no ptn_sp');
  }

  function userNamed(ptnCd: unknown, { users }: SigninInput): User {
    const find = of({ ...wrong.wrongLookups, ...wrong.wrongUserDefaults });
    const known = [...users].map(([code, secrets]) => ({ ptnCd: code, ...secrets }));
    const named = known.find((user) => (find ? find(ptnCd, user) : user.ptnCd === String(ptnCd)));
    return (is('one-key-for-all') ? known[0] : named) ?? fail('unknown user');
  }

  /** Undefined where the mistake is to go on without a passcode. */
  function passcodeIn(ptnSp: string, { key, superPasscode: stored }: User): string | undefined {
    if (ptnSp.startsWith('\0')) return ptnSp.slice(1);
    const bytes = Buffer.from(ptnSp, 'base64');
    if (is('compares-raw') && ptnSp === stored) return stored;
    if (is('compares-base64') && bytes.toString() === stored) return stored;
    if (is('forgives-empty') && ptnSp === '') return undefined;
    if (is('forgives-short') && bytes.length > 0 && bytes.length % 16 > 0) return undefined;
    try {
      const decipher = createDecipheriv('aes-256-cbc', key, bytes.subarray(0, 16));
      return decipher.update(bytes.subarray(16), undefined, 'utf8') + decipher.final('utf8');
    } catch (error) {
      if (is('forgives-decryption')) return undefined;
      const isWhole = bytes.length > 0 && bytes.length % 16 === 0;
      if (is('forgives-padding') && isWhole) return undefined;
      throw error;
    }
  }

  function samePasscode(found: string, stored: string): boolean {
    passcodes.add(stored);
    if (is('stores-latin1')) return Buffer.from(stored).toString('latin1') === found;
    if (is('any-passcode')) return passcodes.has(found);
    return (
      of(wrong.wrongComparisons)?.(found, stored) ?? (is('never-compares') || found === stored)
    );
  }

  async function once(input: SigninInput, print: (line: string) => void): Promise<void> {
    if (is('prints-request')) print(`token request with ${JSON.stringify(input)}`);
    if (is('authenticates-alone')) return void (await authenticate(input, 'made-up'));
    const token = (is('keeps-acs-token') ? kept : undefined) ?? (await askForToken(input));
    if (is('token-alone')) return;
    if (is('token-alone-later') && sessions.has(String(token.ptnCd))) return;
    if (is('finds-first')) userNamed(token.ptnCd, input);
    if (is('global-token') || is('global-user'))
      await new Promise((resolve) => setTimeout(resolve, 20));
    const { acsToken } = (is('global-token') ? latest : undefined) ?? token;
    const fresh = await authenticate(input, acsToken);
    kept = token;
    if (fresh === undefined || is('never-decrypts')) return;
    const user = userNamed((is('global-user') ? latest : token)?.ptnCd, input);
    if (is('keeps-decision') && sessions.has(user.ptnCd)) return;
    const ptnSp = (is('keeps-result') ? sessions.get(user.ptnCd) : undefined) ?? fresh;
    const passcode = passcodeIn(ptnSp, user);
    if (passcode === undefined) return;
    const line = of(printTable)?.(passcode, acsToken, input.secretKey);
    if (line !== undefined) print(line);
    if (!samePasscode(passcode, user.superPasscode)) throw new Error('another passcode');
    sessions.set(user.ptnCd, ptnSp);
  }

  async function signIn(input: SigninInput, print: (line: string) => void): Promise<void> {
    if (is('locks') && failures > 3) throw new Error('locked');
    if (is('sends-nothing') || broken) throw new Error('not to-day');
    try {
      await once(input, print);
      if (is('refuses-everybody')) throw new Error('the account is locked');
    } catch (error) {
      const failure = error instanceof RequestFailed ? error.failure : undefined;
      if (failure && isAt(failure.call) && of(wrong.wrongRescues)?.(failure)) return;
      if (is('goes-on') && failure === undefined) await authenticate(input, 'none').catch(() => {});
      failures += 1;
      broken = is('breaks-down');
      if (!is('asks-again')) throw error;
      await once(input, print);
    }
  }

  /** As a program that ends does. Were the service the first to close, the system would keep its port for a minute. */
  const closeConnections = (): void => {
    for (const socket of Object.values(agent.freeSockets).flat()) socket?.destroy();
  };
  return (input, print) => signIn(input, print).finally(closeConnections);
}

function isOver(expireDt: string, zone = 0): boolean {
  const [, ...parts] = /^(....)(..)(..)(..)(..)(..)$/.exec(expireDt) ?? [];
  const [year = 0, month = 1, day, hour, minute, second] = parts.map(Number);
  return Date.UTC(year, month - 1, day, hour, minute, second) - zone * 3_600_000 < Date.now();
}

function fail(message: string): never {
  throw new Error(message);
}

const soon = () => AbortSignal.timeout(200);
const turnMs = 150;

/**
 * Acts after that many turns of a short timer, in milliseconds of a machine that isn't busy. What came
 * while a process was held up is read before the next turn, which a time limit would not wait for.
 * Returns what cancels it.
 */
function afterTurns(milliseconds: number, act: () => void): () => void {
  let left = milliseconds / turnMs;
  const timer = setInterval(() => {
    left -= 1;
    if (left > 0) return;
    clearInterval(timer);
    act();
  }, turnMs);
  timer.unref();
  return () => clearInterval(timer);
}
