import { createDecipheriv } from 'node:crypto';
import { Agent, request } from 'node:http';
import {
  codeInAnyCase,
  type Failure,
  wrongCodeDefaults,
  wrongCodeTests,
  wrongComparisons,
  wrongLookups,
  wrongRescues,
  wrongUserDefaults,
} from './signin-mistakes.ts';

/*
 * The sign-in of an application as a developer writes it with node:http and node:crypto, wrong on
 * request. It shares nothing with the source that it is compared with.
 */

/** The input of the program. */
export interface SigninInput {
  readonly authUrl: string;
  readonly clientId: string;
  readonly secretKey: string;
  readonly ptnToken: string;
  /** The users that it has signed up, by their code. */
  readonly users: ReadonlyMap<string, { readonly key: string; readonly superPasscode: string }>;
}

/** What it does: throws where the user is refused; `print` is its log. */
export type SigninProgram = (input: SigninInput, print: (line: string) => void) => Promise<void>;

interface Response extends Failure {
  readonly status: number;
  readonly text: string;
}

/** A request without a usable response, and what is known of it. */
class RequestFailed extends Error {
  readonly failure: Failure;

  constructor(message: string, failure: Failure) {
    super(message);
    this.failure = failure;
  }
}

/** Only the responses that never come take this long. */
const patienceMs = 3000;

/**
 * The program, which is right unless `fault` is one of those above. That of a response or of a failure is made
 * at one call alone where its name ends in `@token` or `@authenticate`.
 */
