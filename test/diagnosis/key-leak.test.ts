import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findTrace, tracesOf } from '../../src/diagnosis/key-leak.ts';
import { fc } from '../support/fast-check.ts';
import { seededBytes } from '../support/seeded-bytes.ts';

const randomBytes = seededBytes('key-leak');

const key = 'Zk3v9QxT1mB7/Rf0LwY8nHs5JdPa+UgE';
const traces = tracesOf(key);
const reversed = [...key].reverse().join('');
const inBody = (text: string) => findTrace({ headers: [], body: Buffer.from(text) }, traces);

describe('findTrace', () => {
  for (const [title, text, form] of [
    ['the plain key', `{"debug":"${key}"}`, 'in plain text'],
    ['the key inside a longer text', `{"message":"key=${key};"}`, 'in plain text'],
    ['the key with escaped slashes', `{"debug":"${key.replace('/', '\\/')}"}`, 'in plain text'],
    ['the key in escapes of JSON', `{"debug":"\\u005a${key.slice(1)}"}`, 'in plain text'],
    ['the key as the name of a field', `{"${key}":1}`, 'in plain text'],
    ['the key outside JSON', `DEBUG ${key}`, 'in plain text'],
    ['the key reversed', `{"debug":"${reversed}"}`, 'reversed'],
    ['the key in hexadecimal', Buffer.from(key).toString('hex'), 'in hexadecimal'],
    [
      'the key in capital hexadecimal',
      Buffer.from(key).toString('hex').toUpperCase(),
      'in hexadecimal',
    ],
    ['the reversed key in Base64', Buffer.from(reversed).toString('base64'), 'reversed, in Base64'],
  ] as const) {
    it(`finds ${title}`, () => {
      assert.deepEqual(inBody(text), { form, place: 'in its body' });
    });
  }

  it('finds Base64 of anything around the key, in either alphabet', () => {
    const part = fc.uint8Array({ maxLength: 20 });
    fc.assert(
      fc.property(part, part, fc.boolean(), (before, after, isUrl) => {
        const bytes = Buffer.concat([before, Buffer.from(key), after]);
        assert.equal(inBody(bytes.toString(isUrl ? 'base64url' : 'base64'))?.form, 'in Base64');
      }),
    );
  });

  it('finds the key in a header', () => {
    const headers = [['x-debug', key]] as const;
    assert.deepEqual(findTrace({ headers, body: Buffer.from('{}') }, traces), {
      form: 'in plain text',
      place: 'in its headers',
    });
  });

  it('finds nothing in what has no key', () => {
    for (let drawn = 0; drawn < 200; drawn += 1) {
      const wrapped = randomBytes(256).toString('base64');
      assert.equal(inBody(`{"code":"0000","result":{"enc_partner_key":"${wrapped}"}}`), undefined);
    }
  });

  it('does not look for what is too short to mean anything', () => {
    assert.deepEqual(
      tracesOf('0000').filter(({ text }) => text.length < 16),
      [],
    );
  });
});
