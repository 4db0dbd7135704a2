import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { encodeUserInformation, readUserInformation } from '../../src/protocol/user-info.ts';
import { anyCharacter } from '../support/any-character.ts';
import { fc } from '../support/fast-check.ts';
import { cpuTimeOf } from '../support/resources.ts';

const kim = { email: 'kim@app.example', name: '김민수', phone: '010-1234-5678' };

const whole: readonly (readonly [what: string, text: string])[] = [
  ['JSON as it is sent', encodeUserInformation(kim)],
  ['JSON over lines', JSON.stringify(kim, null, 2)],
  ['JSON in a JSON string', JSON.stringify(JSON.stringify(kim))],
  ['JSON behind a byte order mark', `\ufeff${JSON.stringify(kim)}\n`],
  [
    'other names',
    JSON.stringify({ userEmail: kim.email, userName: kim.name, phoneNumber: kim.phone }),
  ],
  [
    'snake case',
    JSON.stringify({ user_email: kim.email, full_name: kim.name, mobile_no: kim.phone }),
  ],
  ['capitals', JSON.stringify({ 'E-MAIL': kim.email, NAME: kim.name, HP: kim.phone })],
  [
    'a nested object',
    JSON.stringify({ user: { mail: kim.email, nickname: kim.name, tel: kim.phone } }),
  ],
  ['a list of one', JSON.stringify([kim])],
  ['a list of texts', JSON.stringify([kim.phone, kim.email, kim.name])],
  ['form encoding', new URLSearchParams(kim).toString()],
  ['form encoding left raw', `email=${kim.email}&name=${kim.name}&phone=${kim.phone}`],
  [
    'XML',
    `<user><email>${kim.email}</email><name>${kim.name}</name><phone>${kim.phone}</phone></user>`,
  ],
  [
    'XML with attributes',
    `<?xml version="1.0"?>\n<user email="${kim.email}" name='${kim.name}' tel="${kim.phone}"/>`,
  ],
  [
    'XML with CDATA',
    `<u><email>${kim.email}</email><name><![CDATA[${kim.name}]]></name><hp>${kim.phone}</hp></u>`,
  ],
  ['lines', `email: ${kim.email}\r\nname: ${kim.name}\r\nphone: ${kim.phone}\r\n`],
  ['labelled pieces', `name=${kim.name};email=${kim.email};phone=${kim.phone}`],
  ...['|', ',', ';', '\t', '\n', '^', '/', '\u001f', ' | ', ', ', ':', '#', '$', ' '].map(
    (separator) =>
      [
        `pieces between ${JSON.stringify(separator)}`,
        [kim.email, kim.name, kim.phone].join(separator),
      ] as const,
  ),
  ['a printed map', `{email=${kim.email}, name=${kim.name}, phone=${kim.phone}}`],
  ['a printed record', `UserInfo(email=${kim.email}, name=${kim.name}, phone=${kim.phone})`],
  [
    'a Python dictionary',
    `{'email': '${kim.email}', 'name': '${kim.name}', 'phone': '${kim.phone}'}`,
  ],
  [
    'a form of one object',
    `user[email]=${kim.email}&user[name]=${kim.name}&user[phone]=${kim.phone}`,
  ],
  ['pieces in another order', [kim.phone, kim.name, kim.email].join('|')],
];