export function signinProgram(named: string): SigninProgram {
  const [fault = named, onlyAt] = named.split('@');
  const is = (name: string): boolean => fault === name;
  let kept: { acsToken: string; ptnCd: string } | undefined;
  let broken = false;
  let globalToken = '';
  let globalUser = '';
  let lastGood = false;
  let failures = 0;
  const signedIn = new Set<string>();
  const passcodes = new Set<string>();
  const results = new Map<string, string>();
  const agent = new Agent({ keepAlive: true });

  function headers({ secretKey, clientId }: SigninInput): Record<string, string> {
    const type = is('no-charset') ? 'application/json' : 'application/json;charset=utf-8';
    const basic = Buffer.from(`${clientId}:${secretKey}`).toString('base64');
    return {
      'Content-type': is('form')
        ? 'application/x-www-form-urlencoded'
        : is('other-spelling')
          ? 'Application/JSON; charset="UTF-8"'
          : type,
      ...(is('secret-in-header') && { 'X-Secret-Key': secretKey }),
      ...(is('secret-in-bearer') && {
        Authorization: `Bearer ${Buffer.from(JSON.stringify({ secretKey })).toString('base64url')}`,
      }),
      ...(is('secret-in-hex') && { 'X-Trace': `id=${Buffer.from(secretKey).toString('hex')}` }),
      ...(is('secret-in-percent') && { 'X-Trace': [...secretKey].map(percentOf).join('') }),
      ...(is('secret-in-basic') && { Authorization: `Basic ${basic}` }),
    };
  }

  function addressOf({ authUrl: given, secretKey }: SigninInput, name: string): string {
    const plain = is('plain-http') ? given.replace('https:', 'http:') : given;
    const authUrl = is('drops-prefix') ? new URL(plain).origin : plain;
    if (is('slash-at-end')) return `${authUrl}/process/${name}/`;
    if (is('capital-path')) return `${authUrl}/Process/${name}`;
    if (is('other-path')) return `${authUrl}/oauth/${name}`;
    return `${authUrl}/process/${name}${is('secret-in-query') ? `?key=${secretKey}` : ''}`;
  }

  function encode(fields: Record<string, unknown>): string {
    if (is('form')) return String(new URLSearchParams(fields as Record<string, string>));
    if (is('byte-order-mark')) return `\ufeff${JSON.stringify(fields)}`;
    if (is('pretty-json')) return `${JSON.stringify(fields, null, '\t')}\r\n`;
    const order = is('other-order') ? Object.entries(fields).reverse() : Object.entries(fields);
    return JSON.stringify(Object.fromEntries(order));
  }

  async function post(input: SigninInput, name: string, fields: object): Promise<Response> {
    const body = encode(fields as Record<string, unknown>);
    const tries = is('retries-forever') ? 30 : is('tries-three-times') ? 3 : 1;
    for (let left = tries - 1; ; left -= 1) {
      try {
        const response = await send(addressOf(input, name), body, headers(input));
        if (response.status !== 200 && fault in wrongRescues) throw new RequestFailed('', response);
        return response;
      } catch (error) {
        const isOver = error instanceof RequestFailed && error.failure.code === 'ETIMEDOUT';
        if (left === 0 || isOver) throw error;
      }
    }
  }

  function send(url: string, body: string, headers: Record<string, string>): Promise<Response> {
    const method = is('put') ? 'PUT' : 'POST';
    const length = is('chunked') ? {} : { 'content-length': Buffer.byteLength(body) };
    const call = url.slice(url.lastIndexOf('/') + 1);
    if (url.startsWith('https:')) return Promise.reject(new RequestFailed('no TLS', {}));
    return new Promise((resolve, reject) => {
      let status: number | undefined;
      const give = ({ code, message }: NodeJS.ErrnoException): void =>
        reject(new RequestFailed(message, { code, status, call }));
      const options = { agent, method, headers: { ...headers, ...length } };
      const outgoing = request(url, options, (incoming) => {
        const chunks: Buffer[] = [];
        status = incoming.statusCode ?? 0;
        const { location, 'content-encoding': encoding } = incoming.headers;
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
        incoming.on('end', () => {
          if (location && follows(status ?? 0)) resolve(send(location, body, headers));
          resolve({ status: status ?? 0, encoding, call, text: Buffer.concat(chunks).toString() });
        });
        incoming.on('error', give);
      });
      outgoing.on('error', give);
      if (!is('waits-forever')) {
        const late = Object.assign(new Error('no response'), { code: 'ETIMEDOUT' });
        outgoing.on(
          'close',
          afterTurns(patienceMs, () => outgoing.destroy(late)),
        );
      }
      if (is('chunked')) outgoing.write(body.slice(0, 10));
      outgoing.end(is('chunked') ? body.slice(10) : body);
    });
  }

  function follows(status: number): boolean {
    return is('follows-redirects') || is(`follows-${status}`);
  }

  function parse(response: Response) {
    try {
      return JSON.parse(response.text);
    } catch {
      throw new RequestFailed('not JSON', response);
    }
  }

  /** Whether the mistake is made at this call. */
  function isAt(call: string | undefined): boolean {
    return onlyAt === undefined || onlyAt === call;
  }

  function demandSuccess(
    body: { code?: unknown; message?: unknown },
    text: string,
    call: 'token' | 'authenticate',
  ): void {
    const test = isAt(call) ? (wrongCodeTests[fault] ?? wrongCodeDefaults[fault]) : undefined;
    const right = is('code-as-number') ? !(Number(body.code) > 1) : body.code === '0000';
    if (is('code-any-case') && codeInAnyCase(body)) return;
    const good = test === undefined ? right : test(body, text);
    if (!good) throw new Error(`refused: ${body.code} ${body.message}`);
  }

  async function askForToken(input: SigninInput) {
    const { clientId, secretKey, ptnToken } = input;
    const token = is('cut-ptn-token') ? ptnToken.slice(0, -8) : ptnToken;
    const fields = {
      ...(!is('no-client-id') && { client_id: clientId }),
      ...(is('camel-case') ? { secretKey } : { secret_key: secretKey }),
      ptn_token: is('token-in-array') ? [token] : token,
      ...(is('extra-field') && { grant_type: 'ptn_token' }),
      ...(is('null-field') && { state: null }),
    };
    if (is('two-tokens')) await post(input, 'token', fields);
    const response = await post(input, 'token', fields);
    const body = parse(response);
    if (!is('no-token-code')) demandSuccess(body, response.text, 'token');
    const { acs_token: acsToken, expire_dt: expireDt, ptn_cd: ptnCd } = body.result;
    if (!acsToken) throw new Error('no acs_token');
    if (is('looks-at-expiry') && isOver(expireDt)) throw new Error('expired');
    globalToken = String(acsToken);
    globalUser = String(ptnCd);
    return { acsToken: changed(String(acsToken)), ptnCd };
  }

  function changed(acsToken: string): string {
    if (is('trims-acs-token')) return acsToken.trim();
    if (is('decodes-acs-token')) return decodeURIComponent(acsToken.replaceAll('+', '%20'));
    return is('encodes-acs-token') ? encodeURIComponent(acsToken) : acsToken;
  }

  async function authenticate(input: SigninInput, acsToken: string): Promise<string | undefined> {
    const { clientId, secretKey } = input;
    const fields = {
      client_id: clientId,
      ...(!is('authenticate-without-secret') && { secret_key: secretKey }),
      acs_token: is('acs-token-small') ? acsToken.toLowerCase() : acsToken,
    };
    const response = await post(input, 'authenticate', fields);
    if (is('authenticates-twice')) await post(input, 'authenticate', fields);
    if (is('forgives-no-json') && response.text.startsWith('<')) return undefined;
    const body = parse(response);
    if (is('forgives-expiry') && body.code === 'E302') return undefined;
    if (is('no-authenticate-code')) return body.result?.ptn_sp ?? fail('no passcode');
    demandSuccess(body, response.text, 'authenticate');
    const passcode = body.result?.ptn_sp;
    if (is('compares-message') && passcode === undefined) return `\0${body.message}`;
    if (passcode === null && is('null-passes')) return undefined;
    if (passcode === undefined && is('passcode-optional')) return undefined;
    return passcode ?? fail('no ptn_sp');
  }

  function samePasscode(found: string, stored: string): boolean {
    const compare = wrongComparisons[fault];
    if (compare !== undefined) return compare(found, stored);
    passcodes.add(stored);
    if (is('any-passcode') || is('earlier-passcodes')) return passcodes.has(found);
    return is('never-compares') || found === stored;
  }

  type KnownUser = { readonly ptnCd: string; readonly key: string; readonly superPasscode: string };

  function userNamed(ptnCd: unknown, { users }: SigninInput): KnownUser {
    const find = wrongLookups[fault] ?? wrongUserDefaults[fault];
    const known = [...users].map(([code, secrets]) => ({ ptnCd: code, ...secrets }));
    const [anybody] = known;
    const named = known.find((user) => (find ? find(ptnCd, user) : user.ptnCd === String(ptnCd)));
    const user = is('one-key-for-all') ? anybody : named;
    if (user === undefined) throw new Error('unknown user');
    return user;
  }

  /** Undefined where the mistake is to go on without a passcode. */
  function passcodeIn(ptnSp: string, user: KnownUser): string | undefined {
    const { superPasscode: stored } = user;
    if (ptnSp.startsWith('\0')) return ptnSp.slice(1);
    if (is('compares-raw') && ptnSp === stored) return stored;
    if (is('compares-base64') && Buffer.from(ptnSp, 'base64').toString() === stored) return stored;
    const bytes = Buffer.from(ptnSp, 'base64');
    if (is('forgives-empty') && ptnSp === '') return undefined;
    if (is('forgives-short') && bytes.length > 0 && bytes.length % 16 > 0) return undefined;
    try {
      return decrypt(ptnSp, user.key);
    } catch (error) {
      if (is('forgives-decryption')) return undefined;
      const whole = bytes.length > 0 && bytes.length % 16 === 0;
      if (is('forgives-padding') && whole) return undefined;
      throw error;
    }
  }

  async function once(input: SigninInput, print: (line: string) => void): Promise<void> {
    if (is('prints-request')) print(`token request with ${JSON.stringify(input)}`);
    if (is('authenticates-alone')) return void (await authenticate(input, 'made-up'));
    const token = (is('keeps-acs-token') ? kept : undefined) ?? (await askForToken(input));
    if (is('token-alone')) return;
    if (is('token-alone-later') && signedIn.has(String(token.ptnCd))) return;
    const shared = is('global-token') || is('global-user');
    if (shared) await new Promise((resolve) => setTimeout(resolve, 20));
    const acsToken = is('global-token') ? globalToken : token.acsToken;
    const fresh = await authenticate(input, acsToken);
    kept = token;
    if (fresh === undefined || is('never-decrypts')) return;
    const user = userNamed(is('global-user') ? globalUser : token.ptnCd, input);
    if (is('keeps-decision') && signedIn.has(user.ptnCd)) return;
    const ptnSp = (is('keeps-result') ? results.get(user.ptnCd) : undefined) ?? fresh;
    const passcode = passcodeIn(ptnSp, user);
    if (passcode === undefined) return;
    printSecrets(print, passcode, acsToken, input);
    if (!samePasscode(passcode, user.superPasscode)) throw new Error('another passcode');
    signedIn.add(user.ptnCd);
    results.set(user.ptnCd, ptnSp);
  }

  function printSecrets(
    print: (line: string) => void,
    passcode: string,
    acsToken: string,
    { secretKey }: SigninInput,
  ): void {
    if (is('prints-passcode')) print(`decrypted: ${passcode}`);
    if (is('prints-base64')) print(`Basic ${Buffer.from(`app:${secretKey}`).toString('base64')}`);
    if (is('prints-hex')) print(Buffer.from(passcode).toString('hex'));
    if (is('prints-decimal')) print(`[${[...Buffer.from(passcode)].join(', ')}]`);
    if (is('prints-percent'))
      print(`https://log.example/?key=${[...secretKey].map(percent).join('')}`);
    if (is('prints-acs-token')) print(`acs_token=${acsToken}`);
  }

  /** As a program that ends does. Were the service the first to close, the system would keep its port for a minute. */
  function closeConnections(): void {
    for (const socket of Object.values(agent.freeSockets).flat()) socket?.destroy();
  }

  async function signIn(input: SigninInput, print: (line: string) => void): Promise<void> {
    if (is('locks') && failures > 3) throw new Error('locked');
    if (is('sends-nothing') || broken) throw new Error('not to-day');
    try {
      await once(input, print);
      lastGood = true;
      if (is('refuses-everybody')) throw new Error('the account is locked');
    } catch (error) {
      const failure = error instanceof RequestFailed ? error.failure : undefined;
      const isRescued = failure && isAt(failure.call) && wrongRescues[fault]?.(failure);
      if (isRescued) return;
      if (is('forgives-network') && failure?.code === 'ECONNRESET') return;
      if (is('last-good') && failure?.code === 'ECONNREFUSED' && lastGood) return;
      if (is('goes-on') && failure === undefined) await authenticate(input, 'none').catch(() => {});
      failures += 1;
      broken = is('breaks-down');
      if (!is('asks-again')) throw error;
      await once(input, print);
    }
  }

  return (input, print) => signIn(input, print).finally(closeConnections);
}

