import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { linesOf, textOfLine } from '../../../src/traffic/sources/lines.ts';

/** Each line as "number: text", and how it ends. */
async function read(chunks: readonly string[], maxBytes?: number) {
  const lines: string[] = [];
  for await (const line of linesOf(
    chunks.map((chunk) => Buffer.from(chunk)),
    maxBytes,
  )) {
    const { number, bytes, isEnded, isCut } = line;
    lines.push(`${number}: ${bytes}${isEnded ? '' : ' (open)'}${isCut ? ' (cut)' : ''}`);
  }
  return lines;
}

describe('the lines of a stream', () => {
  const cases: readonly [chunks: readonly string[], maxBytes: number, lines: readonly string[]][] =
    [
      [['a', 'b\r', '\n\nc\n', 'd'], 9, ['1: ab', '2: ', '3: c', '4: d (open)']],
      [['abc', 'def\nabcd\n'], 4, ['1: abcd (cut)', '2: abcd']],
      [['', ''], 9, []],
    ];
  for (const [chunks, maxBytes, lines] of cases) {
    it(`of ${JSON.stringify(chunks)} are ${lines.length}`, async () => {
      assert.deepEqual(await read(chunks, maxBytes), lines);
    });
  }

  it('read as Latin-1 if they are not UTF-8', () => {
    assert.equal(textOfLine({ bytes: Buffer.from([0x61, 0xe4]) }), 'aä');
  });
});
