import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { requestTemplate } from '../../src/load/request-template.ts';
import { authenticateRequestText } from '../../src/protocol/authenticate.ts';
import { keyExchangeRequestText } from '../../src/protocol/key-exchange.ts';
import { tokenRequestText } from '../../src/protocol/token.ts';

/** Any text, and such as could be taken for a part of the template. */
const anyText = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constant('<value>'),
  fc.constant('"$&"'),
);

const writers: Readonly<
  Record<string, (clientId: string, secretKey: string) => (value: string) => string>
> = {
  'a key exchange': (clientId) => (ptnCd) =>
    keyExchangeRequestText({ clientId, ptnCd, publicKey: 'MIIB' }),
  'a token request': (clientId, secretKey) => (ptnToken) =>
    tokenRequestText({ clientId, secretKey, ptnToken }),
  'an authenticate request': (clientId, secretKey) => (acsToken) =>
    authenticateRequestText({ clientId, secretKey, acsToken }),
};

describe('a template of requests', () => {
  for (const [name, writer] of Object.entries(writers)) {
    it(`writes ${name} as it is written from the start`, () => {
      fc.assert(
        fc.property(anyText, anyText, anyText, (clientId, secretKey, value) => {
          const write = writer(clientId, secretKey);
          assert.equal(requestTemplate(write)(value), write(value));
        }),
      );
    });
  }
});
