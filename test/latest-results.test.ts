import assert from 'node:assert/strict';
import { test } from 'node:test';
import { keepingLatest } from '../src/latest-results.ts';

test('calls the function once for a value that comes again, and anew for one that is forgotten', () => {
  for (const [count, asked, called] of [
    [1, ' ab ab abc ab', ' ab abc ab'],
    [2, 'a bc a bc def bc a', 'a bc def a'],
  ] as const) {
    const read: string[] = [];
    const lengthOf = keepingLatest(count, (text: string) => {
      read.push(text);
      return text.length;
    });
    for (const text of asked.split(' ')) assert.equal(lengthOf(text), text.length);
    assert.deepEqual(read.join(' '), called);
  }
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
