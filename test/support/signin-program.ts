import { createDecipheriv } from 'node:crypto';
import { request } from 'node:http';

/*
 * The sign-in of an application as a developer writes it with node:http and node:crypto, wrong on
 * request. It shares nothing with the source that it is held against.
 */

/** What the program is told. */
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

/** Every way in which the program is wrong, and the check that must say so. */
export interface WrongProgram {
  readonly name: string;
  readonly check: string;
  /** The diagnosis, where there is a code for it. */
  readonly diagnosis?: string;
  /** The other checks that can't hold either. */
  readonly knockOn?: readonly string[];
}

const accepts = 'signin/accepts-right-sign-in';

export const wrongPrograms: readonly WrongProgram[] = [
  { name: 'sends-nothing', check: 'signin/both-calls', knockOn: [accepts] },
  { name: 'token-alone', check: 'signin/both-calls' },
  { name: 'put', check: 'signin/method' },
  { name: 'slash-at-end', check: 'signin/path' },
  { name: 'capital-path', check: 'signin/path' },
  { name: 'other-path', check: 'signin/path', knockOn: [accepts] },
  { name: 'no-charset', check: 'signin/content-type' },
  {
    name: 'form',
    check: 'signin/token-fields',
    diagnosis: 'not-json',
    knockOn: ['signin/content-type', accepts],
  },
  {
    name: 'no-client-id',
    check: 'signin/token-fields',
    diagnosis: 'field-missing',
    knockOn: [accepts],
  },
  {
    name: 'camel-case',
    check: 'signin/token-fields',
    diagnosis: 'field-missing',
    knockOn: ['signin/no-other-fields', accepts],
  },
  {
    name: 'cut-ptn-token',
    check: 'signin/token-fields',
    diagnosis: 'field-malformed',
    knockOn: [accepts],
  },
  {
    name: 'authenticate-without-secret',
    check: 'signin/authenticate-fields',
    diagnosis: 'field-missing',
    knockOn: [accepts],
  },
  {
    name: 'acs-token-small',
    check: 'signin/authenticate-fields',
    diagnosis: 'field-malformed',
    knockOn: [accepts],
  },
  {
    name: 'token-in-array',
    check: 'signin/string-types',
    diagnosis: 'field-type',
    knockOn: [accepts],
  },
  { name: 'extra-field', check: 'signin/no-other-fields' },
  { name: 'secret-in-header', check: 'signin/secret-in-body-only' },
  { name: 'secret-in-basic', check: 'signin/secret-in-body-only' },
  { name: 'secret-in-query', check: 'signin/secret-in-body-only' },
  { name: 'refuses-everybody', check: accepts },
  {
    name: 'keeps-acs-token',
    check: 'signin/acs-token-once',
    knockOn: ['signin/works-afterwards'],
  },
  { name: 'authenticates-twice', check: 'signin/acs-token-once' },
  {
    name: 'no-token-code',
    check: 'signin/rejects-token-code',
    diagnosis: 'accepted-bad-answer',
  },
  {
    name: 'no-authenticate-code',
    check: 'signin/rejects-authenticate-code',
    diagnosis: 'accepted-bad-answer',
  },
  {
    name: 'code-as-number',
    check: 'signin/rejects-token-code',
    diagnosis: 'accepted-bad-answer',
    knockOn: ['signin/rejects-authenticate-code'],
  },
  {
    name: 'never-compares',
    check: 'signin/rejects-wrong-passcode',
    diagnosis: 'passcode-mismatch',
  },
  {
    name: 'never-decrypts',
    check: 'signin/rejects-wrong-passcode',
    diagnosis: 'passcode-mismatch',
    knockOn: ['signin/rejects-undecryptable', 'signin/rejects-other-user'],
  },
  { name: 'loose-equality', check: 'signin/compares-exactly', diagnosis: 'passcode-mismatch' },
  { name: 'compares-beginning', check: 'signin/compares-exactly', diagnosis: 'passcode-mismatch' },
  { name: 'ignores-case', check: 'signin/compares-exactly', diagnosis: 'passcode-mismatch' },
  { name: 'empty-passes', check: 'signin/compares-exactly', diagnosis: 'passcode-mismatch' },
  {
    name: 'forgives-decryption',
    check: 'signin/rejects-undecryptable',
    diagnosis: 'accepted-bad-answer',
  },
  { name: 'one-key-for-all', check: 'signin/rejects-other-user', diagnosis: 'other-user' },
  {
    name: 'passcode-optional',
    check: 'signin/rejects-missing-field',
    diagnosis: 'accepted-bad-answer',
  },
  {
    name: 'forgives-no-json',
    check: 'signin/rejects-error-page',
    diagnosis: 'accepted-bad-answer',
  },
  {
    name: 'forgives-expiry',
    check: 'signin/rejects-expired-token',
    diagnosis: 'accepted-bad-answer',
  },
  {
    name: 'forgives-network',
    check: 'signin/rejects-without-service',
    diagnosis: 'accepted-bad-answer',
  },
  { name: 'breaks-down', check: 'signin/works-afterwards' },
  { name: 'retries-forever', check: 'signin/no-retry-storm' },
  { name: 'prints-request', check: 'signin/secrets-not-shown' },
  { name: 'prints-passcode', check: 'signin/secrets-not-shown' },
];

