import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { defaultCipher } from '../../src/crypto/cipher.ts';
import { diagnoseErrorText, withoutLikelyCause } from '../../src/diagnosis/callback-failure.ts';
import { diagnosis } from '../../src/diagnosis/diagnosis.ts';
import type { CallbackStep } from '../../src/diagnosis/error-situations.ts';

const failed = diagnosis('code-not-success', 'Expected code "0000".', 'Check the log.');

function diagnose(text: string, step: CallbackStep) {
  const cipher = step === 'registration' ? { cipher: defaultCipher } : {};
  return diagnoseErrorText(failed, { step, texts: [text], ...cipher });
}

const noBody = /body of the request was not parsed as JSON/;
const lostKey = /key was never stored under this ptn_cd/;

const rows = [
  ["Cannot destructure property 'used_type' of 'req.body' as it is undefined.", noBody, noBody],
  ["Cannot read properties of undefined (reading 'used_type')", noBody, noBody],
  ["Cannot read properties of undefined (reading 'userKey')", noBody, lostKey],
  ["'NoneType' object is not subscriptable", noBody, lostKey],
  ['Cannot invoke "R.key()" because the return value of "findByPtnCd" is null', noBody, lostKey],
  [
    '{"detail":[{"type":"missing","loc":["body","public_key"],"msg":"Field required","input":{"ubifill":""}}]}',
    /name differs/,
    /share one model/,
  ],
  [
    '{"detail":[{"type":"missing","loc":["body","ubifill"],"msg":"Field required","input":null}]}',
    /share one model/,
    /needs ubifill/,
  ],
  ["KeyError: 'partner_sp'", /share one model/, /name differs/],
  ['413 Request Entity Too Large', /limits the size/, /limits the size/],
  ['CSRF verification failed. Request aborted.', /CSRF protection/, /CSRF protection/],
  ['Unsupported media type "text/plain" in request', /not accept app/, /not accept app/],
] as const;

describe('the likely cause of an error text', () => {
  for (const [text, inExchange, inRegistration] of rows) {
    it(`fits the callback, and what is named: ${text.slice(0, 60)}`, () => {
      assert.match(diagnose(text, 'key-exchange').message, inExchange);
      assert.match(diagnose(text, 'registration').message, inRegistration);
    });
  }

  it('comes with its own fix and calls', () => {
    const { hint, calls } = diagnose("reading 'used_type'): Received undefined", 'key-exchange');
    assert.match(hint, /^Parse the body as JSON/);
    assert.match(calls.node ?? '', /express\.json/);
    assert.match(diagnose('413 Request Entity Too Large', 'registration').hint, /^Raise the limit/);
    assert.match(diagnose('CSRF verification failed', 'key-exchange').hint, /^Exempt the path/);
  });

  it('is left out where another one was found', () => {
    const { message } = withoutLikelyCause(diagnose('NullPointerException', 'registration'));
    assert.match(message, /NullPointerException.*A value is null where the code needs one\.$/);
    assert.equal(withoutLikelyCause(failed), failed);
  });
});
