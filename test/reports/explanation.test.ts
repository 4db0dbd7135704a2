import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Explanation, explanationLines } from '../../src/reports/explanation.ts';
import { displayWidth, plainStyle } from '../../src/reports/human.ts';

const java = 'Cipher.getInstance("A")';
const calls = { go: 'Encrypt()', kotlin: java, java };
const explanation: Explanation = {
  code: 'oaep-sha1',
  kind: 'diagnosis',
  title: 'The key was wrapped with OAEP',
  meaning: 'It can not be opened.',
  recognised: 'The block is unmasked.',
  calls,
  fix: 'Ask for PKCS #1 v1.5 by name.',
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
      ...[
        'oaep-sha1  diagnosis',
        'The key was wrapped with OAEP.',
        '',
        'It can not be opened.',
        '',
      ],
      ...['What to change', '  Ask for PKCS #1 v1.5 by name.'],
    ]);
  });

  it('stays within the width, in prose and in code without spaces', () => {
    const long = { java: `A.b(${'C.d(new E()).'.repeat(20)}f())`, go: 'x'.repeat(300) };
    const shown = lines({ calls: long, meaning: 'so many words '.repeat(40).trim() }, 60);
    for (const line of shown) assert.ok(displayWidth(line) <= 60, line);
    const code = shown.join('').replaceAll(' ', '');
    assert.ok(code.includes(long.java.replaceAll(' ', '')) && code.includes(long.go), code);
  });
});
