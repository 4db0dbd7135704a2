import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { choice, duration, header, integer } from '../../src/cli/args/values.ts';
import { revealed } from '../support/secrets.ts';

describe('values of flags', () => {
  for (const [parse, text, value] of [
    [duration, '250ms', 250],
    [duration, '10s', 10_000],
    [duration, '1.5m', 90_000],
    [duration, '2h', 7_200_000],
    [duration, '596h', 2_145_600_000],
    [duration, '0.5', 500],
    [integer(0, 65_535), '0', 0],
    [integer(0, 65_535), '65535', 65_535],
    [choice(['2048', '3072']), '3072', '3072'],
  ] as const)
    it(`${parse.name}: ${text}`, () => assert.equal(parse(text), value));

  for (const [parse, message, texts] of [
    [duration, /is not a duration/, ['', '0', '-1s', '10 s', '1d', '597h', '1e9', '99999999m']],
    [integer(1, 65_535), /whole number from 1 to 65535/, ['0', '-1', '65536', '80.5', '0x50', '']],
    [header, /Name: value/, ['X-Api-Key', ': v', 'X Key: v', 'X: a\r\nY: b']],
  ] as const) {
    it(`refuses ${texts.map((text) => JSON.stringify(text)).join(', ')}`, () => {
      for (const text of texts) assert.throws(() => parse(text), { code: 'usage', message }, text);
    });
  }

  it('says which word is near, and reads headers', () => {
    const near = { hint: /Did you mean "partner_sp"/ };
    assert.throws(() => choice(['partner_sp', 'ubifill'])('partnersp'), near);
    assert.deepEqual(revealed(header('X-Api-Key: a b: c ')), ['X-Api-Key', 'a b: c']);
  });
});
