import assert from 'node:assert/strict';
import { createCipheriv } from 'node:crypto';
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import type { PasscodeVerdict, UserSecrets } from '../../src/client/passcode.ts';
import { authenticate, type SigninInput, signIn } from '../../src/client/signin.ts';
import { defaultCipher } from '../../src/crypto/cipher.ts';
import { parseCipher } from '../../src/crypto/cipher-notation.ts';
import { Secret } from '../../src/crypto/secret.ts';
import type { DiagnosisCode } from '../../src/errors.ts';
import { withTransport } from '../support/client.ts';
import { listen } from '../support/fault-server.ts';

const userKey = 'q7Hn2Lx9Vb4Tz6Rm1Kc8Wd3Fs5Gy0JpA';
const userPasscode = 'Super-Passcode-0042';

/** How a service differs from the interface, and what it contains. */
interface ServiceVariant {
  readonly key?: string;
  readonly passcode?: string;
  readonly algorithm?: 'aes-256-cbc' | 'aes-256-ctr' | 'aes-256-ecb';
  /** Changes the text of a response, by its path. */
  readonly respond?: (path: string, right: string) => string;
}

/** Section 4.2 of the interface in node:crypto alone, with what it received. */
async function startService({
  key = userKey,
  passcode = userPasscode,
  algorithm = 'aes-256-cbc',
  respond = (_, right) => right,
}: ServiceVariant = {}) {
  const calls: { path: string; headers: object; body: Readonly<Record<string, unknown>> }[] = [];
  const iv = Buffer.from(algorithm === 'aes-256-ecb' ? '' : 'an IV of 16 byte');
  const cipher = createCipheriv(algorithm, key, iv.length === 0 ? null : iv);
  const ptn_sp = Buffer.concat([iv, cipher.update(passcode), cipher.final()]).toString('base64');
  const token = { acs_token: 'acs-0123456789', expire_dt: '20300102030405', ptn_cd: 'user-1' };
  const server = createServer(async (request, response) => {
    const { url: path = '', headers } = request;
    calls.push({ path, headers, body: (await json(request)) as Readonly<Record<string, unknown>> });
    const result = path.endsWith('/token') ? token : { ptn_sp };
    const right = JSON.stringify({ code: '0000', message: 'OK', result });
    response.writeHead(200, { 'content-type': 'application/json;charset=utf-8' });
    response.end(respond(path, right));
  });
  const listening = await listen(server, 'http');
  return { ...listening, calls, authUrl: `${listening.url.origin}/login` };
}

type PeerService = Awaited<ReturnType<typeof startService>>;

const keyAlone: UserSecrets = { key: Secret.key(userKey) };
const known: UserSecrets = { ...keyAlone, superPasscode: Secret.text(userPasscode) };

function inputFor(service: PeerService, changes: Partial<SigninInput> = {}): SigninInput {
  return {
    authUrl: service.authUrl,
    clientId: 'client-1',
    secretKey: Secret.text('server-secret-1'),
    ptnToken: Secret.text('ptn-token-1'),
    cipher: defaultCipher,
    lookUpUser: async (ptnCd) => (ptnCd === 'user-1' ? known : {}),
    ...changes,
  };
}

async function run(variant: ServiceVariant, changes: Partial<SigninInput> = {}) {
  const service = await startService(variant);
  const outcome = await withTransport({}, (transport) =>
    signIn(transport, inputFor(service, changes)),
  ).finally(() => service.close());
  return { outcome, service };
}

describe('signIn', () => {
  it('plays the application’s server to the letter, the secret in bodies alone', async () => {
    const { outcome, service } = await run({});
    const { ok, diagnosis, passcode, ptnCd, token } = outcome;
    const found = [ok, diagnosis, passcode, ptnCd, token.result?.expireDt];
    assert.deepEqual(found, [true, undefined, 'match', 'user-1', '20300102030405']);
    const own = { client_id: 'client-1', secret_key: 'server-secret-1' };
    assert.deepEqual(
      service.calls.map(({ path, body }) => [path, body]),
      [
        ['/login/process/token', { ...own, ptn_token: 'ptn-token-1' }],
        ['/login/process/authenticate', { ...own, acs_token: 'acs-0123456789' }],
      ],
    );
    const headers = service.calls.map((call) => call.headers);
    assert.doesNotMatch(JSON.stringify(headers), /server-secret-1/);
  });

  it('ends where the service means another user', async () => {
    const { outcome, service } = await run({}, { expectedPtnCd: 'user-2' });
    assert.deepEqual([outcome.ok, outcome.passcode], [false, 'not-checked']);
    assert.equal(outcome.diagnosis?.code, 'other-user');
    assert.match(outcome.diagnosis?.message ?? '', /user "user-1", not of "user-2"/);
    assert.equal(service.calls.length, 1);
  });
});

