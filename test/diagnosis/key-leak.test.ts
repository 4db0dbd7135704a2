import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findTrace, tracesOf } from '../../src/diagnosis/key-leak.ts';

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
      [`{"debug":"${reversed}"}`, 'reversed'],
      [hex, 'in hexadecimal'],
      [hex.toUpperCase(), 'in hexadecimal'],
      [Buffer.from(reversed).toString('base64'), 'reversed, in Base64'],
    ] as const) {
      assert.deepEqual(inBody(text), { form, place: 'in its body' }, text);
    }
  });

  it('finds Base64 of anything around the key, in either alphabet', () => {
    for (const before of ['', 'a', 'ab', '열쇠=']) {
      const bytes = Buffer.from(`${before}${key};x`);
      for (const encoding of ['base64', 'base64url'] as const) {
        assert.equal(inBody(bytes.toString(encoding))?.form, 'in Base64', before);
      }
    }
  });

  it('finds nothing in what has no key, and looks for nothing too short to mean anything', () => {
    const wrapped = 'q83v/w=='.repeat(40);
    assert.equal(inBody(`{"code":"0000","result":{"enc_partner_key":"${wrapped}"}}`), undefined);
    assert.ok(tracesOf('0000').every(({ text }) => text.length >= 16));
  });
});
