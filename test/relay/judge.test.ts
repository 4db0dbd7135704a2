import assert from 'node:assert/strict';
import { constants, createCipheriv, createHash, publicEncrypt } from 'node:crypto';
import { describe, it } from 'node:test';
import { defaultCipher } from '../../src/crypto/cipher.ts';
import { parseCipher } from '../../src/crypto/cipher-notation.ts';
import { exportPublicKey } from '../../src/crypto/rsa-key.ts';
import { Secret } from '../../src/crypto/secret.ts';
import { Analysis } from '../../src/relay/analysis.ts';
import type { CapturedExchange } from '../../src/relay/capture.ts';
import { Judge, type Judgement, type Knowledge } from '../../src/relay/judge.ts';
import { keyPairSource } from '../support/key-pairs.ts';
import { exchange, keyOf, start } from './traffic.ts';

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

/** "application key-exchange/wraps-key oaep-sha1" for each finding. */
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
  const issuedToken = token(result, {}, issuedAt);
  const use = (acs_token: string, afterMs: number, response: object) =>
    call({ acs_token }, response, issuedAt + afterMs);
  const refusal = { code: 'E1', message: 'no' };
  const used = use('a+b', 1000, { ...ok, result: { ptn_sp: 'AAAA' } });
  const changed = 'application signin/acs-token-unchanged must field-malformed';
  const once = 'application signin/acs-token-once should field-malformed';
  const uses: [how: string, before: CapturedExchange[], acsToken: string, expected?: string][] = [
    ['as it was issued', [], 'a+b', 'service service/token-works must code-not-success'],
    ['with a space for a plus sign', [], 'a b', changed],
    ['that is the ptn_token', [], 't', changed],
    ['that was never seen', [], 'z'],
    ['a second time', [used], 'a+b', once],
  ];
  for (const [how, before, acsToken, ...expected] of uses) {
    it(`explains why an access token was refused: ${how}`, async () => {
      const last = use(acsToken, 30_000, refusal);
      assert.deepEqual(await found([issuedToken, ...before, last]), expected);
    });
  }

  it('blames nobody for the refusal of a token that may have expired', async () => {
    assert.deepEqual(await found([issuedToken, use('a+b', 61_000, refusal)]), []);
  });

  it('blames nobody for a payload that a key of one of several users does not decrypt', async () => {
    const sealed = ['ada', 'grace'].map((user) => registration(user, seal('pass', random(user))));
    const analysis = new Analysis(knowing({ key: Secret.key(random('ada')), privateKeys: [] }));
    for (const each of sealed.slice(1)) await analysis.add(each);
    assert.deepEqual([analysis.findings.length, analysis.failed, analysis.notWithKey], [1, 1, 0]);
    for (const each of sealed) await analysis.add(each);
    assert.deepEqual([analysis.findings.length, analysis.failed, analysis.notWithKey], [0, 0, 2]);
  });

  it("takes no key from a response that may be another user's", async () => {
    const [ada, grace] = [random('ada'), random('grace')];
    const swapped = [keyExchange('ada', wrap(grace)), registration('ada', seal('pass-ada', ada))];
    assert.deepEqual(await found(swapped), ['service callback/payloads must bad-padding']);
    const unsure = { ...swapped[0], isPairUnsure: true } as CapturedExchange;
    assert.deepEqual(await found([unsure, ...swapped.slice(1)]), []);
    const broken = { ...keyExchange('ada', '%'), isPairUnsure: true } as const;
    assert.notDeepEqual(await found([broken]), []);
  });

  it('finds nothing in a right sign-up and sign-in', async () => {
    const key = random('ada');
    const sealed = seal('134457', key);
    const signUp = [keyExchange('ada', wrap(key)), registration('ada', sealed)];
    const traffic = [...signUp, tokenOf('ada'), authenticate(sealed)];
    assert.deepEqual(await found(traffic), []);
    const [first, , , last] = await judgeAll(traffic);
    assert.equal(first?.key?.reveal(), key);
    assert.equal(last?.ptnCd, 'ada');
    const secrets = last?.secrets.map((secret) => secret.reveal());
    assert.deepEqual(secrets, [key, '134457']);
  });

  it('finds no fault in what a log left out', async () => {
    const bare = { ...tokenOf('ada'), request: undefined };
    const cut = keyExchange('ada', 'x');
    const isCut = { ...cut, response: cut.response && { ...cut.response, isCut: true } };
    assert.deepEqual(await found([bare, isCut, { ...cut, response: undefined }]), []);
  });

  it('finds the OAEP padding of a key, by the private key', async () => {
    const wrapped = wrap(random('ada'), constants.RSA_PKCS1_OAEP_PADDING);
    const expected = ['application key-exchange/wraps-key must oaep-sha1'];
    assert.deepEqual(await found([keyExchange('ada', wrapped)]), expected);
    assert.deepEqual(await found([keyExchange('ada', wrapped)], knowing({ privateKeys: [] })), []);
  });

  it('judges the form of a wrapped key without a private key', async () => {
    const without = knowing({ privateKeys: [] });
    const strict = 'application key-exchange/strict-base64 should';
    const wraps = 'application key-exchange/wraps-key must';
    const leaked = 'application key-exchange/plain-key-absent must key-leaked';
    const cases: readonly [string, readonly string[]][] = [
      [wrap(random('ada')).replace(/=+$/, ''), [`${strict} not-base64`]],
      [Buffer.alloc(128, 3).toString('base64'), [`${wraps} wrong-length`]],
      [random('ada'), [`${wraps} plain-key`, leaked]],
    ];
    for (const [wrapped, expected] of cases) {
      assert.deepEqual(await found([keyExchange('ada', wrapped)], without), expected, wrapped);
    }
  });

  it('compares the keys of exchanges, and reports each relation where it begins', async () => {
    const key = random('ada');
    for (const [user, finding] of [
      ['grace', 'key-per-user must key-constant'],
      ['ada', 'new-key-each-time must key-repeated'],
    ] as const) {
      const both = [keyExchange('ada', wrap(key)), keyExchange(user, wrap(key))];
      assert.deepEqual(await found(both), [`application key-exchange/${finding}`]);
    }
    assert.deepEqual(await found([keyExchange('ada', wrap('a'.repeat(31)))]), [
      'application key-exchange/key-length must key-length',
      'application key-exchange/key-is-random must key-constant',
    ]);
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

  it('finds the key of the key exchange in a later response', async () => {
    const key = random('ada');
    const leaking = registration('ada', seal('134457', key), { message: `stored ${key}` });
    assert.deepEqual(await found([keyExchange('ada', wrap(key)), leaking]), [
      'application key-exchange/plain-key-absent must key-leaked',
    ]);
  });

  it('blames the service for its requests', async () => {
    const usual = { used_type: '1', public_key: publicKey };
    const inPem = keyExchange('ada', wrap(random('ada')), { public_key: pem });
    const cases: [CapturedExchange, string][] = [
      [inPem, 'public-key must field-malformed'],
      [callback('', { ...usual, ptn_cd: undefined }, refusal), 'request-shape must field-missing'],
      [callback('', { ...usual, ptn_cd: 5 }, refusal), 'request-shape must field-type'],
    ];
    for (const [each, expected] of cases)
      assert.deepEqual(await found([each]), [`service callback/${expected}`]);
  });

  it('blames an application that accepts a callback without what it needs', async () => {
    const incomplete = keyExchange('ada', wrap(random('ada')), { ptn_cd: undefined });
    assert.deepEqual(await found([incomplete]), [
      'service callback/request-shape must field-missing',
      'application key-exchange/rejects-missing-field must accepted-bad-input',
    ]);
  });

  it('blames the application for its requests to the service', async () => {
    const right = tokenOf('ada');
    const { body } = right.request ?? { body: Buffer.alloc(0) };
    const sent = (request: object) => ({ ...right, request: { body, ...request } });
    const typed = { method: 'GET', headers: [['Content-Type', 'application/json']] };
    const odd = token(result, { ptn_token: 7, x: 1 });
    const wrong: [CapturedExchange, string[]][] = [
      [sent(typed), ['method must', 'content-type must']],
      [sent({ target: '/token?secret_key=server-secret' }), ['secret-in-body-only must']],
      [odd, ['string-types must field-type', 'no-other-fields should']],
    ];
    for (const [each, expected] of wrong) {
      const findings = expected.map((text) => `application signin/${text}`);
      assert.deepEqual(await found([each]), findings);
    }
  });

  it('judges the responses of the service', async () => {
    const cases: [result: object, string][] = [
      [{ ...result, expire_dt: '2026-11-23' }, 'expire-dt must field-malformed'],
      [{ ...result, ptn_cd: undefined }, 'token-shape must field-missing'],
    ];
    for (const [each, expected] of cases)
      assert.deepEqual(await found([token(each)]), [`service service/${expected}`]);
  });

  it('judges status and content type where they are known', async () => {
    const right = registration('ada', seal('134457', random('ada')));
    const headers = [['Content-Type', 'text/plain']] as const;
    const body = right.response?.body ?? Buffer.alloc(0);
    assert.deepEqual(await found([{ ...right, response: { status: 201, headers, body } }]), [
      'application protocol/json-content-type should not-json',
      'application protocol/http-status should',
    ]);
  });

  it('explains the error of a library in a refusal as simulate-signup does', async () => {
    const refused = registration('ada', seal('134457', random('ada')), {
      code: 'E500',
      message: 'javax.crypto.BadPaddingException: Given final block not properly padded',
    });
    assert.deepEqual(await found([refused]), [
      'application registration/answers-success must bad-padding',
    ]);
  });

  it('says of a refused registration that decrypts here that the application decrypts otherwise', async () => {
    const key = random('ada');
    const refused = { code: 'A108', message: 'no' };
    for (const [sealed, isReadable] of [
      [seal('134457', key), true],
      [seal('134457', random('grace')), false],
    ] as const) {
      const traffic = [keyExchange('ada', wrap(key)), registration('ada', sealed, refused)];
      const judged = (await judgeAll(traffic))[1];
      const diagnosis = judged?.diagnoses.find(({ code }) => code === 'code-not-success');
      assert.equal(/Here partner_sp decrypts/.test(diagnosis?.message ?? ''), isReadable);
      assert.equal(/cipher probe/.test(diagnosis?.hint ?? ''), isReadable);
    }
  });

  it('says which cipher fits where the set one does not, and blames neither side', async () => {
    const key = random('ada');
    const zero = [1, 2].map((part) =>
      registration('ada', seal(`p4ssw0rd-${part}-long-enough`, key, null)),
    );
    const judgements = await judgeAll([keyExchange('ada', wrap(key)), ...zero]);
    assert.deepEqual(
      judgements.map(({ ok, diagnoses }) => [ok, ...diagnoses.map(({ code }) => code)]),
      [[true], [true, 'cipher-mismatch'], [true, 'cipher-mismatch']],
    );
    const set = knowing({ cipher: parseCipher('aes-256-cbc?iv=zero') });
    assert.deepEqual(await found([keyExchange('ada', wrap(key)), ...zero], set), []);
  });

  it('compares ptn_sp with the passcode of the registration', async () => {
    const key = random('ada');
    const signUp = [keyExchange('ada', wrap(key)), registration('ada', seal('134457', key))];
    const traffic = [...signUp, tokenOf('ada'), authenticate(seal('other-passcode', key))];
    const expected = ['service service/returns-passcode must passcode-mismatch'];
    assert.deepEqual(await found(traffic), expected);
  });

  it('uses the keys of users that are known', async () => {
    const key = Secret.key(random('ada'));
    const other = seal('134457', random('grace'));
    const lookUpUser = (ptnCd: string) => (ptnCd === 'ada' ? { key } : undefined);
    for (const knowledge of [knowing({ key }), knowing({ lookUpUser })]) {
      const findings = await found([registration('ada', other)], knowledge);
      assert.match(
        findings.join('\n'),
        /^service callback\/payloads must (?:wrong-key|bad-padding)$/,
      );
    }
  });

  it('finds every payload under a wrong key, also after it has ceased to search for ciphers', async () => {
    const knowledge = knowing({ key: Secret.key(random('ada')) });
    const wrong = Array.from({ length: 12 }, (_, index) =>
      registration('ada', seal(`134457-${index}`, random('grace'))),
    );
    assert.equal((await found(wrong, knowledge)).length, 12);
  });

  it('takes no two hidden values for the same, and judges none', async () => {
    const hidden = '[redacted]';
    const concealed = { secret_key: hidden, ptn_token: hidden };
    const issued = token({ ...result, acs_token: hidden }, concealed);
    const response = { ...ok, result: { ptn_sp: hidden } };
    const used = call({ secret_key: hidden, acs_token: hidden }, response);
    const target = `/process/authenticate?acs_token=${hidden}`;
    const redacted = { ...used, request: { body: Buffer.alloc(0), ...used.request, target } };
    const refused = { ...redacted, response: { body: Buffer.from(JSON.stringify(refusal)) } };
    const plain = [keyExchange('ada', hidden), registration('ada', hidden)];
    const knowledge = knowing({ key: Secret.key(random('ada')) });
    const judgements = await judgeAll([issued, redacted, refused, ...plain], knowledge);
    const checks = judgements.flatMap(({ findings }) => findings.map(({ check }) => check.id));
    assert.deepEqual(checks, ['service/token-works']);
    assert.equal(judgements[2]?.ptnCd, undefined);
  });

  it('does not blame refusals of what authcli tried', async () => {
    const refused = registration('ada', 'eA==', { code: 'E1' });
    const tried = (id: string) => {
      const headers = [['X-Authcli-Check', id] as const];
      return { ...refused, request: { body: Buffer.alloc(0), ...refused.request, headers } };
    };
    assert.deepEqual(await found([tried('registration/latest-key')]), []);
    assert.deepEqual(await found([tried('registration/without-user-info')]), [
      'application registration/answers-success must code-not-success',
    ]);
    assert.deepEqual(await found([{ ...refused, isTest: true }]), []);
  });

  it('says why no response came', async () => {
    const failure = { code: 'reset', message: 'Closed.', hint: '', calls: {} } as const;
    const sent = registration('ada', seal('1', random('ada')));
    assert.deepEqual(await found([{ ...sent, response: undefined, failure }]), [
      'application registration/answers-success must reset',
    ]);
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
