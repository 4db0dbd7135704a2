import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keepingLatest } from '../src/latest-results.ts';

/** The values for which the function was called, of those that were asked for. */
function called(count: number, asked: readonly string[]): readonly string[] {
  const read: string[] = [];
  const lengthOf = keepingLatest(count, (text: string) => {
    read.push(text);
    return text.length;
  });
  assert.deepEqual(
    asked.map(lengthOf),
    asked.map((text) => text.length),
  );
  return read;
}

test('calls the function once for a value that comes again, and anew for one that is forgotten', () => {
  assert.deepEqual(called(1, ['', 'ab', 'ab', 'abc', 'ab']), ['', 'ab', 'abc', 'ab']);
  assert.deepEqual(called(2, ['a', 'bc', 'a', 'bc', 'def', 'bc', 'a']), ['a', 'bc', 'def', 'a']);
});

test('keeps undefined as a result, and distinguishes bodies that are equal', () => {
  let calls = 0;
  const nothing = keepingLatest(2, (_: object) => {
    calls += 1;
  });
  const body = Buffer.from('{}');
  for (const each of [body, body, Buffer.from('{}')]) nothing(each);
  assert.equal(calls, 2);
});