/** Other ways to be right. */
export const rightPrograms = [
  'plain',
  'other-spelling',
  'tries-three-times',
  'looks-at-expiry',
  'asks-again',
  'pretty-json',
  'chunked',
  'other-order',
  'ends-the-process',
] as const;

interface Answer {
  readonly status: number;
  readonly body: string;
}

/** The program, which is right unless `fault` is one of those above. */
export function signinProgram(fault: string): SigninProgram {
  const is = (name: string): boolean => fault === name;
  let kept: { acsToken: string; ptnCd: string } | undefined;
  let broken = false;

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
      ...(is('secret-in-basic') && { Authorization: `Basic ${basic}` }),
    };
  }

  function addressOf({ authUrl, secretKey }: SigninInput, name: string): string {
    if (is('slash-at-end')) return `${authUrl}/process/${name}/`;
    if (is('capital-path')) return `${authUrl}/Process/${name}`;
    if (is('other-path')) return `${authUrl}/oauth/${name}`;
    return `${authUrl}/process/${name}${is('secret-in-query') ? `?key=${secretKey}` : ''}`;
  }

  function encode(fields: Record<string, unknown>): string {
    if (is('form')) return String(new URLSearchParams(fields as Record<string, string>));
    if (is('pretty-json')) return `${JSON.stringify(fields, null, '\t')}\r\n`;
    const order = is('other-order') ? Object.entries(fields).reverse() : Object.entries(fields);
    return JSON.stringify(Object.fromEntries(order));
  }

  async function post(input: SigninInput, name: string, fields: object): Promise<string> {
    const body = encode(fields as Record<string, unknown>);
    const tries = is('retries-forever') ? 30 : is('tries-three-times') ? 3 : 1;
    for (let left = tries - 1; ; left -= 1) {
      try {
        const { body: text } = await send(addressOf(input, name), body, headers(input));
        return text;
      } catch (error) {
        if (left === 0) throw error;
      }
    }
  }

  function send(url: string, body: string, headers: Record<string, string>): Promise<Answer> {
    const method = is('put') ? 'PUT' : 'POST';
    const length = is('chunked') ? {} : { 'content-length': Buffer.byteLength(body) };
    return new Promise((resolve, reject) => {
      const outgoing = request(url, { method, headers: { ...headers, ...length } }, (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
        incoming.on('end', () =>
          resolve({ status: incoming.statusCode ?? 0, body: Buffer.concat(chunks).toString() }),
        );
        incoming.on('error', reject);
      });
      outgoing.on('error', reject);
      if (is('chunked')) outgoing.write(body.slice(0, 10));
      outgoing.end(is('chunked') ? body.slice(10) : body);
    });
  }

  function demandSuccess(answer: { code?: unknown; message?: unknown }): void {
    const good = is('code-as-number') ? !(Number(answer.code) > 1) : answer.code === '0000';
    if (!good) throw new Error(`refused: ${answer.code} ${answer.message}`);
  }

  async function askForToken(input: SigninInput) {
    const { clientId, secretKey, ptnToken } = input;
    const token = is('cut-ptn-token') ? ptnToken.slice(0, -8) : ptnToken;
    const fields = {
      ...(!is('no-client-id') && { client_id: clientId }),
      ...(is('camel-case') ? { secretKey } : { secret_key: secretKey }),
      ptn_token: is('token-in-array') ? [token] : token,
      ...(is('extra-field') && { grant_type: 'ptn_token' }),
    };
    const answer = JSON.parse(await post(input, 'token', fields));
    if (!is('no-token-code')) demandSuccess(answer);
    const { acs_token: acsToken, expire_dt: expireDt, ptn_cd: ptnCd } = answer.result;
    if (!acsToken) throw new Error('no acs_token');
    if (is('looks-at-expiry') && isOver(expireDt)) throw new Error('expired');
    return { acsToken: String(acsToken), ptnCd: String(ptnCd) };
  }

  async function authenticate(input: SigninInput, acsToken: string): Promise<string | undefined> {
    const { clientId, secretKey } = input;
    const fields = {
      client_id: clientId,
      ...(!is('authenticate-without-secret') && { secret_key: secretKey }),
      acs_token: is('acs-token-small') ? acsToken.toLowerCase() : acsToken,
    };
    const text = await post(input, 'authenticate', fields);
    if (is('authenticates-twice')) await post(input, 'authenticate', fields);
    if (is('forgives-no-json') && text.startsWith('<')) return undefined;
    const answer = JSON.parse(text);
    if (is('forgives-expiry') && answer.code === 'E302') return undefined;
    if (is('no-authenticate-code')) return answer.result?.ptn_sp ?? fail('no passcode');
    demandSuccess(answer);
    const passcode = answer.result?.ptn_sp;
    if (passcode === undefined && is('passcode-optional')) return undefined;
    return passcode ?? fail('no ptn_sp');
  }

  function samePasscode(found: string, stored: string): boolean {
    // biome-ignore lint/suspicious/noDoubleEquals: what is wrong about it
    if (is('loose-equality')) return found == stored || Number(found) == Number(stored);
    if (is('compares-beginning')) return found.startsWith(stored);
    if (is('ignores-case')) return found.toLowerCase() === stored.toLowerCase();
    if (is('empty-passes') && found === '') return true;
    return is('never-compares') || found === stored;
  }

  async function once(input: SigninInput, print: (line: string) => void): Promise<void> {
    if (is('prints-request')) print(`token request with ${JSON.stringify(input)}`);
    const token = (is('keeps-acs-token') ? kept : undefined) ?? (await askForToken(input));
    if (is('token-alone')) return;
    const ptnSp = await authenticate(input, token.acsToken);
    kept = token;
    if (ptnSp === undefined || is('never-decrypts')) return;
    const [anybody] = input.users.values();
    const user = is('one-key-for-all') ? anybody : input.users.get(token.ptnCd);
    if (user === undefined) throw new Error('unknown user');
    let passcode: string;
    try {
      passcode = decrypt(ptnSp, user.key);
    } catch (error) {
      if (is('forgives-decryption')) return;
      throw error;
    }
    if (is('prints-passcode')) print(`decrypted: ${passcode}`);
    if (!samePasscode(passcode, user.superPasscode)) throw new Error('another passcode');
  }

  return async (input, print) => {
    if (is('sends-nothing') || broken) throw new Error('not to-day');
    try {
      await once(input, print);
      if (is('refuses-everybody')) throw new Error('the account is locked');
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (is('forgives-network') && code === 'ECONNRESET') return;
      broken = is('breaks-down');
      if (!is('asks-again')) throw error;
      await once(input, print);
    }
  };
}

function decrypt(payload: string, key: string): string {
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
