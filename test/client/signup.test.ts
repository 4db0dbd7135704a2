import assert from 'node:assert/strict';
import { constants } from 'node:crypto';
import { before, describe, it } from 'node:test';
import { generateKeyPair } from '../../src/client/key-pair.ts';
import {
  exchangeKey,
  register,
  type SignupInput,
  type SignupOutcome,
  simulateSignup,
} from '../../src/client/signup.ts';
import { defaultCipher } from '../../src/crypto/cipher.ts';
import { parseCipher } from '../../src/crypto/cipher-notation.ts';
import { exportPublicKey, type RsaPrivateKey } from '../../src/crypto/rsa-key.ts';
import { fingerprintOfKey, Secret } from '../../src/crypto/secret.ts';
import { AuthcliError, type Diagnosis } from '../../src/errors.ts';
import { withTransport } from '../support/client.ts';
import { keyPairSource } from '../support/key-pairs.ts';
import {
  type ApplicationVariant,
  applicationKey,
  type PeerApplication,
  startApplication,
} from '../support/peer-application.ts';
import { seededBytes } from '../support/seeded-bytes.ts';

const nextKeyPair = keyPairSource();
const randomBytes = seededBytes('signup');

let keyPair: RsaPrivateKey;
before(async () => {
  keyPair = await nextKeyPair(2048);
});

function inputFor(url: URL, changes: Partial<SignupInput> = {}): SignupInput {
  return {
    url,
    clientId: 'client-1',
    ptnCd: 'user-1',
    keyPair,
    superPasscode: Secret.text('pässcode-42'),
    userInfo: Secret.text('{"email":"a@b.example","name":"김하늘"}'),
    cipher: defaultCipher,
    randomBytes,
    ...changes,
  };
}

async function signUp(
  variant: ApplicationVariant,
  changes: Partial<SignupInput> = {},
): Promise<{ outcome: SignupOutcome; application: PeerApplication }> {
  const application = await startApplication(variant);
  const run = withTransport({}, (transport) =>
    simulateSignup(transport, inputFor(application.url, changes)),
  );
  return { outcome: await run.finally(() => application.close()), application };
}

describe('simulateSignup', () => {
  it('plays the service to the letter', async () => {
    const { outcome, application } = await signUp({});
    assert.equal(outcome.diagnosis, undefined);
    assert.ok(outcome.ok);
    assert.equal(outcome.key?.reveal(), applicationKey);
    assert.equal(outcome.keyFingerprint, fingerprintOfKey(applicationKey));
    assert.deepEqual(
      outcome.steps.map(({ usedType, ok, notes }) => [usedType, ok, notes]),
      [
        ['1', true, []],
        ['2', true, []],
      ],
    );
    const [first, second] = application.calls;
    assert.deepEqual(first, {
      client_id: 'client-1',
      used_type: '1',
      ptn_cd: 'user-1',
      public_key: exportPublicKey(keyPair.publicKey),
    });
    assert.deepEqual(Object.keys(second ?? {}), [
      'client_id',
      'used_type',
      'ptn_cd',
      'partner_sp',
      'ubifill',
    ]);
    assert.deepEqual(application.decrypted, {
      partnerSp: 'pässcode-42',
      ubifill: '{"email":"a@b.example","name":"김하늘"}',
    });
    assert.equal(application.connections(), 1);
  });

  it('leaves ubifill out where there is no user information', async () => {
    const { outcome, application } = await signUp({}, { userInfo: undefined });
    assert.ok(outcome.ok);
    assert.ok(!('ubifill' in (application.calls[1] ?? {})));
  });

  it('names another cipher of the application as its refusal', async () => {
    const cipher = parseCipher('aes-256-ecb');
    const { outcome } = await signUp({}, { cipher });
    assert.equal(outcome.diagnosis?.code, 'code-not-success');
    assert.equal(outcome.steps.length, 2);
    assert.equal(outcome.key?.reveal(), applicationKey, 'the key was learned all the same');
    assert.equal(outcome.steps[1]?.reading?.message, 'cannot decrypt');
  });

  it('does not register with a key that the cipher can’t use', async () => {
    const cipher = parseCipher('aes-128-cbc?key=hex');
    const { outcome } = await signUp({}, { cipher });
    assert.equal(outcome.diagnosis?.code, 'cipher-mismatch');
    assert.match(
      outcome.diagnosis?.message ?? '',
      /doesn't go with the cipher aes-128-cbc\?key=hex/,
    );
    assert.ok(!outcome.diagnosis?.message.includes(applicationKey));
    assert.equal(outcome.steps.length, 1);
  });

  it('refuses what the cipher can’t take before anything is sent', async () => {
    const application = await startApplication();
    const cipher = parseCipher('aes-256-cbc?padding=none');
    const run = withTransport({}, (transport) =>
      simulateSignup(transport, inputFor(application.url, { cipher })),
    );
    await assert.rejects(run, (error) => error instanceof AuthcliError && error.code === 'usage');
    assert.equal(application.calls.length, 0);
    await application.close();
  });

  it('reports a peer that is not there', async () => {
    const application = await startApplication();
    await application.close();
    const outcome = await withTransport({}, (transport) =>
      simulateSignup(transport, inputFor(application.url)),
    );
    assert.equal(outcome.diagnosis?.code, 'refused');
    assert.equal(outcome.steps.length, 1);
    assert.equal(outcome.steps[0]?.reading, undefined);
  });
});

