import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { layOutSequence } from '../../src/page/sequence.ts';
import {
  bodyLines,
  describeSequence,
  parseSearch,
  RowList,
  scrollTo,
  stepOf,
  visibleRows,
} from '../../src/page/view.ts';
import type { Row } from '../../src/page/wire.ts';
import { displayWidth } from '../../src/reports/human.ts';
import { anyCharacter } from '../support/any-character.ts';
import { fc } from '../support/fast-check.ts';
import { row } from './support.ts';

const ids = (rows: readonly Row[]) => rows.map(({ id }) => id);

function listOf(...some: readonly number[]): RowList {
  const list = new RowList(100);
  list.add(some.map((id) => row({ id })));
  return list;
}

describe('the search of the page', () => {
  const rows = [
    row({ id: 1 }),
    row({ id: 2, what: 'registration', ptnCd: 'Bob Kim', code: 'A107', outcome: 'bad' }),
    row({ id: 3, way: 'out', outcome: 'fault', faults: ['oaep-sha1'], ptnCd: 'carol' }),
    row({ id: 4, what: 'GET /x', ptnCd: null, status: null, code: null, outcome: 'none' }),
    row({ id: 5, ptnCd: 'dave', diagnosis: 'unknown-user', remark: 'No key was exchanged.' }),
  ];
  const cases: readonly (readonly [text: string, found: string])[] = [
    ['  ', '1 2 3 4 5'],
    ['ALICE', '1'],
    ['key-exchange alice', '1'],
    ['user:"bob kim"', '2'],
    ['"bob', '2'],
    ['user:key', ''],
    ['op:regis', '2'],
    ['code:a107', '2'],
    ['status:200', '1 2 3 5'],
    ['fault:oaep', '3'],
    ['why:unknown', '5'],
    ['why:exchanged', '5'],
    ['is:failed', '2 3 4'],
    ['is:ok', '1 5'],
    ['is:fault', '3'],
    ['is:out', '3'],
    ['is:in', '1 2 4 5'],
    ['-is:failed', '1 5'],
    ['is:nothing', ''],
    ['toString:x', ''],
  ];
  for (const [text, found] of cases) {
    it(`finds by ${JSON.stringify(text)}`, () => {
      assert.equal(ids(rows.filter(parseSearch(text))).join(' '), found);
    });
  }
});

describe('the rows of the page', () => {
  it('are listed with the newest first, each once, however they come', () => {
    const list = listOf(2, 1, 5);
    list.add([row({ id: 3 }), row({ id: 5 })]);
    assert.deepEqual(ids(list.shown), [5, 3, 2, 1]);
  });

  it('are as many as the list takes, and none that the emulator has forgotten', () => {
    const list = new RowList(3);
    list.add([1, 2, 3, 4, 5].map((id) => row({ id })));
    assert.deepEqual(ids(list.all), [5, 4, 3]);
    list.add([], 5);
    assert.deepEqual(ids(list.all), [5]);
    list.clear();
    assert.deepEqual([list.all, list.shown], [[], []]);
  });

  it('are those that the search lets through, also when more come', () => {
    const list = listOf(1, 2);
    list.search(parseSearch('is:failed'));
    list.add([row({ id: 3, outcome: 'bad' }), row({ id: 4 })]);
    assert.deepEqual(ids(list.shown), [3]);
    list.search(parseSearch(''));
    assert.deepEqual(ids(list.shown), [4, 3, 2, 1]);
  });

  it('are stepped through, and not beyond either end', () => {
    const steps = [
      ['', 1, 3],
      ['', -1, 3],
      ['', 2, 2],
      [3, 1, 2],
      [2, 0, 2],
      [3, 1e6, 1],
      [1, -1e6, 3],
    ] as const;
    for (const [from, by, to] of steps)
      assert.equal(listOf(1, 2, 3).step(from || undefined, by)?.id, to, `${from} ${by}`);
    assert.equal(listOf().step(1, 1), undefined);
  });

  it('of the same user are found, oldest first, around a row', () => {
    const list = new RowList(100);
    const users = ['a', 'b', 'a', 'a', 'a', 'a', 'a', 'a', 'a', null];
    list.add(users.map((ptnCd, index) => row({ id: index + 1, ptnCd })));
    for (const [id, flow] of [
      [1, [1, 3, 4, 5, 6, 7]],
      [6, [3, 4, 5, 6, 7, 8]],
      [9, [4, 5, 6, 7, 8, 9]],
      [2, [2]],
      [10, [10]],
      [77, []],
    ] as const)
      assert.deepEqual(ids(list.flowOf(id)), flow);
  });

  it('that are drawn are those in sight and a few around them', () => {
    for (const [count, top, first, end] of [
      [1000, 3000, 92, 118],
      [3, 0, 0, 3],
      [5, 9000, 5, 5],
    ] as const)
      assert.deepEqual(visibleRows(count, { top, height: 300, rowHeight: 30 }), { first, end });
  });

  it('are scrolled to only if they are not in sight', () => {
    const view = { top: 300, height: 100, rowHeight: 30 };
    const places = [9, 10, 12, 13].map((index) => scrollTo(index, view));
    assert.deepEqual(places, [270, undefined, undefined, 320]);
  });
});

