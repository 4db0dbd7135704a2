import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { encodeUtf8 } from '../../src/bytes.ts';
import { defaultCipher } from '../../src/crypto/cipher.ts';
import { diagnoseErrorText, withoutLikelyCause } from '../../src/diagnosis/callback-failure.ts';
import { diagnosis } from '../../src/diagnosis/diagnosis.ts';
import {
  type CallbackStep,
  type ErrorSituation,
  errorSituations,
  likelyCauses,
} from '../../src/diagnosis/error-situations.ts';
import { recogniseErrorText, recogniseStack } from '../../src/diagnosis/error-text.ts';
import { errorTexts } from '../../src/diagnosis/error-texts.ts';
import { stacks } from '../../src/errors.ts';
import { fixture } from '../support/fixtures.ts';

it('recognises each text of the table, and the stack it comes from', () => {
  for (const { text, situation, origin } of errorTexts) {
    const printed = text
      .replace(/<(?:n|hex)>/g, '7')
      .replace('<field>', 'ubifill')
      .replace('<end>', '')
      .replaceAll('…', 'abc');
    const found = recogniseErrorText(`Caused by: ${printed}\n\tat somewhere`);
    assert.equal(found?.situation, situation, text);
    if (stacks.some((stack) => stack === origin)) assert.equal(found.stack, origin, text);
  }
  for (const situation of Object.values<ErrorSituation>(errorSituations)) {
    assert.equal(likelyCauses(situation).length, 3, situation.title);
  }
});

it('recognises what libraries really print, and the stack that printed it', () => {
  for (const line of fixture('error-texts.tsv').trim().split('\n')) {
    const [stack, situation, text = ''] = line.split('\t');
    const found = recogniseErrorText(text);
    // Libraries of OpenSSL don't tell their stack.
    assert.deepEqual([found?.situation, found?.stack ?? stack], [situation, stack], text);
  }
});

const padded = 'javax.crypto.BadPaddingException: Given final block not properly padded';
const byte = "UnicodeDecodeError: 'utf-8' codec can't decode byte 0x8f in position 0";
const invoke = '{"error":"Cannot invoke \\"String.a()\\" because \\"key\\" is null"}';
const duplicate = "Duplicate entry '…' for key";
const tag = 'javax.crypto.AEADBadTagException: Tag mismatch';
const unpad =
  '809BA888A07F0000:error:1C800064:Provider routines:ossl_cipher_unpadblock:bad decrypt:';

describe('an error text', () => {
  it('is found and quoted without what may be user data', () => {
    for (const [text, ...expected] of [
      [`${padded}. Such issues can arise if a bad key is used.`, 'padding-refused', 'java', padded],
      [`${padded}\n\tat com.CallbackKt.a(Callback.kt:12)`, 'padding-refused', 'kotlin', padded],
      [`Request failed; nested exception is ${tag}!`, 'tag-refused', 'java', tag],
      [unpad, 'padding-refused', undefined, 'error:1C800064:…bad decrypt'],
      [byte.replaceAll("'", '&#x27;'), 'not-text', 'python', byte],
      [invoke, 'value-missing', 'java', 'Cannot invoke "…" because "…" is null'],
      ["Duplicate entry 'a@b.c' for key 'x'", 'row-duplicate', undefined, duplicate],
    ]) {
      const { situation, stack, quote } = recogniseErrorText(text ?? '') ?? {};
      assert.deepEqual([situation, stack, quote], expected);
    }
  });

  it('is told by its message, not by its exception alone', () => {
    for (const [text, situation] of [
      ['OpenSSL::Cipher::CipherError: bad decrypt', 'padding-refused'],
      ['OpenSSL::Cipher::CipherError: key not set', 'value-missing'],
      ['java.security.InvalidKeyException', 'key-bytes'],
      ['InvalidAlgorithmParameterException: ParameterSpec not of GCMParameterSpec', undefined],
      ['', undefined],
      ['partner_sp can not be decrypted with the key of this user', undefined],
      ['{"code":"9999","message":"The passcode is wrong"}', undefined],
    ] as const) {
      assert.equal(recogniseErrorText(text)?.situation, situation, text);
    }
  });

  it('says what the numbers in it mean', () => {
    for (const [text, detail] of [
      ['java.security.InvalidKeyException: Invalid AES key length: 33 bytes', /a line end/],
      ['Invalid key size (264) for AES.', /such as a line end/],
      ['crypto/aes: invalid key size 44', /32 bytes in Base64/],
      ["'utf-8' codec can't decode byte 0x80 in position 15: invalid start byte", /first block/],
      ['Illegal base64 character 2d', /base64url/],
      ['Invalid IV size (32) for CBC.', /whole key/],
      ["'utf-8' codec can't decode byte 0x80 in position 16: invalid start byte", /^$/],
    ] as const) {
      assert.match(recogniseErrorText(text)?.detail ?? '', detail);
    }
  });

  it('is looked for in texts of any length and kind without delay', () => {
    for (const piece of ['Unexpected token ', "Table '", 'a.', '&quot;', '\\', 'A'.repeat(80)]) {
      assert.doesNotThrow(() => recogniseErrorText(piece.repeat(100_000)));
      assert.doesNotThrow(() => recogniseStack([], Buffer.from(piece.repeat(100_000))));
    }
  });
});