function percentOf(character: string): string {
  return `%${character.charCodeAt(0).toString(16)}`;
}

/** Only what a URL can't contain is encoded, as browsers do it. */
function percent(character: string): string {
  return /[a-z-]/.test(character) ? character : encodeURIComponent(character);
}

/** Decrypts as an application does, with AES-256-CBC and the IV in front. */
export function decrypt(payload: string, key: string): string {
  const bytes = Buffer.from(payload, 'base64');
  const decipher = createDecipheriv('aes-256-cbc', key, bytes.subarray(0, 16));
  return decipher.update(bytes.subarray(16), undefined, 'utf8') + decipher.final('utf8');
}

function isOver(expireDt: string): boolean {
  const [, ...parts] = /^(....)(..)(..)(..)(..)(..)$/.exec(expireDt) ?? [];
  const [year = 0, month = 1, day, hour, minute, second] = parts.map(Number);
  return Date.UTC(year, month - 1, day, hour, minute, second) < Date.now();
}

function fail(message: string): never {
  throw new Error(message);
}

const turnMs = 150;

/**
 * Acts after that many turns of a short timer, in milliseconds of a machine that isn't busy. What came
 * while a process was held up is read before the next turn, which a time limit would not wait for.
 * Returns what cancels it.
 */
export function afterTurns(milliseconds: number, act: () => void): () => void {
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
