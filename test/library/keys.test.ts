import assert from 'node:assert/strict';
import { constants, publicEncrypt } from 'node:crypto';
import { describe, it } from 'node:test';
import { generateKeyPair, generateUserKey, unwrapKey, wrapKey } from '../../src/library/keys.ts';
import { newKeyPair } from '../emulator/support.ts';

const { publicKey, privateKey } = await generateKeyPair();
const other = newKeyPair();

describe('wrapKey and unwrapKey', () => {
  it('take texts as the interface and files have them', () => {
    const key = generateUserKey();
    assert.match(key, /^[A-Za-z0-9]{32}$/);
    assert.match(privateKey, /^-----BEGIN PRIVATE KEY-----/);
    const encPartnerKey = wrapKey({ key, publicKey: `\n${publicKey}\n` });
    const { ok, diagnoses, notes, ...opened } = unwrapKey({ encPartnerKey, privateKey });
    assert.deepEqual([ok, opened.key, ...diagnoses, ...notes], [true, key]);
  });

  it('name what was done instead', () => {
    const spki = { key: Buffer.from(publicKey, 'base64'), format: 'der', type: 'spki' } as const;
    const padding = constants.RSA_PKCS1_OAEP_PADDING;
    const wrapped = publicEncrypt({ ...spki, padding }, Buffer.from(generateUserKey()));
    const result = unwrapKey({ encPartnerKey: wrapped.toString('base64'), privateKey });
    assert.equal(!result.ok && result.diagnosis.code, 'oaep-sha1');
  });

  it('try further private keys as earlier ones', () => {
    const key = generateUserKey();
    const encPartnerKey = wrapKey({ key, publicKey: other.publicKeyText });
    const earlier = other.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    const result = unwrapKey({ encPartnerKey, privateKey: [privateKey, earlier] });
    assert.ok(!result.ok);
    assert.deepEqual([result.diagnosis.code, result.key], ['earlier-public-key', key]);
  });

  const key = 'k'.repeat(32);
  const refusals = [
    ['a short key', () => wrapKey({ key: 'short', publicKey }), /has 5 characters/],
    ['no key', () => wrapKey({ publicKey } as never), /option key is missing/],
    ['no public key', () => wrapKey({ key, publicKey: '' }), /option publicKey is empty/],
    ['a private key', () => wrapKey({ key, publicKey: privateKey }), /private/],
    ['no private key', () => unwrapKey({ encPartnerKey: 'x', privateKey: [] }), /privateKey/],
    ['a public key', () => unwrapKey({ encPartnerKey: 'x', privateKey: publicKey }), /public/],
  ] as const;
  for (const [what, call, message] of refusals) {
    it(`refuse ${what}`, () => {
      assert.throws(call, { name: 'AuthcliError', code: 'usage', message });
    });
  }
});
