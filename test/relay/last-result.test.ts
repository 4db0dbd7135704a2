import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keepingLast } from '../../src/relay/last-result.ts';

test('reads a text that comes again once, and another one anew', () => {
  const read: string[] = [];
  const lengthOf = keepingLast((text) => {
    read.push(text);
    return text.length;
  });
  assert.deepEqual(['', 'ab', 'ab', 'abc', 'ab'].map(lengthOf), [0, 2, 2, 3, 2]);
  assert.deepEqual(read, ['', 'ab', 'abc', 'ab']);
});
