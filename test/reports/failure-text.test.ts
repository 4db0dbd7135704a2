import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { wrapCalls } from '../../src/diagnosis/catalogue/calls.ts';
import {
  type FailureLook,
  type FailureParts,
  failureText,
} from '../../src/reports/failure-text.ts';
import { displayWidth, plainStyle, wrapCommand } from '../../src/reports/human.ts';

const look: FailureLook = {
  style: plainStyle,
  width: Number.POSITIVE_INFINITY,
  detail: 'normal',
  program: 'npx authcli',
  explainLine: (code) => `npx authcli explain ${code}`,
};
const parts: FailureParts = {
  code: 'oaep-sha1',
  cause: 'The key was encrypted with OAEP.',
  fix: 'Encrypt it with PKCS #1 v1.5.',
  calls: wrapCalls,
  next: 'npx authcli simulate-signup --url http://localhost:8080/callback',
};

describe('the text of a failure', () => {
  it('is cause, fix and next, with the two likeliest languages and where the others are', () => {
    assert.deepEqual(failureText(parts, look), [
      'cause: The key was encrypted with OAEP.',
      'fix:   Encrypt it with PKCS #1 v1.5.',
      '       Java and Kotlin: Cipher.getInstance("RSA/ECB/PKCS1Padding")',
      '       Node: crypto.publicEncrypt({ key, padding: crypto.constants.RSA_PKCS1_PADDING }, Buffer.from(userKey))',
      '       other languages: npx authcli explain oaep-sha1',
      'next:  npx authcli simulate-signup --url http://localhost:8080/callback',
    ]);
  });

  it('has one language where it is known', () => {
    assert.deepEqual(failureText(parts, { ...look, stack: 'python' }).slice(2, -1), [
      '       Python: public_key.encrypt(user_key.encode(), padding.PKCS1v15())',
    ]);
  });

  it('has every language under --verbose, and no next command under --quiet', () => {
    assert.equal(failureText(parts, { ...look, detail: 'verbose', stack: 'go' }).length, 10);
    const quiet = failureText(parts, { ...look, detail: 'quiet', stack: 'go' });
    assert.deepEqual(quiet.slice(2), [
      '       Go: rsa.EncryptPKCS1v15(rand.Reader, publicKey, []byte(userKey))',
    ]);
  });

  it('begins the fix with its call where there are no words for it', () => {
    const lines = failureText({ ...parts, fix: '' }, { ...look, stack: 'java' });
    assert.equal(lines[1], 'fix:   Java: Cipher.getInstance("RSA/ECB/PKCS1Padding")');
  });

  it('fits a terminal, and its command can be pasted all the same', () => {
    const next = `authcli simulate-signup --url http://localhost:8080/callback --user-info '{"name":"Kim Lee Park"}' --ptn-cd alice`;
    const lines = failureText({ ...parts, next }, { ...look, width: 60 });
    assert.ok(
      lines.every((line) => displayWidth(line) <= 60),
      lines.join('\n'),
    );
    const pasted = wrapCommand(next, 50)
      .join('\n')
      .replaceAll(/ \\\n +/g, ' ');
    assert.equal(pasted, next);
  });
});