interface WrongCase {
  readonly name: string;
  readonly variant: ApplicationVariant;
  readonly code: Diagnosis['code'];
  /** The plain key, where it can be read all the same. */
  readonly key?: string;
}

const replaced = (text: string): ApplicationVariant => ({ answer: () => text });
const edited = (edit: (answer: { result: Record<string, unknown> }) => unknown) => ({
  answer: (_: unknown, right: string) => JSON.stringify(edit(JSON.parse(right))),
});

describe('an enc_partner_key that is a number', () => {
  it('is of the wrong type, and not bad Base64 as well', async () => {
    const variant = edited((answer) => ({ ...answer, result: { enc_partner_key: 12_345 } }));
    const { outcome } = await signUp(variant);
    const [step] = outcome.steps;
    assert.equal(outcome.diagnosis?.code, 'field-type');
    assert.deepEqual(step?.usedType === '1' && step.diagnoses, []);
  });
});

const wrongCases: readonly WrongCase[] = [
  {
    name: 'another code',
    variant: replaced('{"code":"9999","message":"no"}'),
    code: 'code-not-success',
  },
  {
    name: 'a number as code',
    variant: { answer: (_, right) => right.replace('"0000"', '0') },
    code: 'code-not-string',
    key: applicationKey,
  },
  { name: 'no JSON', variant: replaced('ok'), code: 'not-json' },
  { name: 'nothing', variant: replaced(''), code: 'empty-body' },
  {
    name: 'a page',
    variant: replaced('<!doctype html><title>Oops</title>'),
    code: 'html-instead-of-json',
  },
  { name: 'no result', variant: replaced('{"code":"0000","message":""}'), code: 'result-missing' },
  {
    name: 'OAEP',
    variant: { padding: constants.RSA_PKCS1_OAEP_PADDING },
    code: 'oaep-sha1',
    key: applicationKey,
  },
  {
    name: 'a key of 31 characters',
    variant: { key: 'k9Xw2Qe7Rt4Yu1Io6Pa3Sd8Fg5Hj0Kl' },
    code: 'key-length',
  },
  {
    name: 'hexadecimal',
    variant: edited((answer) => {
      const hex = Buffer.from(String(answer.result.enc_partner_key), 'base64').toString('hex');
      return { ...answer, result: { enc_partner_key: hex } };
    }),
    code: 'hex',
    key: applicationKey,
  },
  {
    name: 'the key outside result',
    variant: edited((answer) => ({ ...answer, ...answer.result, result: {} })),
    code: 'field-misplaced',
    key: applicationKey,
  },
  {
    name: 'a redirect',
    variant: { status: 302, headers: { location: '/login' } },
    code: 'redirect',
  },
];

