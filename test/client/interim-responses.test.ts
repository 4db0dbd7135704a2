import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { InterimResponses } from '../../src/client/interim-responses.ts';
import { fc } from '../support/fast-check.ts';

const go = 'HTTP/1.1 100 Continue\r\n\r\n';
const hints = 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n';
const right = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}';

/** What is handed on of the pieces. */
function passed(...pieces: readonly string[]): string {
  const interim = new InterimResponses();
  return pieces
    .map((piece) => interim.push(Buffer.from(piece, 'latin1')).toString('latin1'))
    .join('');
}

describe('InterimResponses', () => {
  for (const [text, expected] of [
    [right, right],
    [go + right, right],
    [go + go + right, right],
    [`HTTP/1.0 100 Continue\r\nx: y\r\n\r\n${right}`, right],
    [hints + go + right, hints + right],
    [go + hints + right, hints + right],
    [`HTTP/1.1 1000 High\r\n\r\n${right}`, `HTTP/1.1 1000 High\r\n\r\n${right}`],
    [`${right}${go}`, `${right}${go}`],
    [`HTTP/1.1 101 Switch\r\n\r\n${go}`, `HTTP/1.1 101 Switch\r\n\r\n${go}`],
    ['<html>', '<html>'],
  ] as const) {
    it(`takes out what is a 100 Continue of ${JSON.stringify(text)}`, () => {
      assert.equal(passed(text), expected);
      assert.equal(passed(...text), expected);
    });
  }

  it('is the same however the bytes are cut', () => {
    const text = go + hints + go + right;
    fc.assert(
      fc.property(fc.array(fc.nat(text.length), { maxLength: 6 }), (cuts) => {
        const places = [0, ...cuts.sort((a, b) => a - b), text.length];
        const pieces = places.slice(1).map((end, index) => text.slice(places[index], end));
        assert.equal(passed(...pieces), hints + right);
      }),
    );
  });

  it('hands on a head that has no end', () => {
    const endless = `HTTP/1.1 100 ${'x'.repeat(20_000)}`;
    assert.equal(passed(endless), endless);
  });
});
