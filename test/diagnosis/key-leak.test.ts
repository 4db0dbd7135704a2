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
  it('finds the key in every form', () => {
    const hex = Buffer.from(key).toString('hex');
    for (const [text, form] of [
      [`{"message":"key=${key};"}`, 'in plain text'],
      [`{"debug":"${key.replace('/', '\\/')}"}`, 'in plain text'],
      [`{"debug":"\\u005a${key.slice(1)}"}`, 'in plain text'],
      [`{"${key}":1}`, 'in plain text'],
      [`DEBUG ${key}`, 'in plain text'],
      [`{"debug":"${reversed}"}`, 'reversed'],
      [hex, 'in hexadecimal'],
      [hex.toUpperCase(), 'in hexadecimal'],
      [Buffer.from(reversed).toString('base64'), 'reversed, in Base64'],
    ] as const) {
      assert.deepEqual(inBody(text), { form, place: 'in its body' }, text);
    }
  });

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
    const found = findTrace({ headers, body: Buffer.from('{}') }, traces);
    assert.deepEqual(found, { form: 'in plain text', place: 'in its headers' });
  });

  it('finds nothing in what has no key', () => {
    for (let drawn = 0; drawn < 200; drawn += 1) {
      const wrapped = randomBytes(256).toString('base64');
      assert.equal(inBody(`{"code":"0000","result":{"enc_partner_key":"${wrapped}"}}`), undefined);
    }
  });

  it('does not look for what is too short to mean anything', () => {
    assert.ok(tracesOf('0000').every(({ text }) => text.length >= 16));
  });
});
