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
  type SituationId,
} from '../../src/diagnosis/error-situations.ts';
import { recogniseErrorText, recogniseStack } from '../../src/diagnosis/error-text.ts';
import { errorTexts } from '../../src/diagnosis/error-texts.ts';
import { type Stack, stacks } from '../../src/errors.ts';

/** A text of the table as a library would print it. */
function printed(text: string): string {
  return text
    .replaceAll('<n>', '7')
    .replaceAll('<hex>', 'c3')
    .replaceAll('<field>', 'ubifill')
    .replaceAll('<end>', '')
    .replaceAll('…', 'abc');
}

describe('the table of error texts', () => {
  it('recognises each of its texts, and the stack it comes from', () => {
    for (const { text, situation, origin } of errorTexts) {
      const found = recogniseErrorText(`Caused by: ${printed(text)}\n\tat somewhere`);
      assert.equal(found?.situation, situation, text);
      if (stacks.some((stack) => stack === origin)) assert.equal(found.stack, origin, text);
    }
  });

  it('has five texts of every stack, each once', () => {
    assert.equal(new Set(errorTexts.map(({ text }) => text)).size, errorTexts.length);
    for (const stack of stacks) {
      assert.ok(errorTexts.filter(({ origin }) => origin === stack).length >= 5, stack);
    }
  });

  it('explains each with three causes that different commands distinguish', () => {
    for (const [id, situation] of Object.entries<ErrorSituation>(errorSituations)) {
      const { title, meaning, fix } = situation;
      const causes = likelyCauses(situation);
      assert.match(title, /^\S.*[^.\s]$/);
      for (const text of [meaning, fix, ...causes.map(({ cause }) => cause)]) {
        assert.match(text, /^[A-Z\d"].{5,}\.$/s);
      }
      assert.equal(causes.length, 3);
      assert.ok(errorTexts.some((text) => text.situation === id));
    }
  });
});

type Id = SituationId | undefined;

const padded = 'javax.crypto.BadPaddingException: Given final block not properly padded';
const byte = "UnicodeDecodeError: 'utf-8' codec can't decode byte 0x8f in position 0";
const invoke = '{"error":"Cannot invoke \\"String.a()\\" because \\"key\\" is null"}';
const duplicate = "Duplicate entry '…' for key";
const tag = 'javax.crypto.AEADBadTagException: Tag mismatch';
const rsa = 'java.security.InvalidKeyException: No installed provider supports this key: sun.RSA';
const decoder = 'error:1E08010C:DECODER routines:OSSL_DECODER_from_bio:unsupported:decode_lib.c:1:';
const unpad =
  '809BA888A07F0000:error:1C800064:Provider routines:ossl_cipher_unpadblock:bad decrypt:';

describe('an error text', () => {
  it('is found and quoted without what may be user data', () => {
    const rows: readonly (readonly [string, Id, Stack | undefined, quote: string])[] = [
      [`${padded}. Such issues can arise if a bad key is used.`, 'padding-refused', 'java', padded],
      [`${padded}\n\tat com.CallbackKt.a(Callback.kt:12)`, 'padding-refused', 'kotlin', padded],
      [`Request failed; nested exception is ${tag}!`, 'tag-refused', 'java', tag],
      [unpad, 'padding-refused', undefined, 'error:1C800064:…bad decrypt'],
      [byte.replaceAll("'", '&#x27;'), 'not-text', 'python', byte],
      [invoke, 'value-missing', 'java', 'Cannot invoke "…" because "…" is null'],
      ["Duplicate entry 'a@b.c' for key 'x'", 'row-duplicate', undefined, duplicate],
    ];
    for (const [text, situation, stack, quote] of rows) {
      const { situation: id, stack: of, quote: quoted = '' } = recogniseErrorText(text) ?? {};
      assert.deepEqual([id, of, quoted], [situation, stack, quote]);
    }
  });

  it('is told by its message, not by its exception alone', () => {
    const rows: readonly (readonly [string, Id])[] = [
      ['OpenSSL::Cipher::CipherError: ', 'tag-refused'],
      ["in 'final': OpenSSL::Cipher::CipherError (OpenSSL::Cipher::CipherError)", 'tag-refused'],
      ['OpenSSL::Cipher::CipherError: bad decrypt', 'padding-refused'],
      ['OpenSSL::Cipher::CipherError: key not set', 'value-missing'],
      ['java.security.InvalidKeyException', 'key-bytes'],
      ['java.security.InvalidKeyException: IOException: null', 'public-key-unreadable'],
      ['java.security.InvalidKeyException: Invalid RSA public key', 'public-key-unreadable'],
      [rsa, 'rsa-failed'],
      ['javax.crypto.BadPaddingException: Padding error in verification', 'rsa-failed'],
      ['javax.crypto.AEADBadTagException: Input too short - need tag', 'tag-missing'],
      ['InvalidAlgorithmParameterException: Cannot reuse iv for GCM encryption', undefined],
      ['InvalidAlgorithmParameterException: ParameterSpec not of GCMParameterSpec', undefined],
      ['OpenSSL::PKey::RSAError: EVP_PKEY_encrypt: data too large for key size', 'rsa-failed'],
      [decoder, 'public-key-unreadable'],
    ];
    for (const [text, situation] of rows) {
      assert.equal(recogniseErrorText(text)?.situation, situation, text);
    }
  });

  it('says what the numbers in it mean', () => {
    const rows = [
      ['java.security.InvalidKeyException: Invalid AES key length: 33 bytes', /a line end/],
      ['Invalid key size (264) for AES.', /such as a line end/],
      ['crypto/aes: invalid key size 44', /32 bytes in Base64/],
      ['Illegal base64 character 2d', /base64url/],
      ["'utf-8' codec can't decode byte 0x80 in position 3: invalid start byte", /first block/],
      ['Invalid IV size (32) for CBC.', /whole key/],
    ] as const;
    for (const [text, detail] of rows) {
      assert.match(recogniseErrorText(text)?.detail ?? '', detail);
    }
  });

  it('is not seen in other words', () => {
    for (const text of [
      '',
      'partner_sp can not be decrypted with the key of this user',
      '{"code":"9999","message":"The passcode is wrong"}',
      '<html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>',
      'The tag of the user is invalid',
    ]) {
      assert.equal(recogniseErrorText(text), undefined, text);
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
  ["Cannot read properties of undefined (reading 'used_type')", noBody, noBody],
  ["Cannot read properties of undefined (reading 'userKey')", noBody, lostKey],
  ["'NoneType' object is not subscriptable", noBody, lostKey],
  ['Cannot invoke "R.key()" because the return value of "findByPtnCd" is null', noBody, lostKey],
  [missing('public_key', '{"ubifill":""}'), /name differs/, /share one model/],
  [missing('ubifill', 'null'), /share one model/, /needs ubifill/],
  ["KeyError: 'partner_sp'", /share one model/, /name differs/],
  ['413 Request Entity Too Large', /limits the size/, /limits the size/],
  ['CSRF verification failed. Request aborted.', /CSRF protection/, /CSRF protection/],
  ['Unsupported media type "text/plain" in request', /not accept app/, /not accept app/],
] as const;

describe('the likely cause of an error text', () => {
  it('fits the callback, and what is named', () => {
    for (const [text, inExchange, inRegistration] of causes) {
      assert.match(diagnose(text, 'key-exchange').message, inExchange);
      assert.match(diagnose(text, 'registration').message, inRegistration);
    }
  });

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

const nothing = encodeUtf8('{"code":"0000","message":"","result":{}}');

it('recognises the stack by the headers of a response', () => {
  const rows: readonly (readonly [Stack | undefined, string, string])[] = [
    ['node', 'X-Powered-By', 'Express'],
    ['php', 'x-powered-by', 'PHP/8.2.36'],
    ['php', 'Server', 'Apache/2.4.62 (Debian) PHP/8.1.2'],
    ['csharp', 'Server', 'Kestrel'],
    ['csharp', 'X-Powered-By', 'ASP.NET'],
    ['python', 'Server', 'BaseHTTP/0.6 Python/3.11.7'],
    ['ruby', 'Server', 'WEBrick/1.8.1 (Ruby/3.2.2/2023-03-30)'],
    ['java', 'Server', 'Apache-Coyote/1.1'],
    ['java', 'Set-Cookie', 'JSESSIONID=0123; Path=/; HttpOnly'],
    ['kotlin', 'Server', 'Ktor/2.3.7'],
    ['go', 'Server', 'fasthttp'],
    [undefined, 'Server', 'nginx/1.25.3'],
    [undefined, 'Content-Type', 'application/json'],
  ];
  for (const [stack, ...header] of rows) {
    assert.equal(recogniseStack([['Date', 'x'], header], nothing), stack, header.join(': '));
  }
});

it('recognises the stack by the body of a response', () => {
  const rows: readonly (readonly [Stack | undefined, string])[] = [
    ['java', 'javax.crypto.BadPaddingException: Given final block not properly padded'],
    ['java', '\tat com.example.Callback.register(Callback.java:42)'],
    ['java', '{"timestamp":"2026-07-01T12:00:00.000+00:00","status":500,"error":"Internal"}'],
    ['kotlin', 'javax.crypto.AEADBadTagException\n\tat com.example.CallbackKt.a(Callback.kt:42)'],
    ['node', '<pre>Error: bad\n    at Decipheriv.final (node:internal/crypto/cipher:193:29)'],
    ['node', '    at register (/srv/app/index.mjs:31:15)'],
    ['node', '<pre>Cannot POST /callback</pre>'],
    ['python', '  File "/srv/app.py", line 31, in callback'],
    ['python', '{"detail":[{"type":"missing","loc":["body","ubifill"]}]}'],
    ['php', '<br />\n<b>Warning</b>:  openssl_decrypt(): IV passed is only 8 bytes long'],
    ['php', 'PHP Fatal error:  Uncaught TypeError in /srv/callback.php:12'],
    ['csharp', 'System.Security.Cryptography.CryptographicException: Padding is invalid'],
    ['csharp', '   at App.Callback.Register(String body) in /src/Callback.cs:line 31'],
    ['go', 'panic: runtime error: invalid memory address or nil pointer dereference'],
    ['go', '404 page not found\n'],
    ['ruby', "callback.rb:12:in `final': bad decrypt (OpenSSL::Cipher::CipherError)"],
    [undefined, '<html><head><title>502 Bad Gateway</title></head></html>'],
    [undefined, '{"code":"9999","message":"internal error"}'],
  ];
  for (const [stack, text] of rows) {
    assert.equal(recogniseStack([['Server', 'nginx']], encodeUtf8(text)), stack, text);
  }
});

it('believes an error text before a header, which a proxy may have written', () => {
  const body = encodeUtf8('javax.crypto.AEADBadTagException: Tag mismatch!');
  assert.equal(recogniseStack([['X-Powered-By', 'ASP.NET']], body), 'java');
});
