import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { linesOf, textOfLine } from '../../../src/relay/sources/lines.ts';

async function read(chunks: readonly string[], maxBytes?: number) {
  const lines = [];
  for await (const line of linesOf(
    chunks.map((chunk) => Buffer.from(chunk)),
    maxBytes,
  )) {
    lines.push({ ...line, bytes: line.bytes.toString() });
  }
  return lines;
}

const whole = { isEnded: true, isCut: false };

describe('the lines of a stream', () => {
  it('are put together across chunks, without their line ends', async () => {
    assert.deepEqual(await read(['a', 'b\r', '\n\nc\n', 'd']), [
      { number: 1, bytes: 'ab', ...whole },
      { number: 2, bytes: '', ...whole },
      { number: 3, bytes: 'c', ...whole },
      { number: 4, bytes: 'd', isEnded: false, isCut: false },
    ]);
  });

  it('are cut at the most that is kept of one', async () => {
    assert.deepEqual(await read(['abc', 'def\nxy\n'], 4), [
      { number: 1, bytes: 'abcd', isEnded: true, isCut: true },
      { number: 2, bytes: 'xy', ...whole },
    ]);
  });

  it('are empty without input', async () => {
    assert.deepEqual(await read(['', '']), []);
  });

  it('read as Latin-1 if they are not UTF-8', () => {
    assert.equal(textOfLine({ bytes: Buffer.from([0x61, 0xe4]) }), 'aä');
  });
});
