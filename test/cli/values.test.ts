import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { byteSize, choice, duration, header, integer } from '../../src/cli/args/values.ts';
import { AuthcliError } from '../../src/errors.ts';
import { revealed } from '../support/secrets.ts';

function refuses(read: () => unknown, message: RegExp): void {
  assert.throws(
    read,
    (error: unknown) =>
      error instanceof AuthcliError && error.code === 'usage' && message.test(error.message),
  );
}

describe('values of flags', () => {
  const durations: readonly (readonly [string, number])[] = [
    ['250ms', 250],
    ['10s', 10_000],
    ['1.5m', 90_000],
    ['2h', 7_200_000],
    ['596h', 2_145_600_000],
    ['3', 3000],
    ['0.5', 500],
  ];
  for (const [text, ms] of durations) {
    it(`reads the duration ${text}`, () => assert.equal(duration(text), ms));
  }
  for (const text of ['', '0', '-1s', '10 s', '1d', '597h', 'ten', '1e9', '99999999m']) {
    it(`refuses the duration ${JSON.stringify(text)}`, () =>
      refuses(() => duration(text), /is not a duration/));
  }

  const sizes: readonly (readonly [string, number])[] = [
    ['65536', 65_536],
    ['64KiB', 65_536],
    ['1MiB', 1_048_576],
    ['2m', 2_097_152],
  ];
  for (const [text, bytes] of sizes) {
    it(`reads the size ${text}`, () => assert.equal(byteSize(text), bytes));
  }
  for (const text of ['0', '1.5M', '2GiB', 'much', '2048MiB']) {
    it(`refuses the size ${text}`, () => refuses(() => byteSize(text), /is not a size in bytes/));
  }

  it('reads whole numbers in their bounds', () => {
    assert.equal(integer(0, 65_535)('8080'), 8080);
    for (const text of ['-1', '65536', '80.5', '0x50', '']) {
      refuses(() => integer(0, 65_535)(text), /whole number from 0 to 65535/);
    }
  });

  it('reads one of several words, and says which is near', () => {
    const read = choice(['2048', '3072', '4096']);
    assert.equal(read('3072'), '3072');
    assert.throws(
      () => choice(['partner_sp', 'ubifill', 'ptn_sp'])('partnersp'),
      (error: unknown) =>
        error instanceof AuthcliError && /Did you mean "partner_sp"/.test(error.hint),
    );
  });

  it('reads headers', () => {
    assert.deepEqual(revealed(header('X-Api-Key: a b: c ')), ['X-Api-Key', 'a b: c']);
    for (const text of ['X-Api-Key', ': v', 'X Key: v', 'X: a\r\nY: b']) {
      refuses(() => header(text), /Name: value/);
    }
  });
});
