import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { stacksByCall } from '../../src/diagnosis/diagnosis.ts';
import { type Explanation, explanationLines } from '../../src/reports/explanation.ts';
import { displayWidth, plainStyle } from '../../src/reports/human.ts';

const explanation: Explanation = {
  code: 'oaep-sha1',
  kind: 'diagnosis',
  title: 'The key was wrapped with OAEP',
  meaning: 'It can not be opened.',
  recognised: 'The block is unmasked.',
  fix: 'Ask for PKCS #1 v1.5 by name.',
  calls: { java: 'Cipher.getInstance("A")', kotlin: 'Cipher.getInstance("A")', go: 'Encrypt()' },
  example: 'RSA-OAEP.',
  section: '2.2',
  tryIt: 'authcli demo',
};

function lines(changes: Partial<Explanation> = {}, width = 100): string[] {
  return explanationLines({ ...explanation, ...changes }, { style: plainStyle, width });
}

describe('explanationLines', () => {
  it('prints every part under its heading', () => {
    assert.deepEqual(lines(), [
      'oaep-sha1  diagnosis, section 2.2',
      'The key was wrapped with OAEP.',
      '',
      'It can not be opened.',
      '',
      'How it is recognised',
      '  The block is unmasked.',
      '',
      'Typical mistake',
      '  RSA-OAEP.',
      '',
      'What to change',
      '  Ask for PKCS #1 v1.5 by name.',
      '    Java, Kotlin  Cipher.getInstance("A")',
      '    Go            Encrypt()',
      '',
      'Try it',
      '  authcli demo',
    ]);
  });

  it('leaves out what there is not', () => {
    const bare = { recognised: undefined, calls: undefined, example: undefined, tryIt: undefined };
    assert.deepEqual(lines({ ...bare, section: undefined }), [
      'oaep-sha1  diagnosis',
      'The key was wrapped with OAEP.',
      '',
      'It can not be opened.',
      '',
      'What to change',
      '  Ask for PKCS #1 v1.5 by name.',
    ]);
  });

  it('stays within the width, in prose and in code without spaces', () => {
    const calls = { java: `A.b(${'C.d(new E()).'.repeat(20)}f())`, go: 'x'.repeat(300) };
    const long = lines({ calls, meaning: 'so many words '.repeat(40).trim() }, 60);
    assert.ok(
      long.every((line) => displayWidth(line) <= 60),
      long.join('\n'),
    );
    const code = long.join('').replaceAll(' ', '');
    assert.ok(code.includes(calls.java.replaceAll(' ', '')), code);
    assert.ok(code.includes(calls.go));
  });
});

describe('stacksByCall', () => {
  it('has stacks with the same call together, in the order of the languages', () => {
    const calls = { ruby: 'a', node: 'b', java: 'a' };
    assert.deepEqual(stacksByCall(calls), [
      ['a', ['Java', 'Ruby']],
      ['b', ['Node']],
    ]);
  });

  it('has none of none', () => {
    assert.deepEqual(stacksByCall({}), []);
  });
});
