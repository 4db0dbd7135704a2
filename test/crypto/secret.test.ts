import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { format, inspect } from 'node:util';
import { Secret } from '../../src/crypto/secret.ts';

/** Every way in which a value gets into a text without anybody meaning it. */
const printed = (secret: Secret): readonly string[] => [
  `${secret}`,
  String(secret),
  // biome-ignore lint/style/useTemplate: this is one of the ways
  '' + (secret as unknown as string),
  JSON.stringify({ deep: [{ secret }] }),
  inspect(secret),
  inspect({ a: { b: { c: { secret } } } }, { depth: 9, showHidden: true }),
  inspect(new Map([[secret, secret]])),
  format('%s %o %O %j', secret, secret, secret, secret),
  String(new Error(`no ${secret}`).stack),
  inspect(new Error('no', { cause: { secret } })),
  inspect(Object.assign(new Error('no'), { secret })),
];

describe('a secret', () => {
  it('is never in what is printed of it', () => {
    const text = 'q7QZk3v9QxT1mB7c';
    for (const secret of [Secret.text(text), Secret.key(text)]) {
      for (const output of printed(secret)) assert.equal(output.includes(text), false, output);
      assert.equal(secret.reveal(), text);
    }
  });

  it('is called by its fingerprint where it is a key, which no one can guess', () => {
    const key = Secret.key('열쇠');
    const digest = createHash('sha256').update('열쇠', 'utf8').digest('hex').slice(0, 12);
    assert.equal(`${key}`, `sha256:${digest}`);
    assert.equal(JSON.stringify({ key }), `{"key":"sha256:${digest}"}`);
    assert.equal(inspect([key]), `[ sha256:${digest} ]`);
  });

  it('is called redacted where it is a passcode, which a fingerprint would reveal', () => {
    assert.equal(`${Secret.text('1234')}`, '[redacted]');
    assert.equal(JSON.stringify([Secret.text('1234')]), '["[redacted]"]');
  });
});
