import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { wrapCalls } from '../../src/diagnosis/catalogue/calls.ts';
import {
  type FailureLook,
  type FailureParts,
  failureText,
  plainLook,
} from '../../src/reports/failure-text.ts';
import { displayWidth, wrapCommand } from '../../src/reports/human.ts';

const parts: FailureParts = {
  code: 'oaep-sha1',
  cause: 'The key was encrypted with OAEP.',
  fix: 'Encrypt it with PKCS #1 v1.5, see `authcli demo`.',
  calls: wrapCalls,
  next: 'npx authcli simulate-signup --url http://localhost:8080/callback',
};
const shown = (look: Partial<FailureLook> = {}, changes: Partial<FailureParts> = {}) =>
  failureText({ ...parts, ...changes }, { ...plainLook, program: 'npx authcli', ...look });

describe('the text of a failure', () => {
  const java = 'Cipher.getInstance("RSA/ECB/PKCS1Padding")';
  const go = '       Go: rsa.EncryptPKCS1v15(rand.Reader, publicKey, []byte(userKey))';

  it('is cause, fix and next, with the two likeliest languages and where the others are', () => {
    const padding = 'padding: crypto.constants.RSA_PKCS1_PADDING';
    assert.deepEqual(shown(), [
      'cause: The key was encrypted with OAEP.',
      'fix:   Encrypt it with PKCS #1 v1.5, see `npx authcli demo`.',
      `       Java and Kotlin: ${java}`,
      `       Node: crypto.publicEncrypt({ key, ${padding} }, Buffer.from(userKey))`,
      '       other languages: authcli explain oaep-sha1',
      'next:  npx authcli simulate-signup --url http://localhost:8080/callback',
    ]);
  });

  it('begins with what was being done, and adds what else was found', () => {
    const weak = { code: 'key-low-entropy', message: 'It is weak.', hint: 'Draw it.' } as const;
    const further = [{ ...weak, calls: {} }];
    assert.deepEqual(shown({}, { error: 'It failed.', calls: {}, further, next: undefined }), [
      ...['error: It failed.', 'cause: The key was encrypted with OAEP.'],
      'fix:   Encrypt it with PKCS #1 v1.5, see `npx authcli demo`.',
      ...['also:  It is weak.', 'fix:   Draw it.'],
    ]);
  });

  it('has one language where it is known, and every one under --verbose', () => {
    assert.deepEqual(shown({ stack: 'go' }).slice(2, -1), [go]);
    assert.equal(shown({ detail: 'verbose', stack: 'go' }).length, 10);
  });

  it('has no next command under --quiet', () => {
    assert.deepEqual(shown({ detail: 'quiet', stack: 'go' }).slice(2), [go]);
  });

  it('begins the fix with its call where there are no words for it', () => {
    assert.equal(shown({ stack: 'java' }, { fix: '' })[1], `fix:   Java: ${java}`);
  });

  it('fits a terminal, and its command can be pasted all the same', () => {
    const next = `authcli simulate-signup --url http://localhost/callback --user-info '{"name":"Kim Lee Park"}' --ptn-cd alice`;
    for (const line of shown({ width: 60 }, { next })) assert.ok(displayWidth(line) <= 60, line);
    const lines = wrapCommand(next, 50).join('\n');
    assert.equal(lines.replaceAll(/ \\\n +/g, ' '), next);
  });
});
