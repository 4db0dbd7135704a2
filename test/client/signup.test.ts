import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { simulateSignup } from '../../src/client/signup.ts';
import { parseCipher } from '../../src/crypto/cipher-notation.ts';
import { exportPublicKey } from '../../src/crypto/rsa-key.ts';
import { fingerprintOfKey } from '../../src/crypto/secret.ts';
import { AuthcliError } from '../../src/errors.ts';
import { withTransport } from '../support/client.ts';
import {
  type ApplicationVariant,
  applicationKey,
  startApplication,
} from '../support/peer-application.ts';
import { edited, inputFor, keyPair, signUp, wrongCases } from './signups.ts';

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
    assert.match(outcome.diagnosis?.message ?? '', /doesn't fit the cipher aes-128-cbc\?key=hex/);
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

describe('an enc_partner_key that is a number', () => {
  it('is of the wrong type, and not bad Base64 as well', async () => {
    const variant = edited((response) => ({ ...response, result: { enc_partner_key: 12_345 } }));
    const { outcome } = await signUp(variant);
    const [step] = outcome.steps;
    assert.equal(outcome.diagnosis?.code, 'field-type');
    assert.deepEqual(step?.usedType === '1' && step.diagnoses, []);
  });
});

describe('a wrong response to a key exchange', () => {
  for (const { name, variant, code, key } of wrongCases) {
    it(`${name}: ${code}, and no registration`, async () => {
      const { outcome, application } = await signUp(variant);
      assert.equal(outcome.ok, false);
      assert.equal(outcome.diagnosis?.code, code, outcome.diagnosis?.message);
      assert.equal(application.calls.length, 1);
      assert.equal(outcome.steps.length, 1);
      assert.equal(outcome.steps[0]?.diagnosis, outcome.diagnosis);
      assert.ok(outcome.steps[0]?.exchange.response);
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
      { respond: (_, right) => right.replace('"message":""', '"x":1') },
      /no "message"/,
    ],
    ['a byte order mark', { respond: (_, right) => `\ufeff${right}` }, /byte order mark/],
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
