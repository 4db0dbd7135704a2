import assert from 'node:assert/strict';
import { constants, createCipheriv, createHash, publicEncrypt } from 'node:crypto';
import { describe, it } from 'node:test';
import { defaultCipher, parseCipher } from '../../src/crypto/cipher.ts';
import { exportPublicKey } from '../../src/crypto/rsa-key.ts';
import { Secret } from '../../src/crypto/secret.ts';
import { diagnosis } from '../../src/diagnosis/diagnosis.ts';
import { Analysis } from '../../src/traffic/analysis.ts';
import type { CapturedExchange } from '../../src/traffic/capture.ts';
import { Judge, type Judgement, type Knowledge } from '../../src/traffic/judge.ts';
import { keyPairSource } from '../support/key-pairs.ts';
import { exchange, jsonInfo, keyOf, registrations, sealWith, start } from './traffic.ts';

const pair = await keyPairSource()(2048);
const publicKey = exportPublicKey(pair.publicKey);
const pem = `-----BEGIN PUBLIC KEY-----\n${publicKey}\n-----END PUBLIC KEY-----`;

const random = (user: string) =>
  Buffer.from(keyOf(user), 'hex').toString('base64url').padEnd(32, keyOf(user));
const wrap = (key: string, padding = constants.RSA_PKCS1_PADDING) =>
  publicEncrypt({ key: pem, padding }, Buffer.from(key)).toString('base64');

/** AES-256-CBC under the key's characters, the IV in front, as OpenSSL has it. */
function seal(text: string, key: string, iv: Buffer | null = Buffer.alloc(16, 5)): string {
  const cipher = createCipheriv('aes-256-cbc', key, iv ?? Buffer.alloc(16));
  const sealed = Buffer.concat([cipher.update(text), cipher.final()]);
  return Buffer.concat([iv ?? Buffer.alloc(0), sealed]).toString('base64');
}

const ok = { code: '0000', message: '' };
const callback = (user: string, fields: object, response: object) =>
  exchange({ request: { client_id: 'c', ptn_cd: user, ...fields }, response });
const keyExchange = (user: string, enc_partner_key: unknown, request: object = {}) => {
  const fields = { used_type: '1', public_key: publicKey, ...request };
  return callback(user, fields, { ...ok, result: { enc_partner_key } });
};
const registration = (user: string, partner_sp: string, response: object = {}) =>
  callback(user, { used_type: '2', partner_sp }, { ...ok, ...response });
const call = (fields: object, response: object, at = start) => {
  const request = { client_id: 'c', secret_key: 'server-secret', ...fields };
  return exchange({ request, response, at });
};
const token = (result: object, request: object = {}, at = start) =>
  call({ ptn_token: 't', ...request }, { ...ok, result }, at);
const authenticate = (ptn_sp: string) => call({ acs_token: 'a' }, { ...ok, result: { ptn_sp } });
const tokenOf = (user: string) =>
  token({ acs_token: 'a', expire_dt: '20261123120000', ptn_cd: user });

const knowing = (more: Partial<Knowledge> = {}): Knowledge => ({
  cipher: defaultCipher,
  privateKeys: [pair],
  ...more,
});

async function judgeAll(exchanges: readonly CapturedExchange[], knowledge = knowing()) {
  const judge = new Judge({ atOnce: 3, perSecond: 1 });
  const judgements: Judgement[] = [];
  for (const each of exchanges) judgements.push(await judge.judge(each, knowledge));
  return judgements;
}

/** "application key-exchange/wraps-key must oaep-sha1" for each finding. */
async function found(exchanges: readonly CapturedExchange[], knowledge?: Knowledge) {
  const judgements = await judgeAll(exchanges, knowledge);
  return judgements.flatMap(({ findings }) =>
    findings.map(({ side, check, fault }) =>
      [side, check.id, check.level, fault.diagnosis?.code ?? ''].join(' ').trim(),
    ),
  );
}