/** A service whose second response has this text, or whose response to `path` is replaced. */
const answering = (text: string, wanted = 'authenticate'): ServiceVariant => ({
  respond: (path, right) => (path.endsWith(wanted) ? text : right),
});
const sending = (ptnSp: string) =>
  answering(JSON.stringify({ code: '0000', message: '', result: { ptn_sp: ptnSp } }));

describe('the passcode', () => {
  const otherKey: ServiceVariant = { key: 'Another-Key-0123456789-ABCDEFGHI' };
  const ctr: ServiceVariant = { ...otherKey, algorithm: 'aes-256-ctr' };
  const ecb: ServiceVariant = { algorithm: 'aes-256-ecb' };
  const longer: ServiceVariant = { passcode: `${userPasscode}x` };
  type Found = readonly [PasscodeVerdict, DiagnosisCode?, RegExp?];
  /** What the service sends, what is known of the user, the cipher that is set; what is found. */
  const rows: [string, ServiceVariant, UserSecrets, cipher: string, ...Found][] = [
    ['no key', {}, {}, '', 'not-checked', undefined, /No key is known/],
    ['no passcode', {}, keyAlone, '', 'not-checked', undefined, /No passcode is stored/],
    ['one that begins alike', longer, known, '', 'mismatch', 'passcode-mismatch'],
    ['another key', otherKey, known, '', 'undecryptable'],
    ['another key, unnoticed', ctr, known, 'aes-256-ctr', 'undecryptable', 'wrong-key'],
    ['ecb', ecb, known, '', 'undecryptable', 'cipher-mismatch', /with aes-256-ecb/],
    ['cbc', {}, known, 'aes-256-ctr', 'undecryptable', 'cipher-mismatch', /with aes-256-cbc/],
    ['no IV', {}, keyAlone, 'aes-256-cbc?iv=zero', 'undecryptable', 'cipher-mismatch'],
    ['no payload', sending('AAAA'), known, '', 'undecryptable', 'payload-encoding'],
    ['no Base64', sending('!*.!*.'), {}, '', 'undecryptable', 'field-malformed'],
    ['nothing', sending(''), known, '', 'undecryptable', 'field-malformed'],
  ];
  for (const [name, variant, user, cipher, passcode, code, shown] of rows) {
    it(`${name}: ${passcode}`, async () => {
      const changes = { lookUpUser: () => user, cipher: parseCipher(cipher || 'aes-256-cbc') };
      const { outcome } = await run(variant, changes);
      assert.equal(outcome.passcode, passcode, outcome.diagnosis?.message);
      assert.equal(outcome.ok, passcode === 'not-checked');
      if (code) assert.equal(outcome.diagnosis?.code, code, outcome.diagnosis?.message);
      const told = JSON.stringify([outcome.diagnosis, outcome.authenticate?.notes]);
      if (shown) assert.match(told, shown);
      assert.ok(!told.includes(userPasscode) && !told.includes(userKey));
    });
  }
});

describe('a service that responds wrongly', () => {
  for (const [path, calls] of [
    ['token', 1],
    ['authenticate', 2],
  ] as const) {
    it(`at ${path}: its diagnosis, and no further call`, async () => {
      const refusal = answering('{"code":"1001","message":"expired"}', path);
      const { outcome, service } = await run(refusal);
      assert.deepEqual([outcome.ok, outcome.passcode], [false, 'not-checked']);
      assert.equal(outcome.diagnosis?.code, 'code-not-success');
      assert.equal(outcome.authenticate === undefined, path === 'token');
      assert.equal(service.calls.length, calls);
    });
  }

  it('with an invalid date: field-malformed, the value kept', async () => {
    const { outcome } = await run({ respond: (_, right) => right.replace('20300102', '20301302') });
    assert.equal(outcome.diagnosis?.code, 'field-malformed');
    assert.equal(outcome.token.reading?.seen.expireDt, '20301302030405');
  });

  it('not at all: the connection', async () => {
    const { outcome } = await run({}, { authUrl: 'http://127.0.0.1:1' });
    assert.equal(outcome.diagnosis?.code, 'refused');
  });
});

it('authenticate gives the plaintext', async () => {
  const service = await startService();
  const input = { ...inputFor(service), acsToken: Secret.text('acs-1'), user: known };
  const outcome = await withTransport({}, (transport) => authenticate(transport, input)).finally(
    () => service.close(),
  );
  assert.equal(service.calls[0]?.body.acs_token, 'acs-1');
  assert.equal(Buffer.from(outcome.plaintext ?? []).toString(), userPasscode);
});
