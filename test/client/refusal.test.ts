import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Transport, WireRequest } from '../../src/client/exchange.ts';
import { experiments } from '../../src/client/experiments.ts';
import { generateKeyPairLike } from '../../src/client/key-pair.ts';
import { explainRefusal, mostRequests } from '../../src/client/refusal.ts';
import { exchangeKey, register, type SignupInput } from '../../src/client/signup.ts';
import { defaultCipher } from '../../src/crypto/cipher.ts';
import { decryptPayload } from '../../src/crypto/payload-ciphers.ts';
import { wrapKey } from '../../src/crypto/rsaes-pkcs1-v1_5.ts';
import { Secret } from '../../src/crypto/secret.ts';
import { keyPairSource } from '../support/key-pairs.ts';
import { seededBytes } from '../support/seeded-bytes.ts';

const randomBytes = seededBytes('refusal');
const pairs = keyPairSource();
const keyPair = await pairs(2048);
const input: SignupInput = {
  url: new URL('http://localhost/callback'),
  clientId: 'client-1',
  ptnCd: 'authcli-0a1b2c3d4e5f',
  keyPair,
  cipher: defaultCipher,
  superPasscode: Secret.text('passcode-of-24-characters'),
  userInfo: Secret.text('{"name":"Ann"}'),
  randomBytes,
};

/** What an application sees of a request: its fields, its headers, and the user's key exchanges. */
interface Seen extends Record<'type' | 'cookie' | 'path', string> {
  readonly fields: Readonly<Record<string, string | number>>;
  readonly isFresh: boolean;
  readonly exchanges: number;
  readonly sinceMs: number;
  readonly key: string;
  readonly passcode: string;
}

type Refuses = (seen: Seen) => boolean;

const refusal = '{"code":"E01","message":"refused"}';

/** An application that decrypts nothing, and refuses callbacks of this used_type as it is told. */
function application(usedType: number, refuses: Refuses, seen: Seen[], cookies = ''): Transport {
  const users = new Map<string, { key: string; exchanges: number; at: number }>();
  const respond = (request: WireRequest, isFresh: boolean): string => {
    const header = (name: string) => request.headers.find(([n]) => n.toLowerCase() === name)?.[1];
    const text = Buffer.from(request.body).toString();
    const type = header('content-type') ?? '';
    const form = type.includes('form') ? new URLSearchParams(text) : undefined;
    const fields = form ? Object.fromEntries(form) : JSON.parse(text);
    const { key = '', exchanges = 0, at = 0 } = users.get(fields.ptn_cd) ?? {};
    const opened =
      key && fields.partner_sp && decryptPayload(fields.partner_sp, key, defaultCipher);
    const passcode = opened?.ok ? Buffer.from(opened.plaintext).toString() : '';
    const [path, cookie, sinceMs] = [request.url.pathname, header('cookie') ?? '', Date.now() - at];
    const sight = { fields, type, path, cookie, isFresh, exchanges, sinceMs, key, passcode };
    seen.push(sight);
    if (Number(fields.used_type) === usedType && refuses(sight)) return refusal;
    if (Number(fields.used_type) === 2) return '{"code":"0000","message":""}';
    const made = Buffer.from(randomBytes(16)).toString('hex');
    users.set(fields.ptn_cd, { key: made, exchanges: exchanges + 1, at: Date.now() });
    const enc_partner_key = wrapKey(keyPair.publicKey, made, randomBytes);
    return JSON.stringify({ code: '0000', message: '', result: { enc_partner_key } });
  };
  return {
    close: async () => {},
    send: async (request, connection) => {
      const body = Buffer.from(respond(request, connection === 'fresh'));
      const headers = cookies ? ([['set-cookie', `${cookies}; Path=/`]] as const) : [];
      const head = { status: 200, statusText: '', httpVersion: 'HTTP/1.1', headers };
      const response = { ...head, body, encodedBodyBytes: body.length };
      return { request, startedAt: 0, durationMs: 1, timings: {}, attempts: 1, response };
    },
  };
}

/** What is found out about the first callback that the application refuses. */
async function explain(
  usedType: number,
  refuses: Refuses,
  changes: Partial<SignupInput> = {},
  cookies?: string,
) {
  const seen: Seen[] = [];
  const transport = application(usedType, refuses, seen, cookies);
  const own = { ...input, ...changes };
  const first = await exchangeKey(transport, own);
  const { key } = first;
  const step = usedType === 2 && key ? await register(transport, { ...own, key }) : first;
  assert.ok(!step.ok, 'nothing was refused');
  seen.splice(0);
  let users = 0;
  const { diagnosis } = await explainRefusal(
    transport,
    { step, input: own, key },
    {
      inventsUsers: true,
      nextUserCode: () => `authcli-probe-${String(users++).padStart(6, '0')}`,
      onKey: () => {},
    },
  );
  assert.ok(seen.length <= mostRequests, `${seen.length} requests`);
  return { code: '', ...diagnosis, seen };
}

