import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { responseCatalogue } from '../../../src/diagnosis/catalogue/response.ts';
import { catalogue, diagnose } from '../../../src/diagnosis/catalogue.ts';
import { responseCodes } from '../../../src/errors.ts';

describe('responseCatalogue', () => {
  it('has an entry for each code of a response and no other', () => {
    assert.deepEqual(Object.keys(responseCatalogue).sort(), [...responseCodes].sort());
  });

  for (const code of responseCodes) {
    it(`cites a section of the interface for ${code}`, () => {
      assert.match(responseCatalogue[code].section ?? '', /^\d(?:\.\d){0,2}$/);
    });
  }
});

describe('diagnose', () => {
  it('adds to what was observed the fix and the calls of the catalogue', () => {
    const message = 'The second key was refused.';
    const { fix, calls } = catalogue['stale-key'];
    assert.deepEqual(diagnose('stale-key', message), {
      code: 'stale-key',
      message,
      hint: fix,
      calls,
    });
    assert.ok(calls?.python);
  });

  it('has no calls where the catalogue has none, and keeps the evidence', () => {
    const { calls, evidence } = diagnose('dns', 'No address.', { host: 'h' });
    assert.deepEqual([calls, evidence], [{}, { host: 'h' }]);
  });
});
