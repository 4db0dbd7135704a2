import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { wrapCalls } from '../../src/diagnosis/calls.ts';
import { diagnosis } from '../../src/diagnosis/diagnosis.ts';
import {
  type FailureLook,
  type FailureParts,
  failureText,
  plainLook,
} from '../../src/reports/failure-text.ts';
import { displayWidth, wrapCommand } from '../../src/reports/human.ts';

const parts: FailureParts = {
  cause: 'The key was encrypted with OAEP.',
  fix: 'Encrypt it with PKCS #1 v1.5, see `authcli demo`.',
  calls: wrapCalls,
  next: 'npx authcli simulate-signup --url http://localhost:8080/callback',
};
const shown = (look: Partial<FailureLook> = {}, changes: Partial<FailureParts> = {}) =>
  failureText({ ...parts, ...changes }, { ...plainLook(), program: 'npx authcli', ...look });

describe('the text of a failure', () => {
  const java = 'Cipher.getInstance("RSA/ECB/PKCS1Padding")';

  it('is cause, fix and next, and without a known language how to name it, once in a run', () => {
    const printed = new Set<string>();
    const lines = [
      'cause: The key was encrypted with OAEP.',
      'fix:   Encrypt it with PKCS #1 v1.5, see `npx authcli demo`.',
      '       Add --stack for the code: java, kotlin, node, python, php, go, csharp, ruby.',
      'next:  npx authcli simulate-signup --url http://localhost:8080/callback',
    ];
    const stackHint = lines[2]?.trim() ?? '';
    assert.deepEqual(shown({ printed, stackHint }), lines);
    assert.deepEqual(shown({ printed, stackHint }), lines.toSpliced(2, 1));
    assert.deepEqual(shown({ printed: new Set(), stack: 'ruby' }, { calls: {} }).length, 3);
  });

  it('begins with what was being done, and adds what else was found', () => {
    const weak = diagnosis('key-low-entropy', 'It is weak.', 'Draw it.');
    const further = [weak];
    assert.deepEqual(shown({}, { error: 'It failed.', calls: {}, further, next: undefined }), [
      ...['error: It failed.', 'cause: The key was encrypted with OAEP.'],
      'fix:   Encrypt it with PKCS #1 v1.5, see `npx authcli demo`.',
      ...['also:  It is weak.', 'fix:   Draw it.'],
    ]);
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