describe('readUserInformation', () => {
  for (const [what, text] of whole) {
    it(`finds all three in ${what}`, () => {
      const { raw, other, ...found } = readUserInformation(text);
      assert.deepEqual([found, raw], [kim, text]);
      assert.deepEqual(
        Object.keys(other).filter((name) => name !== 'version'),
        [],
      );
    });
  }

  const partly: readonly (readonly [text: string, found: object, other: object])[] = [
    ['', {}, {}],
    ['{}', {}, {}],
    ['{"email":""}', {}, { email: '' }],
    ['{"email":null,"phone":821012345678}', { phone: '821012345678' }, { email: null }],
    ['{"name":"A","nickname":"B","age":3}', { name: 'A' }, { nickname: 'B', age: 3 }],
    ['{"nickname":"B","username":"A"}', { name: 'A' }, { nickname: 'B' }],
    ['{"user":{"name":"A","id":7},"vip":true}', { name: 'A' }, { vip: true, 'user.id': 7 }],
    ['{"a":{"b":{"email":"x@y.z"}}}', {}, { 'a.b': { email: 'x@y.z' } }],
    ['x@y.z', { email: 'x@y.z' }, {}],
    ['+82 10 1234 5678', { phone: '+82 10 1234 5678' }, {}],
    ['Anna-Lena Öztürk', { name: 'Anna-Lena Öztürk' }, {}],
    ['Anna Lena x@y.z', { email: 'x@y.z', name: 'Anna Lena' }, {}],
    [
      'x@y.z|A|01012345678|gold',
      { email: 'x@y.z', name: 'A', phone: '01012345678' },
      { 3: 'gold' },
    ],
    ['x@y.z||01012345678', { email: 'x@y.z', phone: '01012345678' }, {}],
    ['name=Hong+Gildong&phone=+8210', { name: 'Hong Gildong', phone: '+8210' }, {}],
    ['name=%EA%B9%80&level=3', { name: '김' }, { level: '3' }],
    ['<u><name>A &amp; &#66;&#x43; &zz;</name></u>', { name: 'A & BC &zz;' }, {}],
    ['{"email":"x@y.z"', { email: 'x@y.z' }, {}],
    ['{"__proto__":{"name":"A"},"constructor":1}', { name: 'A' }, { constructor: 1 }],
    ['(02) 123-4567', { phone: '(02) 123-4567' }, {}],
    ['[[{"toString":{}}]]', {}, { '0.0': { toString: {} } }],
    ['["x@y.z",1012345678,null]', { email: 'x@y.z' }, { 1: 1012345678, 2: null }],
    ['12345', {}, { 2: '12345' }],
  ];
  for (const [text, expected, rest] of partly) {
    it(`reads ${JSON.stringify(text)}`, () => {
      const { raw, other, ...found } = readUserInformation(text);
      assert.deepEqual(found, expected);
      assert.deepEqual(other, rest);
      assert.equal(raw, text);
    });
  }

  it('keeps a name that every object has as a field of its own', () => {
    const { other } = readUserInformation('{"__proto__":"x","email":"x@y.z"}');
    assert.deepEqual(Object.entries(other), [['__proto__', 'x']]);
  });

  it('reads what was encoded, whatever the names are', () => {
    const text = fc.string({ minLength: 1, unit: 'grapheme' });
    fc.assert(
      fc.property(text, text, text, (email, name, phone) => {
        const { raw, other, ...found } = readUserInformation(
          encodeUserInformation({ email, name, phone }),
        );
        assert.deepEqual(found, { email, name, phone });
        assert.deepEqual([other, typeof raw], [{}, 'string']);
      }),
    );
  });

  it('never throws, whatever the text is', () => {
    const pieces = fc.constantFrom(
      '<',
      '>',
      '/',
      '=',
      '&',
      '"',
      "'",
      '{',
      '}',
      '[',
      ']',
      ':',
      ',',
      '|',
      'a',
      '@',
      '1',
      ' ',
      '\n',
      '&#x110000;',
      '<a>',
      '</a>',
      '<![CDATA[',
    );
    fc.assert(fc.property(fc.array(pieces), (parts) => void readUserInformation(parts.join(''))));
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (text) => void readUserInformation(text)),
    );
    fc.assert(fc.property(fc.json(), (text) => void readUserInformation(text)));
  });

  it('takes little time over long texts of any kind', () => {
    const parts = [
      '<',
      '<a ',
      '<![CDATA[',
      'a=',
      '&',
      '&amp;',
      '@',
      '1',
      'a',
      ' ',
      ' a=',
      '"',
      '{"a":',
      '[',
      ':',
      '<a>',
      "<a b='",
      '|',
      '\n',
      'ab-',
      '"\\',
    ];
    for (const part of parts) {
      const cpuMs = cpuTimeOf(() => {
        readUserInformation(part.repeat(2e5 / part.length));
        readUserInformation(`<${part.repeat(2e5 / part.length)}`);
      });
      assert.ok(cpuMs < 1000, `${JSON.stringify(part)} took ${cpuMs} ms`);
    }
  });
});

describe('encodeUserInformation', () => {
  it('leaves out what is not given', () => {
    assert.equal(
      encodeUserInformation({ phone: '1', email: 'x@y.z' }),
      '{"email":"x@y.z","phone":"1"}',
    );
    assert.equal(encodeUserInformation({}), '{}');
  });
});