describe('a key exchange that is answered wrongly', () => {
  for (const { name, variant, code, key } of wrongCases) {
    it(`${name}: ${code}, and no registration`, async () => {
      const { outcome, application } = await signUp(variant);
      assert.equal(outcome.ok, false);
      assert.equal(outcome.diagnosis?.code, code, outcome.diagnosis?.message);
      assert.equal(application.calls.length, 1);
      assert.equal(outcome.steps.length, 1);
      assert.equal(outcome.steps[0]?.diagnosis, outcome.diagnosis);
      assert.ok(outcome.steps[0]?.exchange.answer);
      if (key !== undefined) assert.equal(outcome.key?.reveal(), key);
      assert.ok(!JSON.stringify(outcome.diagnosis).includes(applicationKey));
    });
  }
});

describe('what is odd but right', () => {
  const odd: readonly (readonly [string, ApplicationVariant, RegExp])[] = [
    ['a status that contradicts', { status: 500 }, /HTTP status is 500/],
    ['no content type', { headers: {} }, /no Content-Type/],
    [
      'another content type',
      { headers: { 'content-type': 'text/html' } },
      /Content-Type of the response is text\/html/,
    ],
    [
      'no message',
      { answer: (_, right) => right.replace('"message":""', '"x":1') },
      /no "message"/,
    ],
    ['a byte order mark', { answer: (_, right) => `\ufeff${right}` }, /byte order mark/],
  ];
  for (const [name, variant, note] of odd) {
    it(`${name} is a note`, async () => {
      const { outcome } = await signUp(variant);
      assert.equal(outcome.diagnosis, undefined);
      assert.ok(outcome.ok);
      for (const step of outcome.steps) assert.match(step.notes.join('\n'), note);
    });
  }
});

describe('exchangeKey', () => {
  it('knows a key that was wrapped with an earlier public key', async () => {
    const earlier = await nextKeyPair(2048);
    const spki = exportPublicKey(earlier.publicKey);
    const application = await startApplication();
    const other = await startApplication({
      answer: (_, right) => right,
    });
    const wrapped = await withTransport({}, (transport) =>
      exchangeKey(transport, inputFor(application.url, { keyPair: earlier })),
    );
    assert.equal(wrapped.key?.reveal(), applicationKey);
    const stale = await startApplication({ answer: () => JSON.stringify(wrapped.reading?.json) });
    const outcome = await withTransport({}, (transport) =>
      exchangeKey(transport, { ...inputFor(stale.url), earlierKeyPairs: [earlier] }),
    );
    assert.equal(outcome.ok, false);
    assert.equal(outcome.diagnosis?.code, 'earlier-public-key');
    assert.equal(application.calls[0]?.public_key, spki);
    await Promise.all([application.close(), other.close(), stale.close()]);
  });
});

describe('register', () => {
  it('registers with a key that is known', async () => {
    const application = await startApplication();
    const outcome = await withTransport({}, (transport) =>
      register(transport, { ...inputFor(application.url), key: Secret.key(applicationKey) }),
    );
    await application.close();
    assert.ok(outcome.ok);
    assert.equal(outcome.usedType, '2');
    assert.equal(application.decrypted.partnerSp, 'pässcode-42');
  });

  it('refuses a key that the cipher can’t use, and sends nothing', async () => {
    const application = await startApplication();
    const run = withTransport({}, (transport) =>
      register(transport, { ...inputFor(application.url), key: Secret.key('short') }),
    );
    await assert.rejects(run, (error) => {
      assert.ok(error instanceof AuthcliError);
      assert.equal(error.code, 'usage');
      assert.match(error.message, /key can't be used with this cipher/);
      return true;
    });
    assert.equal(application.connections(), 0);
    await application.close();
  });
});

describe('generateKeyPair', () => {
  it('makes keys of the size that is asked for, off the main thread', async () => {
    let ticks = 0;
    const timer = setInterval(() => {
      ticks += 1;
    }, 1);
    const pairs = await Promise.all([generateKeyPair(), generateKeyPair(3072)]);
    clearInterval(timer);
    assert.deepEqual(
      pairs.map((pair) => [pair.modulusBits, pair.publicKey.publicExponent]),
      [
        [2048, 65537n],
        [3072, 65537n],
      ],
    );
    assert.ok(ticks > 0);
  });
});