const failed = diagnosis('code-not-success', 'Expected code "0000".', 'Check the log.');

function diagnose(text: string, step: CallbackStep) {
  const cipher = step === 'registration' ? { cipher: defaultCipher } : {};
  return diagnoseErrorText(failed, { step, texts: [text], ...cipher });
}

const noBody = /body of the request was not parsed as JSON/;
const lostKey = /key was never stored under this ptn_cd/;

const missing = (field: string, input: string) =>
  `{"detail":[{"type":"missing","loc":["body","${field}"],"msg":"Field required","input":${input}}]}`;

const causes = [
  ["Cannot destructure property 'used_type' of 'req.body' as it is undefined.", noBody, noBody],
  ["Cannot read properties of undefined (reading 'userKey')", noBody, lostKey],
  ["'NoneType' object is not subscriptable", noBody, lostKey],
  ['Cannot invoke "R.key()" because the return value of "findByPtnCd" is null', noBody, lostKey],
  [missing('public_key', '{"ubifill":""}'), /name differs/, /share one model/],
  [missing('ubifill', 'null'), /share one model/, /needs ubifill/],
  ['413 Request Entity Too Large', /limits the size/, /limits the size/],
  ['Unsupported media type "text/plain" in request', /not accept app/, /not accept app/],
] as const;

describe('the likely cause of an error text', () => {
  it('fits the callback, and what is named, and comes with its own fix and calls', () => {
    for (const [text, inExchange, inRegistration] of causes) {
      assert.match(diagnose(text, 'key-exchange').message, inExchange);
      assert.match(diagnose(text, 'registration').message, inRegistration);
    }
    const { hint, calls } = diagnose("reading 'used_type'): Received undefined", 'key-exchange');
    assert.match(hint, /^Parse the body as JSON/);
    assert.match(calls.node ?? '', /express\.json/);
  });

  it('is left out where another one was found', () => {
    const { message } = withoutLikelyCause(diagnose('NullPointerException', 'registration'));
    assert.match(message, /NullPointerException.*A value is null where the code needs one\.$/);
    assert.equal(withoutLikelyCause(failed), failed);
  });
});

it('recognises the stack by the headers of a response', () => {
  const body = encodeUtf8('{"code":"0000","message":"","result":{}}');
  const date = [['Date', 'x']] as const;
  for (const [stack, name, value] of [
    ['php', 'x-powered-by', 'PHP/8.2.36'],
    ['java', 'Set-Cookie', 'JSESSIONID=0123; Path=/; HttpOnly'],
    ['go', 'Server', 'fasthttp'],
    [undefined, 'Server', 'nginx/1.25.3'],
    [undefined, 'Content-Type', 'application/json'],
  ] as const) {
    assert.equal(recogniseStack([...date, [name, value]], body), stack, value);
  }
});

it('recognises the stack by the body of a response', () => {
  for (const [stack, text] of [
    ['java', '\tat com.example.Callback.register(Callback.java:42)'],
    ['kotlin', 'javax.crypto.AEADBadTagException\n\tat com.example.CallbackKt.a(Callback.kt:42)'],
    ['node', '<pre>Error: bad\n    at Decipheriv.final (node:internal/crypto/cipher:193:29)'],
    ['node', '<pre>Cannot POST /callback</pre>'],
    ['python', '  File "/srv/app.py", line 31, in callback'],
    ['php', '<br />\n<b>Warning</b>:  openssl_decrypt(): IV passed is only 8 bytes long'],
    ['csharp', 'System.Security.Cryptography.CryptographicException: Padding is invalid'],
    ['go', 'panic: runtime error: invalid memory address or nil pointer dereference'],
    ['ruby', "callback.rb:12:in `final': bad decrypt (OpenSSL::Cipher::CipherError)"],
    [undefined, '{"code":"9999","message":"internal error"}'],
  ] as const) {
    assert.equal(recogniseStack([['Server', 'nginx']], encodeUtf8(text)), stack, text);
    // A header is believed less: a proxy may have written it.
    const headers = [['X-Powered-By', 'ASP.NET']] as const;
    assert.equal(recogniseStack(headers, encodeUtf8(text)), stack ?? 'csharp', text);
  }
});
