import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { encodeUtf8 } from '../../src/bytes.ts';
import { parseJsonText, placeOf, readJson } from '../../src/protocol/json.ts';
import { maxJsonDepth, scanJson } from '../../src/protocol/json-scanner.ts';
import { fc } from '../support/fast-check.ts';

describe('scanJson', () => {
  const members = ' \t\r\n{ "a" : [ 1 , -2.5e+10 , true , false , null , "x" ] } \n';
  const right = ['[]', members, '"\\u00e9\\n\\\\\\"\\/"', '-0.0E-0', '{"":""}', '"\u2028\u007f"'];
  for (const text of right) {
    it(`finds nothing wrong in ${JSON.stringify(text)}`, () => {
      assert.equal(scanJson(text).fault, undefined);
      JSON.parse(text);
    });
  }

  const wrong: readonly (readonly [text: string, reason: string, offset: number])[] = [
    ['', 'truncated', 0],
    ['{"a":"b', 'truncated', 7],
    ['{"a":"b\\u00', 'truncated', 7],
    ['{"a":tru', 'truncated', 5],
    ['[1.', 'truncated', 2],
    ['[1e+', 'truncated', 2],
    ['{"a":1}\0', 'trailing-text', 7],
    ['{"a":1,}', 'trailing-comma', 7],
    ['[1,]', 'trailing-comma', 3],
    ['{"a":\'b\'}', 'single-quotes', 5],
    ['{a:1}', 'unquoted-name', 1],
    ['// note\n{}', 'comment', 0],
    ['{"a":1 /* b */}', 'comment', 7],
    ['{"a":True}', 'literal', 5],
    ['{"a":NaN}', 'literal', 5],
    ['{"a":truex}', 'literal', 5],
    ['{"a":-01}', 'leading-zero', 5],
    ['"a\nb"', 'control-character', 2],
    ['"a\\x41"', 'bad-escape', 2],
    ['"\\u12g4"', 'bad-escape', 1],
    ['{"a":1]', 'unexpected', 6],
    ['{"a":}', 'unexpected', 5],
    ['{"a" 1}', 'unexpected', 5],
    ['[1 2]', 'unexpected', 3],
    ['[,1]', 'unexpected', 1],
    ['{"a":+1}', 'unexpected', 5],
    ['[1.x]', 'unexpected', 2],
    ['\u00a0{}', 'unexpected', 0],
  ];
  for (const [text, reason, offset] of wrong) {
    it(`sees ${reason} at ${offset} in ${JSON.stringify(text)}`, () => {
      assert.deepEqual(scanJson(text).fault, { reason, offset });
      assert.throws(() => JSON.parse(text), SyntaxError);
    });
  }

  it('agrees with JSON.parse on texts near JSON', () => {
    const tokens = ['"a"', 'true', 'null', '"a":1', '\u0001'];
    const pieces = fc.constantFrom(...'{}[],:"0123.eE+-\\u tfn\'', ...tokens);
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 12 }), (parts) => {
        const text = parts.join('');
        assert.equal(scanJson(text).fault === undefined, parses(text), text);
      }),
      { numRuns: 3000 },
    );
  });

  it('agrees with JSON.parse on JSON with one character changed', () => {
    fc.assert(
      fc.property(fc.json(), fc.nat(), fc.string({ maxLength: 1 }), (json, at, put) => {
        const place = at % (json.length + 1);
        const text = json.slice(0, place) + put + json.slice(place + 1);
        assert.equal(scanJson(text).fault === undefined, parses(text), text);
      }),
      { numRuns: 2000 },
    );
  });

  it('names what is there twice, once, with its path, and at most ten', () => {
    assert.deepEqual(scanJson('{"a":1,"a":2,"a":3}').duplicateNames, ['a']);
    assert.deepEqual(scanJson('{"r":{"\\u0062":1,"b":2}}').duplicateNames, ['r.b']);
    assert.deepEqual(scanJson('{"r":[{"b":1},{"b":2}],"b":3}').duplicateNames, []);
    const many = Array.from({ length: 20 }, (_, index) => `"k${index}":1,"k${index}":2`).join();
    assert.equal(scanJson(`{${many}}`).duplicateNames.length, 10);
    assert.equal(scanJson(`{${many}}`).outerDuplicates.size, 20);
    const { outerDuplicates } = scanJson(`{"r":{"s":{"t":1,"t":2},"u":1,"u":2},${many}}`);
    assert.deepEqual([outerDuplicates.has('r.s.t'), outerDuplicates.has('r.u')], [false, true]);
  });

  it('stops at a nesting that other readers refuse too', () => {
    const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
    assert.equal(scanJson(nested(maxJsonDepth)).fault, undefined);
    assert.equal(scanJson(nested(maxJsonDepth + 1)).fault?.reason, 'too-deep');
    assert.equal(scanJson('{"a":'.repeat(100_000)).fault?.reason, 'too-deep');
  });
});

