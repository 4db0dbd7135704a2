import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decodeBase64Lenient } from '../../src/bytes.ts';
import { toWireRequest } from '../../src/client/call.ts';
import {
  type MalformedName,
  malform,
  malformedNames,
  operationOf,
  withUnknownField,
} from '../../src/conformance/malformed.ts';
import {
  encodeKeyExchangeRequest,
  encodeRegistrationRequest,
  parseCallbackRequest,
} from '../../src/protocol/callbacks.ts';

const url = new URL('http://localhost/callback');
const [ptnCd, clientId, publicKey] = ['authcli-a', 'client', 'MIIB'.repeat(98)];
const payloads = { partnerSp: 'AAAA', ubifill: 'BBBB' };
const right = {
  'key-exchange': toWireRequest(url, encodeKeyExchangeRequest({ clientId, ptnCd, publicKey })),
  registration: toWireRequest(url, encodeRegistrationRequest({ clientId, ptnCd, ...payloads })),
};

const bodyOf = (name: MalformedName) =>
  `${Buffer.from(malform(name, right[operationOf(name)]).request.body)}`;

describe('malform', () => {
  for (const name of malformedNames) {
    it(`changes a right request: ${name}`, () => {
      const original = right[operationOf(name)];
      const malformed = malform(name, original);
      assert.equal(malformed.name, name);
      assert.deepEqual(malformed.request.headers, original.headers);
      const byContent = ['undecryptable-partner-sp', 'unknown-user'].includes(name);
      assert.equal(bodyOf(name) === `${Buffer.from(original.body)}`, byContent);
      if (!/^(?:missing|used-type|json|client-id-missing)/.test(name)) return;
      assert.equal(parseCallbackRequest(Buffer.from(bodyOf(name))).ok, false);
    });
  }

  it('has a public_key that lenient decoders can not read either', () => {
    const { public_key: text } = JSON.parse(bodyOf('public-key-no-base64'));
    assert.deepEqual(
      [decodeBase64Lenient(text), Buffer.from(text, 'base64').length],
      [undefined, 0],
    );
  });

  it('takes what is wrong by its content, and keeps the rest', () => {
    const fields = { partner_sp: 'CCCC' };
    const { request } = malform('undecryptable-partner-sp', right.registration, fields);
    assert.equal(JSON.parse(`${Buffer.from(request.body)}`).partner_sp, 'CCCC');
    assert.equal(JSON.parse(bodyOf('missing-partner-sp')).ubifill, 'BBBB');
  });
});

it('withUnknownField adds a field, and leaves the others', () => {
  const reading = parseCallbackRequest(withUnknownField(right.registration).body);
  assert.deepEqual(reading.ok && Object.keys(reading.unknownFields), ['authcli_unknown_field']);
});
