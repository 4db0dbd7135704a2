import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { encodeUserInformation, readUserInformation } from '../../src/protocol/user.ts';
import { fc } from '../support/fast-check.ts';
import { fixtureRows } from '../support/fixtures.ts';

const kim = { email: 'kim@app.example', name: '김민수', phone: '010-1234-5678' };

const { email, name, phone } = kim;
const json = JSON.stringify(kim);
const pieces = [email, name, phone];
const whole: readonly string[] = [
  encodeUserInformation(kim),
  JSON.stringify(json),
  `\ufeff${json}\n`,
  JSON.stringify({ userEmail: email, userName: name, phoneNumber: phone }),
  JSON.stringify({ user_email: email, full_name: name, mobile_no: phone }),
  JSON.stringify({ user: { mail: email, nickname: name, tel: phone } }),
  `[${json}]`,
  JSON.stringify([phone, email, name]),
  new URLSearchParams(kim).toString(),
  `email: ${email}\r\nname: ${name}\r\nphone: ${phone}\r\n`,
  `name=${name};email=${email};phone=${phone}`,
  ...['|', ',', ';', '\t', '\n', '^', '/', '\u001f', ', ', ':', '#', '$'].map((separator) =>
    pieces.join(separator),
  ),
  [phone, name, email].join('|'),
];

describe('readUserInformation', () => {
  it('finds all three in every form', () => {
    for (const raw of whole) assert.deepEqual(readUserInformation(raw), { ...kim, other: {}, raw });
  });

  type Row = readonly [text: string, found: object, other: object];
  it('finds what there is, and keeps the rest', () => {
    for (const [raw, expected, other] of fixtureRows<Row>('readings/user-information.jsonl')) {
      assert.deepEqual(readUserInformation(raw), { ...expected, other, raw });
    }
    const { other } = readUserInformation('{"__proto__":"x","email":"x@y.z"}');
    assert.deepEqual(Object.entries(other), [['__proto__', 'x']]);
  });

  it('reads what was encoded, whatever the names are', () => {
    const text = fc.string({ minLength: 1, unit: 'grapheme' });
    fc.assert(
      fc.property(fc.record({ email: text, name: text, phone: text }), (user) => {
        const { raw, ...found } = readUserInformation(encodeUserInformation(user));
        assert.deepEqual(found, { ...user, other: {} });
      }),
    );
  });
});

it('leaves out of the user information what is not given', () => {
  const text = encodeUserInformation({ phone: '1', email: 'x@y.z' });
  assert.equal(text, '{"email":"x@y.z","phone":"1"}');
  assert.equal(encodeUserInformation({}), '{}');
});
