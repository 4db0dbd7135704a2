import assert from 'node:assert/strict';
import { constants, publicEncrypt } from 'node:crypto';
import { describe, it } from 'node:test';
import { generateKeyPair, generateUserKey, unwrapKey, wrapKey } from '../../src/library/keys.ts';

const first = await generateKeyPair();
const second = await generateKeyPair();

const spki = (publicKey: string) =>
  ({ key: Buffer.from(publicKey, 'base64'), format: 'der', type: 'spki' }) as const;

describe('wrapKey and unwrapKey', () => {
  it('take texts as the interface and files have them', () => {
    const key = generateUserKey();
    assert.match(key, /^[A-Za-z0-9]{32}$/);
    assert.match(first.privateKey, /^-----BEGIN PRIVATE KEY-----/);
    const encPartnerKey = wrapKey({ key, publicKey: `\n${first.publicKey}\n` });
    const opened = unwrapKey({ encPartnerKey, privateKey: first.privateKey });
    assert.equal(opened.ok, true);
    assert.equal(opened.key, key);
    assert.deepEqual([...opened.diagnoses, ...opened.notes], []);
  });

  it('name what was done instead', () => {
    const padding = constants.RSA_PKCS1_OAEP_PADDING;
    const wrapped = publicEncrypt(
      { ...spki(first.publicKey), padding },
      Buffer.from(generateUserKey()),
    );
    const result = unwrapKey({
      encPartnerKey: wrapped.toString('base64'),
      privateKey: first.privateKey,
    });
    assert.equal(result.ok, false);
    assert.equal(!result.ok && result.diagnosis.code, 'oaep-sha1');
  });

  it('try further private keys as earlier ones', () => {
    const encPartnerKey = wrapKey({ key: generateUserKey(), publicKey: second.publicKey });
    const privateKey = [first.privateKey, second.privateKey];
    const result = unwrapKey({ encPartnerKey, privateKey });
    assert.equal(!result.ok && result.diagnosis.code, 'earlier-public-key');
  });

  const { publicKey, privateKey } = first;
  const key = 'k'.repeat(32);
  const refusals = [
    ['a short key', () => wrapKey({ key: 'short', publicKey }), /has 5 characters/],
    ['no key', () => wrapKey({ publicKey } as never), /option key is the per-user key: it is und/],
    ['no public key', () => wrapKey({ key, publicKey: '' }), /option publicKey .*: it is empty/],
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
