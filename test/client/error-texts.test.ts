import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { simulateSignup } from '../../src/client/signup.ts';
import { defaultCipher } from '../../src/crypto/cipher.ts';
import { parseCipher } from '../../src/crypto/cipher-notation.ts';
import { Secret } from '../../src/crypto/secret.ts';
import type { Diagnosis } from '../../src/errors.ts';
import { withTransport } from '../support/client.ts';
import { keyPairSource } from '../support/key-pairs.ts';
import { type ApplicationVariant, startApplication } from '../support/peer-application.ts';

const generateKeyPair = keyPairSource();

/** The diagnosis of a sign-up at an application that responds to the callback `usedType` with `text`. */
async function diagnosisOf(
  usedType: '1' | '2',
  text: string,
  variant: ApplicationVariant = {},
  cipher = defaultCipher,
): Promise<Diagnosis | undefined> {
  const respond: ApplicationVariant['respond'] = (type, right) =>
    type === usedType ? text : right;
  const application = await startApplication({ ...variant, respond });
  const keyPair = await generateKeyPair();
  const input = {
    ...{
      url: application.url,
      clientId: 'client-1',
      ptnCd: 'user-1',
      keyPair,
      cipher,
      randomBytes,
    },
    superPasscode: Secret.text('passcode-42'),
  };
  const run = withTransport({}, (transport) => simulateSignup(transport, input));
  return (await run.finally(() => application.close())).diagnosis;
}

const html = (text: string) => `<html><head><title>Error</title></head><body><pre>${text}</pre>`;

describe('a registration that fails with an error of a library', () => {
  it('names cause, fix and call for the message of a refusal', async () => {
    const message = 'javax.crypto.BadPaddingException: Given final block not properly padded.';
    const found = await diagnosisOf('2', JSON.stringify({ code: '9999', message }));
    assert.equal(found?.code, 'bad-padding');
    assert.match(
      found.message,
      /BadPaddingException: Given final block not properly padded"\. The/,
    );
    assert.match(found.message, /Likely cause: It decrypts with another cipher/);
    assert.match(found.hint, /^Decrypt with the cipher that the service specifies/);
    assert.match(found.calls.java ?? '', /AES\/CBC\/PKCS5Padding/);
    assert.equal(found.evidence?.stack, 'java');
  });

  it('reads error pages and stack traces of a status 500', async () => {
    const trace = 'cryptography.exceptions.InvalidTag\n  File "/srv/app.py", line 3, in callback';
    for (const body of [trace, html(trace), JSON.stringify({ error: trace })]) {
      const found = await diagnosisOf('2', body, { status: 500, headers: {} });
      assert.equal(found?.code, 'bad-tag', body);
      assert.equal(found.evidence?.stack, 'python');
    }
  });

  it('shows the calls of the cipher that was sent', async () => {
    const body = JSON.stringify({ code: '1', message: 'bad decrypt' });
    const found = await diagnosisOf('2', body, {}, parseCipher('aes-128-ecb'));
    assert.match(found?.calls.java ?? '', /AES\/ECB\/PKCS5Padding/);
  });

  it('keeps the code of the response where encryption plays no part', async () => {
    const message = 'could not connect to server: Connection refused';
    const found = await diagnosisOf('2', JSON.stringify({ code: '9999', message }));
    assert.equal(found?.code, 'code-not-success');
    assert.match(found.message, /cannot reach a server of its own/);
    assert.equal(found.evidence?.situation, 'database-down');
  });

  it('shows nothing of the users in a quoted error', async () => {
    const message = "Duplicate entry 'alice@example.com' for key 'email'";
    const found = await diagnosisOf('2', JSON.stringify({ code: '9999', message }));
    assert.doesNotMatch(JSON.stringify(found), /alice/);
  });

  it('is left as it is where no known error is in it, and where it is a success', async () => {
    const refused = await diagnosisOf('2', '{"code":"9999","message":"not allowed"}');
    assert.equal(refused?.code, 'code-not-success');
    assert.match(refused.message, /not allowed/);
    assert.equal(await diagnosisOf('2', '{"code":"0000","message":"bad decrypt"}'), undefined);
  });
});

describe('a key exchange that fails with an error of a library', () => {
  it('explains what is about the public key', async () => {
    const message = 'error:1E08010C:DECODER routines::unsupported';
    const found = await diagnosisOf('1', JSON.stringify({ code: '9999', message }));
    assert.match(found?.message ?? '', /public_key could not be read/);
    assert.match(found?.calls.node ?? '', /createPublicKey/);
  });

  it('does not speak of decryption, which a key exchange has none of', async () => {
    const found = await diagnosisOf('1', '{"code":"9999","message":"bad decrypt"}');
    assert.equal(found?.code, 'code-not-success');
    assert.match(found.message, /bad decrypt/);
  });
});
