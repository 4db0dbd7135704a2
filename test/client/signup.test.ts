import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  exchangeKey,
  register,
  type SignupInput,
  simulateSignup,
} from '../../src/client/signup.ts';
import { defaultCipher, parseCipher } from '../../src/crypto/cipher.ts';
import { Secret } from '../../src/crypto/secret.ts';
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

describe('simulateSignup', () => {
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

  it('says of a plain key no more than that it is one, and does not register with it', async () => {
    const result = { enc_partner_key: applicationKey };
    const { diagnosis, application } = await signUp({
      respond: (_, right) => JSON.stringify({ ...JSON.parse(right), result }),
    });
    assert.deepEqual([diagnosis?.code, application.calls.length], ['plain-key', 1]);
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

it('an error text of a registration shows nothing of the users, and is not sought in a success', async () => {
  const message = "Duplicate entry 'alice@example.com' for key 'email'";
  const { diagnosis } = await signUp(failing('2', JSON.stringify({ code: '9999', message })));
  assert.doesNotMatch(JSON.stringify(diagnosis), /alice/);
  const right = await signUp(failing('2', '{"code":"0000","message":"bad decrypt"}'));
  assert.equal(right.diagnosis, undefined);
});
describe('a response that contains the plain key', () => {
  /** Adds a field to the response to the callbacks of this kind. */
  function withField(debug: string, wanted: '1' | '2'): HandWritten {
    const respond = (usedType: unknown, right: string) =>
      usedType === wanted ? JSON.stringify({ ...JSON.parse(right), debug }) : right;
    return { respond };
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
