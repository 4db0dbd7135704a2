import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  exchangeKey,
  register,
  type SignupInput,
  simulateSignup,
} from '../../src/client/signup.ts';
import { defaultCipher } from '../../src/crypto/cipher.ts';
import { parseCipher } from '../../src/crypto/cipher-notation.ts';
import { exportPublicKey } from '../../src/crypto/rsa-key.ts';
import { fingerprintOfKey, Secret } from '../../src/crypto/secret.ts';
import type { DiagnosisCode } from '../../src/errors.ts';
import { withTransport } from '../support/client.ts';
import { type HandWritten, startHandWritten } from '../support/hand-written-application.ts';
import { keyPairSource } from '../support/key-pairs.ts';
import { seededBytes } from '../support/seeded-bytes.ts';

const nextKeyPair = keyPairSource();
const keyPair = await nextKeyPair(2048);
const randomBytes = seededBytes('signup');

const applicationKey = 'Zk3v9QxT1mB7cRf0LwY8nHs5JdPa2UgE';
const start = (variant: HandWritten = {}) =>
  startHandWritten({ makeKey: () => applicationKey, ...variant });

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

/** Signs one user up at an application of this kind. */
async function signUp(variant: HandWritten, changes: Partial<SignupInput> = {}) {
  const application = await start(variant);
  const outcome = await withTransport({}, (transport) =>
    simulateSignup(transport, inputFor(application.url, changes)),
  ).finally(() => application.close());
  return { outcome, application, diagnosis: outcome.diagnosis };
}

/** An application that responds so to the callbacks of one kind. */
function failing(wanted: '1' | '2', text: string, status = 200): HandWritten {
  const respond = (usedType: unknown, right: string) => (usedType === wanted ? text : right);
  return { status, respond };
}

/** A key exchange whose right response is edited. */
const edited = (edit: (response: { result: Record<string, unknown> }) => unknown) => ({
  respond: (_: unknown, right: string) => JSON.stringify(edit(JSON.parse(right))),
});

