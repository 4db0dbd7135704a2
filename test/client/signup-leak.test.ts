import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { type SignupInput, type SignupOutcome, simulateSignup } from '../../src/client/signup.ts';
import { defaultCipher } from '../../src/crypto/cipher.ts';
import type { RsaPrivateKey } from '../../src/crypto/rsa-key.ts';
import { Secret } from '../../src/crypto/secret.ts';
import { withTransport } from '../support/client.ts';
import { keyPairSource } from '../support/key-pairs.ts';
import {
  type ApplicationVariant,
  applicationKey as key,
  startApplication,
} from '../support/peer-application.ts';
import { seededBytes } from '../support/seeded-bytes.ts';

const nextKeyPair = keyPairSource();
const randomBytes = seededBytes('signup-leak');

let keyPair: RsaPrivateKey;
before(async () => {
  keyPair = await nextKeyPair(2048);
});

async function signUp(
  variant: ApplicationVariant,
  changes: Partial<SignupInput> = {},
): Promise<SignupOutcome> {
  const application = await startApplication(variant);
  const input: SignupInput = {
    url: application.url,
    clientId: 'client-1',
    ptnCd: 'user-1',
    keyPair,
    superPasscode: Secret.text('passcode-42'),
    cipher: defaultCipher,
    randomBytes,
    ...changes,
  };
  const run = withTransport({}, (transport) => simulateSignup(transport, input));
  return run.finally(() => application.close());
}

const reversed = [...key].reverse().join('');
const forms = {
  plain: key,
  reversed,
  hexadecimal: Buffer.from(key).toString('hex'),
  'capital hexadecimal': Buffer.from(key).toString('hex').toUpperCase(),
  'Base64 inside other text': Buffer.from(`k=${key};`).toString('base64'),
  'reversed, Base64url': Buffer.from(reversed).toString('base64url'),
} as const;

/** Adds a field to the response to the callbacks of this kind. */
function withField(text: string, wanted: '1' | '2'): ApplicationVariant {
  const respond = (usedType: unknown, right: string) =>
    usedType === wanted ? JSON.stringify({ ...JSON.parse(right), debug: text }) : right;
  return { respond };
}

describe('simulateSignup, where a response contains the plain key', () => {
  for (const [form, text] of Object.entries(forms)) {
    it(`fails for a key exchange that shows it: ${form}`, async () => {
      const { ok, diagnosis, steps } = await signUp(withField(text, '1'));
      assert.equal(ok, false);
      assert.equal(diagnosis?.code, 'key-leaked');
      assert.match(diagnosis.message, /^The response to the key exchange contains/);
      assert.deepEqual(
        steps.map((step) => [step.ok, step.diagnosis?.code]),
        [
          [false, 'key-leaked'],
          [true, undefined],
        ],
      );
    });

    it(`fails for a registration that shows it: ${form}`, async () => {
      const { ok, diagnosis, steps } = await signUp(withField(text, '2'));
      assert.equal(ok, false);
      assert.match(diagnosis?.message ?? '', /^The response to the registration contains/);
      assert.deepEqual(
        steps.map((step) => step.ok),
        [true, false],
      );
    });
  }

  it('fails for a header that shows it', async () => {
    const headers = { 'content-type': 'application/json', 'x-debug': key };
    const { diagnosis } = await signUp({ headers });
    assert.equal(diagnosis?.code, 'key-leaked');
    assert.match(diagnosis.message, /in its headers/);
  });

  it('fails for the key that the user had before', async () => {
    const earlierKey = 'Nn7cYw2Kf5RzTq0LbVx8HsMd4JgUe9Pa';
    const variant = withField(earlierKey, '1');
    const found = await signUp(variant, { earlierKey: Secret.key(earlierKey) });
    assert.equal(found.diagnosis?.code, 'key-leaked');
    assert.equal((await signUp(variant)).diagnosis, undefined, 'it is not known to be a key');
  });

  it('says of a refused registration both', async () => {
    const respond = (usedType: unknown, right: string) =>
      usedType === '2' ? `{"code":"5001","message":"cannot decrypt with ${key}"}` : right;
    const { diagnosis, steps } = await signUp({ respond });
    assert.equal(diagnosis?.code, 'key-leaked');
    assert.equal(steps[1]?.diagnosis?.code, 'code-not-success');
  });

  it('leaves a key in the field for the encrypted one to its own diagnosis', async () => {
    for (const [text, code] of [
      [key, 'plain-key'],
      [Buffer.from(key).toString('base64'), 'base64-of-plain-key'],
    ] as const) {
      const respond = () =>
        JSON.stringify({ code: '0000', message: '', result: { enc_partner_key: text } });
      assert.equal((await signUp({ respond })).diagnosis?.code, code);
    }
  });

  it('blames no application that shows none', async () => {
    for (let run = 0; run < 200; run += 1) {
      const fresh = randomBytes(24).toString('base64');
      const { ok, diagnosis } = await signUp(
        { ...withField(randomBytes(256).toString('base64'), '1'), key: fresh },
        { earlierKey: Secret.key(randomBytes(24).toString('base64')) },
      );
      assert.deepEqual([ok, diagnosis], [true, undefined]);
    }
  });
});
