import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checks as catalogue } from '../../src/conformance/catalogue.ts';
import { selectChecks } from '../../src/conformance/selection.ts';

const select = (check: readonly string[], skip: readonly string[] = []) =>
  selectChecks(catalogue, { check, skip }).map(({ id }) => id);

describe('selectChecks', () => {
  it('takes ids, globs and groups, in the order of the catalogue, none twice', () => {
    assert.deepEqual(select(['key-exchange/wraps-key']), ['key-exchange/wraps-key']);
    const shapes = ['key-exchange/response-shape', 'registration/response-shape'];
    assert.deepEqual(select(['*/response-shape', 'key-exchange/response-*']), shapes);
    assert.deepEqual(select(['registration']), select(['registration/']));
    assert.deepEqual(select(['registration']), select(['registration/*']));
    assert.deepEqual(select(['key-exchange/key-??????']), ['key-exchange/key-length']);
  });

  const groups = 'The groups are key-exchange, registration, protocol.';
  for (const [pattern, hint] of [
    ['key-exchange/wrap-key', 'Did you mean "key-exchange/wraps-key"?'],
    ['wraps-key', 'Did you mean "key-exchange/wraps-key"?'],
    ['registraton/*', 'Did you mean "registration"?'],
    ['nothing/like/it', groups],
    ['key-exchange/key.length', 'Did you mean "key-exchange/key-length"?'],
  ] as const) {
    it(`refuses ${JSON.stringify(pattern)}`, () => {
      const message = `No check matches ${JSON.stringify(pattern)}.`;
      assert.throws(() => select([pattern]), { code: 'usage', message, hint });
      assert.throws(() => select([], [pattern]), { code: 'usage', message, hint });
    });
  }
});