describe('readJson', () => {
  it('reads UTF-8, and reports a byte order mark and repeated names', () => {
    assert.deepEqual(readJson(encodeUtf8('\ufeff{"이름":"김","이름":"이"}')), {
      ok: true,
      value: { 이름: '이' },
      byteOrderMark: true,
      duplicateNames: ['이름'],
      outerDuplicates: new Set(['이름']),
    });
  });

  const json = '{"code":"0000"}';
  const utf16 = Buffer.from(json, 'utf16le');
  const marked = Buffer.concat([Buffer.of(0xff, 0xfe), utf16]);
  const encodings: readonly (readonly [string, Uint8Array, string, string])[] = [
    ['UTF-16LE', utf16, 'utf-16', 'UTF-16LE'],
    ['UTF-16BE', Buffer.from(utf16).swap16(), 'utf-16', 'UTF-16BE'],
    ['marked UTF-16LE', marked, 'utf-16', 'UTF-16LE with a byte order mark'],
    ['UTF-32LE', Buffer.from('7b00000022000000', 'hex'), 'utf-32', 'UTF-32LE'],
    ['UTF-32BE', Buffer.from('0000007b00000022', 'hex'), 'utf-32', 'UTF-32BE'],
    ['gzip', Buffer.from('1f8b0800000000', 'hex'), 'compressed', 'gzip'],
    ['deflate', Buffer.from('789cab564ace', 'hex'), 'compressed', 'deflate'],
    ['zstd', Buffer.from('28b52ffd2000', 'hex'), 'compressed', 'zstd'],
    ['Latin-1', Buffer.from('{"d":"é"}', 'latin1'), 'invalid-utf-8', 'byte 0xe9 at offset 6'],
    ['a cut character', Buffer.from('22ea', 'hex'), 'invalid-utf-8', 'byte 0xea at offset 1'],
  ];
  for (const [what, body, reason, detail] of encodings) {
    it(`recognises ${what}`, () => {
      const reading = readJson(body);
      assert.ok(!reading.ok && 'detail' in reading);
      assert.deepEqual([reading.reason, reading.detail], [reason, detail]);
    });
  }

  for (const text of ['', ' \r\n\t', '\ufeff', '\0\0\0']) {
    it(`calls ${JSON.stringify(text)} empty`, () => {
      const bytes = Buffer.byteLength(text);
      assert.deepEqual(readJson(encodeUtf8(text)), { ok: false, reason: 'empty', bytes });
    });
  }

  it('never throws, whatever the bytes are', () => {
    fc.assert(fc.property(fc.uint8Array({ maxLength: 64 }), (body) => void readJson(body)));
  });
});

describe('parseJsonText', () => {
  it('gives the value, or nothing for what is not JSON', () => {
    assert.deepEqual(parseJsonText('{"a":1}'), { a: 1 });
    assert.equal(parseJsonText('{"a":1'), undefined);
    assert.equal(parseJsonText('['.repeat(5000) + ']'.repeat(5000)), undefined);
  });
});

describe('placeOf', () => {
  const text = '{\n "a": 1,\r\n "b": ?}';
  for (const [offset, line, column] of [
    [2, 2, 1],
    [text.indexOf('?'), 3, 7],
  ] as const) {
    it(`finds offset ${offset} in line ${line}, column ${column}`, () => {
      assert.deepEqual(placeOf(text, offset), { offset, line, column });
    });
  }
});

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
