import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isNearName } from '../../src/protocol/response-fields.ts';

describe('isNearName', () => {
  const near: readonly (readonly [found: string, wanted: string])[] = [
    ['encPartnerKey', 'enc_partner_key'],
    ['Enc-Partner Key', 'enc_partner_key'],
    ['enc_partner_keys', 'enc_partner_key'],
    ['enc_parnter_key', 'enc_partner_key'],
    ['expireDt', 'expire_dt'],
    ['expired_dt', 'expire_dt'],
    ['CODE', 'code'],
    ['ptnSp', 'ptn_sp'],
  ];
  for (const [found, wanted] of near) {
    it(`takes ${found} for ${wanted}`, () => assert.equal(isNearName(found, wanted, []), true));
  }

  const far: readonly (readonly [found: string, wanted: string])[] = [
    ['mode', 'code'],
    ['ptn_cd', 'ptn_sp'],
    ['ptn_token', 'acs_token'],
    ['public_key', 'enc_partner_key'],
    ['', 'code'],
    [`enc_partner_key${'_'.repeat(100)}`, 'enc_partner_key'],
  ];
  for (const [found, wanted] of far) {
    it(`does not take ${found.slice(0, 20)} for ${wanted}`, () => {
      assert.equal(isNearName(found, wanted, []), false);
    });
  }

  it('knows other names in any style', () => {
    assert.equal(isNearName('result-code', 'code', ['resultCode']), true);
    assert.equal(isNearName('result-codes', 'code', ['resultCode']), false);
  });
});