describe('a body for reading', () => {
  const textOf = (body: string): string =>
    bodyLines(body)
      .map(({ indent, tokens }) => '  '.repeat(indent) + tokens.map(({ text }) => text).join(''))
      .join('\n');
  const nested = '{\n  "a": "0",\n  "b": {\n    "c": [\n      1,\n      2\n    ]\n  }\n}';
  const cases: readonly (readonly [body: string, shown: string])[] = [
    ['{"a":"0","b":{"c":[1,2]}}', nested],
    [' { "a" : [ ] } ', '{\n  "a": []\n}'],
    ['{"a":1,"a":2}', '{\n  "a": 1,\n  "a": 2\n}'],
    ['[1e999,12345678901234567890]', '[\n  1e999,\n  12345678901234567890\n]'],
    ['{"a":"{,:}\\"["}', '{\n  "a": "{,:}\\"["\n}'],
    ['<html>\r\n<b>', '<html>\n<b>'],
    ['{"a":"\u202ex"}', '{\n  "a": "\\u202ex"\n}'],
    ['a\u001b[2Jb', 'a\\u001b[2Jb'],
  ];
  for (const [body, shown] of cases) {
    it(`shows ${JSON.stringify(body)}`, () => assert.equal(textOf(body), shown));
  }

  it('distinguishes names, strings, words and what is masked', () => {
    const lines = bodyLines('{"a":"x","b":[true],"c":"[redacted]"}');
    const tokens = lines.flatMap((line) => line.tokens).filter(({ kind }) => kind !== 'mark');
    assert.equal(
      tokens.map(({ kind, text }) => `${kind} ${text}`).join(', '),
      'name "a", string "x", name "b", word true, name "c", masked "[redacted]"',
    );
  });
});

describe('the sequence diagram', () => {
  const names = ['your application', 'emulated service'] as const;
  const layOut = (rows: readonly Row[], width = 600) =>
    layOutSequence(rows.map(stepOf), { width, names });

  it('points from the client to the server, and back, from top to bottom', () => {
    const { steps, lifelines, height } = layOut([row({ way: 'in' }), row({ way: 'out' })]);
    const arrows = steps.flatMap(({ request, response }) => [request, response]);
    const [right, left] = ['14 585 start', '586 15 end'];
    const ends = arrows.map(({ from, to, anchor }) => `${from} ${to} ${anchor}`);
    assert.deepEqual(ends, [right, left, left, right]);
    assert.deepEqual(lifelines, [14, 586]);
    const heights = [...arrows.map(({ y }) => y), height];
    assert.deepEqual(
      heights,
      heights.toSorted((a, b) => a - b),
    );
  });

  it('says how each ended', () => {
    const { steps } = layOut([
      row(),
      row({ code: 'A107', outcome: 'bad', diagnosis: 'unknown-user' }),
      row({ code: null, outcome: 'bad', diagnosis: 'not-json' }),
      row({ outcome: 'fault', faults: ['hex'] }),
      row({ outcome: 'none', status: null, code: null }),
    ]);
    assert.deepEqual(
      steps.map(({ response: { text, isLost } }) => `${text}${isLost ? ', lost' : ''}`),
      [
        'HTTP 200, code 0000, 3 ms',
        'HTTP 200, code A107, 3 ms, unknown-user',
        'HTTP 200, code none, 3 ms, not-json',
        'HTTP 200, code 0000, 3 ms, hex',
        'no response, lost',
      ],
    );
  });

  it('is described in words', () => {
    const steps = [row({ way: 'out' }), row({ what: 'token' })].map(stepOf);
    assert.equal(
      describeSequence(steps, ['app', 'service']),
      '1. service to app: key-exchange; response: HTTP 200, code 0000, 3 ms. ' +
        '2. app to service: token; response: HTTP 200, code 0000, 3 ms',
    );
  });

  it('fits its texts in, escaped', () => {
    const text = fc.string({ unit: anyCharacter, maxLength: 200 });
    fc.assert(
      fc.property(text, fc.integer({ min: 120, max: 800 }), (what, width) => {
        const { steps } = layOut([row({ what: `\u202e${what}` })], width);
        const shown = steps[0]?.request.text ?? '';
        assert.ok(displayWidth(shown) * 7.25 <= width);
        assert.ok(!shown.includes('\u202e'));
      }),
    );
  });
});
