import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { pairsOf } from '../../src/protocol/user-info-formats.ts';

describe('the fields of user information in XML', () => {
  it('have neither the version nor the encoding of a declaration among them', () => {
    const text =
      '<?xml version="1.0" encoding="UTF-8"?>\n<user><email>kim@app.example</email></user>';
    const names = pairsOf(text).map(({ name }) => name);
    assert.deepEqual(names, ['email']);
  });

  it('include an attribute called version of an element', () => {
    const names = pairsOf('<?xml version="1.0"?><user version="2"/>').map(({ name }) => name);
    assert.deepEqual(names, ['version']);
  });
});
