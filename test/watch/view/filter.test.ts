import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseSearch } from '../../../src/watch/view/filter.ts';
import { fc } from '../../support/fast-check.ts';
import { row } from './sample.ts';

const rows = {
  good: row({ id: 1 }),
  refused: row({
    id: 2,
    what: 'registration',
    ptnCd: 'Bob Kim',
    code: 'A107',
    outcome: 'bad',
    diagnosis: 'unknown-user',
    remark: 'No key was exchanged for this ptn_cd.',
  }),
  spoilt: row({ id: 3, way: 'out', outcome: 'fault', faults: ['oaep-sha1'], ptnCd: 'carol' }),
  lost: row({ id: 4, what: 'GET /x', ptnCd: null, status: null, code: null, outcome: 'none' }),
} as const;

const cases: readonly (readonly [string, readonly (keyof typeof rows)[]])[] = [
  ['', ['good', 'refused', 'spoilt', 'lost']],
  ['   ', ['good', 'refused', 'spoilt', 'lost']],
  ['alice', ['good']],
  ['ALICE', ['good']],
  ['key-exchange', ['good', 'spoilt']],
  ['key-exchange alice', ['good']],
  ['a107', ['refused']],
  ['user:bob', ['refused']],
  ['user:"bob kim"', ['refused']],
  ['"bob kim"', ['refused']],
  ['"bob', ['refused']],
  ['user:key', []],
  ['op:regis', ['refused']],
  ['code:0000', ['good', 'spoilt']],
  ['status:200', ['good', 'refused', 'spoilt']],
  ['fault:oaep', ['spoilt']],
  ['why:unknown', ['refused']],
  ['why:exchanged', ['refused']],
  ['is:failed', ['refused', 'spoilt', 'lost']],
  ['is:ok', ['good']],
  ['is:fault', ['spoilt']],
  ['is:out', ['spoilt']],
  ['is:in', ['good', 'refused', 'lost']],
  ['-is:failed', ['good']],
  ['-alice', ['refused', 'spoilt', 'lost']],
  ['is:nothing', []],
  ['toString:x', []],
  ['nothing-like-it', []],
];

describe('the search of the page', () => {
  for (const [text, found] of cases) {
    it(`finds by ${JSON.stringify(text)}: ${found.join(', ') || 'nothing'}`, () => {
      const filter = parseSearch(text);
      const names = (Object.keys(rows) as (keyof typeof rows)[]).filter((name) =>
        filter(rows[name]),
      );
      assert.deepEqual(names, found);
    });
  }

  it('takes any text', () => {
    fc.assert(fc.property(fc.string(), (text) => void parseSearch(text)(rows.lost)));
  });
});
