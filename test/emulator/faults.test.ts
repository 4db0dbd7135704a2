import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { applicationFaults, serviceFaults } from '../../src/emulator/faults.ts';
import { perUserKeyCodes, wrappedKeyCodes } from '../../src/errors.ts';

for (const [side, faults] of [
  ['application', applicationFaults],
  ['service', serviceFaults],
] as const) {
  describe(`the faults of the ${side}`, () => {
    it('have names of their own, and titles', () => {
      for (const field of ['name', 'title'] as const) {
        assert.equal(new Set(faults.map((fault) => fault[field])).size, faults.length);
      }
    });
  });
}

describe('the faults of the application', () => {
  it('cause every diagnosis of a wrapped key and of a per-user key', () => {
    const caused = new Set<string>(applicationFaults.map(({ diagnosis }) => diagnosis));
    const missing = [...wrappedKeyCodes, ...perUserKeyCodes].filter((code) => !caused.has(code));
    assert.deepEqual(missing, []);
  });
});