describe('the judge of traffic', () => {
  const issuedAt = Date.UTC(2026, 10, 23, 12);
  const result = { acs_token: 'a+b', expire_dt: '20261123120100', ptn_cd: 'ada' };
  const issued = token(result, {}, issuedAt);
  const refusal = { code: 'E1', message: 'no' };
  const use = (acs_token: string, afterMs = 30_000, response: object = refusal) =>
    call({ acs_token }, response, issuedAt + afterMs);
  const used = use('a+b', 1000, { ...ok, result: { ptn_sp: 'AAAA' } });
  const [key, graces] = [random('ada'), random('grace')];
  const wrapped = wrap(key);
  const sealed = seal('134457', key);
  const [exchanged, registered] = [keyExchange('ada', wrapped), registration('ada', sealed)];
  const swapped = keyExchange('ada', wrap(graces));
  const oaep = keyExchange('ada', wrap(key, constants.RSA_PKCS1_OAEP_PADDING));
  const short = Buffer.alloc(128, 3).toString('base64');
  const weak = keyExchange('ada', wrap('a'.repeat(31)));
  const leaking = registration('ada', sealed, { message: `stored ${key}` });
  const signedIn = [tokenOf('ada'), authenticate(seal('other-passcode', key))];
  const under = registration('ada', seal('134457', graces));
  const cut = { ...exchanged.response, body: Buffer.from('{"code":"0000"'), isCut: true };
  const usual = { used_type: '1', public_key: publicKey };
  const headers = [['Content-Type', 'text/plain']] as const;
  const answer = { status: 201, headers, body: registered.response?.body ?? Buffer.alloc(0) };
  const padding = 'javax.crypto.BadPaddingException: Given final block not properly padded';
  const refused = registration('ada', 'eA==', refusal);
  const sent = (exchange: CapturedExchange, changes: object) => {
    const { body } = exchange.request ?? { body: Buffer.alloc(0) };
    return { ...exchange, request: { body, ...changes } };
  };
  const tried = (id: string) => sent(refused, { headers: [['X-Authcli-Check', id]] });
  const typed = { method: 'GET', headers: [['Content-Type', 'application/json']] };
  const inQuery = { target: '/token?secret_key=server-secret' };
  const closed = diagnosis('reset', 'Closed.', '');
  const unanswered = { ...refused, response: undefined };
  const unasked = { ...tokenOf('ada'), request: undefined };
  const without = knowing({ privateKeys: [] });
  const knownUser = (ptnCd: string) => (ptnCd === 'ada' ? { key: Secret.key(key) } : undefined);

  const inExchange = (text: string) => `application key-exchange/${text}`;
  const inSignin = (text: string) => `application signin/${text}`;
  const inCallback = (text: string) => `service callback/${text}`;
  const refusedFor = (code: string) => `application registration/answers-success must ${code}`;
  const changed = inSignin('acs-token-unchanged must field-malformed');
  const missing = inCallback('request-shape must field-missing');
  const leaked = inExchange('plain-key-absent must key-leaked');
  type Row = [traffic: CapturedExchange[], expected?: string[], knowledge?: Knowledge];
  const rows: Readonly<Record<string, readonly Row[]>> = {
    'a refused token': [
      [[issued, use('a+b')], ['service service/token-works must code-not-success']],
      [[issued, use('a b')], [changed]],
      [[issued, use('t')], [changed]],
      [[issued, use('never-seen')]],
      [[issued, used, use('a+b')], [inSignin('acs-token-once must field-malformed')]],
      [[issued, use('a+b', 61_000)]], // it may have expired
    ],
    'a response that may be that of another user': [
      [[swapped, registered], [inCallback('payloads must bad-padding')]],
      [[{ ...swapped, isPairUnsure: true }, registered]],
      [
        [{ ...keyExchange('ada', '%'), isPairUnsure: true }],
        [inExchange('wraps-key must not-base64')],
      ],
    ],
    'what a log left out': [
      [[unasked, { ...exchanged, response: cut }, { ...exchanged, response: undefined }]],
    ],
    'a wrapped key': [
      [[oaep], [inExchange('wraps-key must oaep-sha1')]],
      [[oaep], [], without],
      [
        [keyExchange('ada', wrapped.replace(/=+$/, ''))],
        [inExchange('strict-base64 should not-base64')],
        without,
      ],
      [[keyExchange('ada', short)], [inExchange('wraps-key must wrong-length')], without],
      [[keyExchange('ada', key)], [inExchange('wraps-key must plain-key'), leaked], without],
    ],
    'the keys of exchanges': [
      [
        [exchanged, keyExchange('grace', wrap(key))],
        [inExchange('key-per-user must key-constant')],
      ],
      [
        [exchanged, keyExchange('ada', wrap(key))],
        [inExchange('new-key-each-time must key-repeated')],
      ],
      [
        [weak],
        [inExchange('key-length must key-length'), inExchange('key-is-random must key-constant')],
      ],
      [[exchanged, leaking], [leaked]],
    ],
    'a request of the service': [
      [
        [keyExchange('ada', wrapped, { public_key: pem })],
        [inCallback('public-key must field-malformed')],
      ],
      [[callback('', { ...usual, ptn_cd: undefined }, refusal)], [missing]],
      [
        [callback('', { ...usual, ptn_cd: 5 }, refusal)],
        [inCallback('request-shape must field-type')],
      ],
      [
        [keyExchange('ada', wrapped, { ptn_cd: undefined })],
        [missing, inExchange('rejects-missing-field must accepted-bad-input')],
      ],
    ],
    'a request of the application': [
      [[sent(tokenOf('ada'), typed)], ['method must', 'content-type must'].map(inSignin)],
      [[sent(tokenOf('ada'), inQuery)], [inSignin('secret-in-body-only must')]],
      [
        [token(result, { ptn_token: 7, x: 1 })],
        ['string-types must field-type', 'no-other-fields should'].map(inSignin),
      ],
    ],
    'a response of the service': [
      [
        [token({ ...result, expire_dt: '2026-11-23' })],
        ['service service/expire-dt must field-malformed'],
      ],
      [
        [token({ ...result, ptn_cd: undefined })],
        ['service service/token-shape must field-missing'],
      ],
      [
        [exchanged, registered, ...signedIn],
        ['service service/returns-passcode must passcode-mismatch'],
      ],
    ],
    'a response of the application': [
      [
        [{ ...registered, response: answer }],
        [
          'application protocol/json-content-type should not-json',
          'application protocol/http-status should',
        ],
      ],
      [
        [registration('ada', sealed, { code: 'E500', message: padding })],
        [refusedFor('bad-padding')],
      ],
      [[{ ...unanswered, failure: closed }], [refusedFor('reset')]],
    ],
    'a payload under the key of a known user': [
      [[under], [inCallback('payloads must bad-padding')], knowing({ key: Secret.key(key) })],
      [[under], [inCallback('payloads must bad-padding')], knowing({ lookUpUser: knownUser })],
    ],
    'a refusal of what authcli tried': [
      [[tried('registration/latest-key')]],
      [[tried('registration/without-user-info')], [refusedFor('code-not-success')]],
      [[{ ...refused, isTest: true }]],
    ],
  };
  for (const [what, ofThis] of Object.entries(rows)) {
    it(`says whose fault is ${what}`, async () => {
      for (const [traffic, expected = [], knowledge] of ofThis)
        assert.deepEqual(await found(traffic, knowledge), expected);
    });
  }

  it('judges a payload again when a later one shows the cipher', async () => {
    const right = sealWith('aes-256-cfb');
    for (const [key, failed] of [
      [keyOf('ada'), 0],
      [keyOf('other'), 1],
    ] as const) {
      const request = {
        ptn_cd: 'ada',
        used_type: '2',
        partner_sp: right('Zq7', key),
        client_id: 'c',
      };
      const short = exchange({ request, response: ok, key: keyOf('ada') });
      const analysis = new Analysis(knowing());
      for (const each of [short, ...registrations(right, jsonInfo)]) await analysis.add(each);
      const broken = analysis.findings.filter(({ check }) => check.level === 'must');
      assert.deepEqual([analysis.failed, broken.length], [failed, failed]);
    }
  });

  it('blames nobody for a payload that a key of one of several users does not decrypt', async () => {
    const analysis = new Analysis(knowing({ key: Secret.key(key), privateKeys: [] }));
    const counts = () => [analysis.findings.length, analysis.failed, analysis.notWithKey];
    const ofGrace = registration('grace', seal('pass', graces));
    await analysis.add(ofGrace);
    assert.deepEqual(counts(), [1, 1, 0]);
    for (const each of [registered, ofGrace]) await analysis.add(each);
    assert.deepEqual(counts(), [0, 0, 2]);
  });

  it('finds nothing in a right sign-up and sign-in', async () => {
    const traffic = [exchanged, registered, tokenOf('ada'), authenticate(sealed)];
    assert.deepEqual(await found(traffic), []);
    const [first, , , last] = await judgeAll(traffic);
    const secrets = last?.secrets.map((secret) => secret.reveal());
    assert.deepEqual([first?.key?.reveal(), last?.ptnCd, secrets], [key, 'ada', [key, '134457']]);
  });

  describe('after the keys of three users', () => {
    const md5 = (text: string) => createHash('md5').update(text).digest('hex');
    /** Three users whose keys are random, then one whose key isn't, all within a second but for the last. */
    const signups = (keys: readonly string[], pauseMs: number, before = 3) => {
      const random = Array.from({ length: before }, (_, index) => keyOf(`user-${index}`));
      return [...random, ...keys].map((key, index) => ({
        ...keyExchange(`user-${index}`, wrap(key)),
        startedAt: start + index * 100 + (index < before ? 0 : pauseMs),
      }));
    };
    const weak = (code: string) => [`application key-exchange/key-is-random must ${code}`];

    it('examines those of more users as well, one in a second', async () => {
      const derived = md5('user-3');
      assert.deepEqual(await found(signups([derived], 1000)), weak('key-from-user-code'));
      const late = signups([md5('user-9')], 60_000, 9);
      assert.deepEqual(await found(late), weak('key-from-user-code'));
      assert.deepEqual(await found(signups([derived], 0)), []);
    });

    it('finds low entropy in each, however many come in a second', async () => {
      const keys = ['abcd'.repeat(8), 'abce'.repeat(8)];
      assert.deepEqual(await found(signups(keys, 0, 6)), [
        ...weak('key-low-entropy'),
        ...weak('key-low-entropy'),
      ]);
    });

    it('compares each with those before it, and reports once that they are alike', async () => {
      const counted = [1, 2, 3, 4].map((count) => `${keyOf('counter').slice(0, 28)}000${count}`);
      assert.deepEqual(await found(signups(counted, 0, 6)), weak('key-predictable'));
      const hashed = [7, 8, 9, 10].map((count) => md5(`${count}`));
      assert.deepEqual(await found(signups(hashed, 0, 6)), weak('key-predictable'));
      const [other = '', repeated = ''] = [keyOf('one'), keyOf('two')];
      assert.deepEqual(await found(signups([repeated, other, repeated], 0, 6)), [
        'application key-exchange/key-per-user must key-repeated',
      ]);
    });
  });

  it('says of a refused registration that decrypts here that the application decrypts otherwise', async () => {
    for (const sealedWith of [key, graces]) {
      const isReadable = sealedWith === key;
      const refused = registration('ada', seal('134457', sealedWith), refusal);
      const [, judged] = await judgeAll([exchanged, refused]);
      const diagnosis = judged?.diagnoses.find(({ code }) => code === 'code-not-success');
      assert.equal(/Here partner_sp decrypts/.test(diagnosis?.message ?? ''), isReadable);
      assert.equal(/cipher probe/.test(diagnosis?.hint ?? ''), isReadable);
    }
  });

  it('says which cipher fits where the set one does not, and blames neither side', async () => {
    const zero = [1, 2].map((part) =>
      registration('ada', seal(`p4ssw0rd-${part}-long-enough`, key, null)),
    );
    const judgements = await judgeAll([exchanged, ...zero]);
    assert.deepEqual(
      judgements.map(({ ok, diagnoses }) => [ok, ...diagnoses.map(({ code }) => code)]),
      [[true], [true, 'cipher-mismatch'], [true, 'cipher-mismatch']],
    );
    const set = knowing({ cipher: parseCipher('aes-256-cbc?iv=zero') });
    assert.deepEqual(await found([exchanged, ...zero], set), []);
    const asSet = [registered, tokenOf('ada'), authenticate(sealed)];
    assert.equal((await judgeAll([exchanged, ...zero, ...asSet])).at(-1)?.ok, true);
  });

  it('finds every payload under a wrong key, also after it has ceased to search for ciphers', async () => {
    const knowledge = knowing({ key: Secret.key(key) });
    const wrong = Array.from({ length: 12 }, (_, index) =>
      registration('ada', seal(`134457-${index}`, graces)),
    );
    assert.equal((await found(wrong, knowledge)).length, 12);
  });

  it('takes no two hidden values for the same, and judges none', async () => {
    const hidden = '[redacted]';
    const concealed = { secret_key: hidden, ptn_token: hidden };
    const concealedToken = token({ ...result, acs_token: hidden }, concealed);
    const response = { ...ok, result: { ptn_sp: hidden } };
    const concealedUse = call({ secret_key: hidden, acs_token: hidden }, response);
    const target = `/process/authenticate?acs_token=${hidden}`;
    const redacted = {
      ...concealedUse,
      request: { body: Buffer.alloc(0), ...concealedUse.request, target },
    };
    const refused = { ...redacted, response: { body: Buffer.from(JSON.stringify(refusal)) } };
    const plain = [keyExchange('ada', hidden), registration('ada', hidden)];
    const knowledge = knowing({ key: Secret.key(key) });
    const judgements = await judgeAll([concealedToken, redacted, refused, ...plain], knowledge);
    const checks = judgements.flatMap(({ findings }) => findings.map(({ check }) => check.id));
    assert.deepEqual(checks, ['service/token-works']);
    assert.equal(judgements[2]?.ptnCd, undefined);
  });

  it('leaves other traffic alone, and survives any bytes', async () => {
    const body = Buffer.from([0xff, 0, 0x7b, 0x22]);
    assert.deepEqual(await found([{ source: '', operation: 'other', request: { body } }]), []);
    for (const operation of ['key-exchange', 'registration', 'token', 'authenticate'] as const) {
      const request = { body, target: '//[' };
      const [judged] = await judgeAll([{ source: '', operation, request, response: { body } }]);
      assert.equal(judged?.ok, false);
    }
  });
});