const isText = ({ fields }: Seen) => typeof fields.used_type === 'string';
const field = (name: string) => (seen: Seen) => String(seen.fields[name] ?? '');
const [code, publicKey] = [field('ptn_cd'), field('public_key')];
const large = { keyPair: await pairs(3072) };
const odd = { keyPair: await generateKeyPairLike({ modulusBits: 2048, publicExponent: 3n }) };

const rows: Readonly<Record<string, [number, Refuses, Partial<SignupInput>?, string?]>> = {
  'content-type': [1, ({ type }) => type.includes('charset')],
  form: [1, ({ type }) => type.includes('json')],
  'used-type-number': [1, isText],
  'public-key-pem': [1, (seen) => !publicKey(seen).startsWith('-----')],
  'public-key-pkcs1': [1, (seen) => publicKey(seen).length > 380],
  'public-key-2048': [1, (seen) => publicKey(seen).length > 400, large],
  'public-exponent': [1, (seen) => !publicKey(seen).endsWith('AQAB'), odd],
  'path-slash': [1, ({ path }) => !path.endsWith('/')],
  'user-code-digits': [1, (seen) => !/^\d+$/.test(code(seen))],
  'user-code-letters': [1, (seen) => !/^[a-z]+$/.test(code(seen))],
  'user-code-short': [1, (seen) => code(seen).length > 10],
  'without-user-info': [2, ({ fields }) => fields.ubifill !== undefined],
  'with-user-info': [2, ({ fields }) => fields.ubifill === undefined, { userInfo: undefined }],
  cookie: [2, ({ cookie }) => cookie !== 'sid=1', {}, 'sid=1'],
  pause: [2, ({ exchanges, sinceMs }) => exchanges === 0 || sinceMs < 900],
  'second-key-exchange': [2, ({ exchanges }) => exchanges < 2],
  ascii: [2, ({ passcode }) => /[^ -~]/.test(passcode), { superPasscode: Secret.text('Größe-8') }],
  'short-passcode': [2, ({ passcode, exchanges }) => passcode.length > 8 && exchanges > 0],
  'new-connection': [2, ({ isFresh, exchanges }) => !isFresh && exchanges > 0],
};

describe('the experiments on a callback that was refused', () => {
  it('have each an application that only they explain', () => {
    const names = new Set(Object.values(experiments).flatMap((all) => all.map(({ name }) => name)));
    assert.deepEqual(Object.keys(rows).sort(), [...names].sort());
  });

  for (const [name, row] of Object.entries(rows)) {
    it(`explain ${name}`, async () => {
      const { message, evidence } = await explain(...row);
      assert.equal(evidence?.experiment, name, message);
      assert.match(message ?? '', /^The application accepts /);
      assert.match(String(evidence.accepted_request), /^POST \/callback/);
      assert.notEqual(evidence.accepted_request, evidence.refused_request);
    });
  }

  it('prove nothing where all is refused, and say what was tried', async () => {
    const { message, evidence, hint } = await explain(1, () => true);
    assert.match(message ?? '', /"refused".* without a difference: another user, "Content-type: /);
    assert.deepEqual([evidence?.experiment, hint?.includes('PEM')], [undefined, false]);
  });

  it('say that the key may be forgotten where a user without one is refused alike', async () => {
    const { message, hint, calls, evidence } = await explain(2, () => true);
    assert.match(message ?? '', /gets the same response: either the application has no key/);
    assert.match(hint ?? '', /whether a key is found for ptn_cd/);
    assert.deepEqual([evidence?.experiment, calls], ['never-exchanged', {}]);
  });

  it('say of what is refused for one user that it is about the user', async () => {
    const refuses: Refuses = ({ fields }) => fields.ptn_cd === input.ptnCd;
    const { message, evidence } = await explain(2, refuses);
    assert.match(message ?? '', /for 1 of \d users, and that of authcli-0a1b2c3d4e5f again/);
    assert.equal(evidence?.experiment, 'another-user');
  });

  it('say of what is refused now and then that it is not about the user', async () => {
    let turn = 0;
    const some: Refuses = ({ exchanges }) => exchanges === 0 || [0, 2].includes(turn++);
    const { message } = await explain(2, some);
    assert.match(message ?? '', /for 2 of 5 users, and accepted that of .* when it was repeated/);
  });
});