describe('simulateSignup', () => {
  it('plays the service to the letter', async () => {
    const { outcome, application } = await signUp({});
    const { steps, key, ...others } = outcome;
    const keyFingerprint = fingerprintOfKey(applicationKey);
    assert.deepEqual(others, { ok: true, ptnCd: 'user-1', diagnosis: undefined, keyFingerprint });
    assert.equal(key?.reveal(), applicationKey);
    const notes = steps.map(({ usedType, ok, notes }) => [usedType, ok, ...notes].join(' '));
    assert.deepEqual(notes, ['1 true', '2 true']);
    const [first, second] = application.calls;
    const public_key = exportPublicKey(keyPair.publicKey);
    const user = { client_id: 'client-1', ptn_cd: 'user-1' };
    assert.deepEqual(first, { ...user, used_type: '1', public_key });
    const { partner_sp, ubifill, ...plain } = second ?? {};
    assert.deepEqual(plain, { ...user, used_type: '2' });
    const info = '{"email":"a@b.example","name":"김하늘"}';
    assert.deepEqual(application.decrypted, ['pässcode-42', info]);
    assert.equal(application.connections(), 1);
  });

  it('keeps the key of a user whose registration is refused', async () => {
    const onError = () => ({ status: 200, body: '{"code":"5001","message":"cannot decrypt"}' });
    const { outcome } = await signUp({ onError }, { cipher: parseCipher('aes-256-ecb') });
    assert.equal(outcome.diagnosis?.code, 'code-not-success');
    assert.equal(outcome.key?.reveal(), applicationKey);
    assert.equal(outcome.steps[1]?.reading?.message, 'cannot decrypt');
  });

  it('does not register with a key that the cipher can’t use', async () => {
    const { outcome } = await signUp({}, { cipher: parseCipher('aes-128-cbc?key=hex') });
    assert.deepEqual([outcome.diagnosis?.code, outcome.steps.length], ['cipher-mismatch', 1]);
    assert.match(outcome.diagnosis?.message ?? '', /doesn't fit the cipher aes-128-cbc\?key=hex/);
    assert.ok(!outcome.diagnosis?.message.includes(applicationKey));
  });

  it('refuses what the cipher can’t take before anything is sent', async () => {
    const application = await start();
    const unpadded = inputFor(application.url, { cipher: parseCipher('aes-256-cbc?padding=none') });
    const unusable = { ...inputFor(application.url), key: Secret.key('short') };
    await withTransport({}, async (transport) => {
      await assert.rejects(simulateSignup(transport, unpadded), { code: 'usage' });
      const refused = { code: 'usage', message: /key can't be used with this cipher/ };
      await assert.rejects(register(transport, unusable), refused);
    });
    assert.equal(application.connections(), 0);
    await application.close();
  });

  it('knows a key that was wrapped with an earlier public key', async () => {
    const earlier = await nextKeyPair(2048);
    const { outcome } = await signUp({}, { keyPair: earlier });
    const stale = JSON.stringify(outcome.steps[0]?.reading?.json);
    const application = await start({ respond: () => stale });
    const { ok, diagnosis } = await withTransport({}, (transport) =>
      exchangeKey(transport, { ...inputFor(application.url), earlierKeyPairs: [earlier] }),
    ).finally(() => application.close());
    assert.deepEqual([ok, diagnosis?.code], [false, 'earlier-public-key']);
  });
});

describe('a wrong response to a key exchange', () => {
  const result = (enc_partner_key: unknown) =>
    edited((right) => ({ ...right, result: { enc_partner_key } }));
  const isNumber = { respond: (_: unknown, right: string) => right.replace('"0000"', '0') };
  const misplaced = edited((right) => ({ ...right.result, ...right, result: {} }));
  /** The last says whether the key can be read all the same. */
  const rows: [HandWritten, DiagnosisCode, boolean?][] = [
    [failing('1', '{"code":"9999","message":"no"}'), 'code-not-success'],
    [isNumber, 'code-not-string', true],
    [misplaced, 'field-misplaced', true],
    [result(applicationKey), 'plain-key', true],
    // which is not bad Base64 too
    [result(12_345), 'field-type'],
  ];
  for (const [variant, code, isReadable] of rows) {
    it(`${code}, and no registration`, async () => {
      const { outcome, application, diagnosis } = await signUp(variant);
      const [step, ...others] = outcome.steps;
      assert.deepEqual([outcome.ok, others.length, application.calls.length], [false, 0, 1]);
      assert.equal(diagnosis?.code, code, diagnosis?.message);
      assert.equal(step?.diagnosis, diagnosis);
      if (isReadable) assert.equal(outcome.key?.reveal(), applicationKey);
      if (code === 'field-type') assert.deepEqual(step?.usedType === '1' && step.diagnoses, []);
      assert.ok(!JSON.stringify(diagnosis).includes(applicationKey));
    });
  }
});

describe('what is odd but right', () => {
  const html = { 'content-type': 'text/html' };
  const rows: [string, HandWritten, RegExp][] = [
    ['a status that contradicts', { status: 500 }, /HTTP status is 500/],
    ['no content type', { headers: {} }, /no Content-Type/],
    ['another content type', { headers: html }, /Content-Type of the response is text\/html/],
    ['a byte order mark', { respond: (_, right) => `\ufeff${right}` }, /byte order mark/],
  ];
  for (const [name, variant, note] of rows) {
    it(`${name} is a note`, async () => {
      const { outcome } = await signUp(variant);
      assert.deepEqual([outcome.ok, outcome.diagnosis], [true, undefined]);
      for (const step of outcome.steps) assert.match(step.notes.join('\n'), note);
    });
  }
});

describe('a callback that fails with an error of a library', () => {
  const padding = 'BadPaddingException: Given final block not properly padded.';
  const trace = 'cryptography.exceptions.InvalidTag\n  File "/srv/app.py", line 3, in callback';
  const otherCipher =
    /Likely causes: 1. It decrypts with another cipher.*AES\/ECB\/PKCS5Padding.*"java"/;
  const json = (message: string) => JSON.stringify({ code: '9999', message });
  const rows: [string, HandWritten, DiagnosisCode, RegExp][] = [
    ['the message of a refusal', failing('2', json(padding)), 'bad-padding', otherCipher],
    ['a stack trace', failing('2', trace, 500), 'bad-tag', /"stack":"python"/],
    ['what it never does', failing('1', json('bad decrypt')), 'code-not-success', /bad decrypt/],
  ];
  for (const [name, variant, code, shown] of rows) {
    it(`reads ${name}`, async () => {
      const { diagnosis } = await signUp(variant, { cipher: parseCipher('aes-128-ecb') });
      assert.equal(diagnosis?.code, code);
      assert.match(JSON.stringify(diagnosis), shown);
    });
  }

  it('shows nothing of the users, and is not sought in a success', async () => {
    const message = "Duplicate entry 'alice@example.com' for key 'email'";
    const { diagnosis } = await signUp(failing('2', json(message)));
    assert.doesNotMatch(JSON.stringify(diagnosis), /alice/);
    const right = await signUp(failing('2', '{"code":"0000","message":"bad decrypt"}'));
    assert.equal(right.diagnosis, undefined);
  });
});

describe('a response that contains the plain key', () => {
  /** Adds a field to the response to the callbacks of this kind. */
  function withField(debug: string, wanted: '1' | '2'): HandWritten {
    const respond = (usedType: unknown, right: string) =>
      usedType === wanted ? JSON.stringify({ ...JSON.parse(right), debug }) : right;
    return { respond };
  }

  for (const [wanted, response, ...steps] of [
    ['1', 'the key exchange', 'key-leaked', undefined],
    ['2', 'the registration', undefined, 'key-leaked'],
  ] as const) {
    it(`fails ${response}`, async () => {
      const hex = Buffer.from(applicationKey).toString('hex').toUpperCase();
      const { outcome, diagnosis } = await signUp(withField(hex, wanted));
      assert.deepEqual([outcome.ok, diagnosis?.code], [false, 'key-leaked']);
      assert.match(diagnosis?.message ?? '', new RegExp(`^The response to ${response} contains`));
      const found = outcome.steps.map(({ ok, diagnosis }) => [ok, diagnosis?.code]);
      const expected = steps.map((code) => [code === undefined, code]);
      assert.deepEqual(found, expected);
    });
  }

  it('fails for a header that shows it, and for the key that the user had before', async () => {
    const headers = { 'content-type': 'application/json', 'x-debug': applicationKey };
    assert.match((await signUp({ headers })).diagnosis?.message ?? '', /in its headers/);
    const earlierKey = 'Nn7cYw2Kf5RzTq0LbVx8HsMd4JgUe9Pa';
    const variant = withField(earlierKey, '1');
    const found = await signUp(variant, { earlierKey: Secret.key(earlierKey) });
    assert.equal(found.diagnosis?.code, 'key-leaked');
    assert.equal((await signUp(variant)).diagnosis, undefined, 'it is not known to be a key');
  });

  it('is what is said of a refused registration, whose step keeps its own diagnosis', async () => {
    const text = `{"code":"5001","message":"cannot decrypt with ${applicationKey}"}`;
    const { diagnosis, outcome } = await signUp(failing('2', text));
    assert.equal(diagnosis?.code, 'key-leaked');
    assert.equal(outcome.steps[1]?.diagnosis?.code, 'code-not-success');
  });
});
