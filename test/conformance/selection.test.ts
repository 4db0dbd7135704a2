import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checks as catalogue } from '../../src/conformance/catalogue.ts';
import { matches, selectChecks } from '../../src/conformance/selection.ts';

const select = (check: readonly string[], skip: readonly string[] = []) =>
  selectChecks(catalogue, { check, skip }).map(({ id }) => id);

describe('selectChecks', () => {
  it('takes everything by default', () => {
    assert.equal(select([]).length, catalogue.length);
  });

  it('takes ids, globs and groups, in the order of the catalogue, none twice', () => {
    assert.deepEqual(select(['key-exchange/wraps-key']), ['key-exchange/wraps-key']);
    assert.deepEqual(select(['*/response-shape', 'key-exchange/response-*']), [
      'key-exchange/response-shape',
      'registration/response-shape',
    ]);
    assert.deepEqual(select(['registration']), select(['registration/*']));
    assert.deepEqual(select(['key-exchange/key-??????']), ['key-exchange/key-length']);
  });

  it('leaves out what is skipped', () => {
    assert.deepEqual(select(['registration'], ['registration/rejects-*']).length, 7);
    assert.ok(!select([], ['protocol/tls']).includes('protocol/tls'));
  });

  for (const [pattern, hint] of [
    ['key-exchange/wrap-key', 'Did you mean "key-exchange/wraps-key"?'],
    ['wraps-key', 'Did you mean "key-exchange/wraps-key"?'],
    ['latest-kye', 'Did you mean "registration/latest-key"?'],
    ['registraton/*', 'Did you mean "registration"?'],
    ['nothing/like/it', 'The groups are key-exchange, registration, protocol.'],
    ['', 'The groups are key-exchange, registration, protocol.'],
    ['(.*', 'The groups are key-exchange, registration, protocol.'],
  ] as const) {
    it(`refuses ${JSON.stringify(pattern)}`, () => {
      const error = {
        code: 'usage',
        message: `No check matches ${JSON.stringify(pattern)}.`,
        hint,
      };
      assert.throws(() => select([pattern]), error);
      assert.throws(() => select([], [pattern]), error);
    });
  }

  it('refuses a selection that leaves nothing', () => {
    assert.throws(() => select(['protocol/tls'], ['protocol']), {
      code: 'usage',
      message: 'The selection leaves no check to run.',
    });
  });
});

describe('matches', () => {
  it('takes characters of regular expressions as they are', () => {
    assert.equal(matches('key-exchange/key-length', 'key-exchange/key.length'), false);
    assert.equal(matches('key-exchange/key-length', 'key-exchange'), true);
    assert.equal(matches('key-exchange/key-length', 'key-exchange/'), true);
    assert.equal(matches('key-exchange/key-length', 'key'), false);
  });
});
