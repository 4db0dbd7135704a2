import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { encodeUtf8 } from '../../src/bytes.ts';
import { defaultCipher } from '../../src/crypto/cipher.ts';
import { diagnoseErrorText } from '../../src/diagnosis/callback-failure.ts';
import { diagnosis } from '../../src/diagnosis/diagnosis.ts';
import type { CallbackStep, Sent } from '../../src/diagnosis/error-situations.ts';
import { readErrorText, recogniseStack } from '../../src/diagnosis/error-text.ts';
import { errorTexts } from '../../src/diagnosis/error-texts.ts';
import { stacks } from '../../src/errors.ts';
import { fixture } from '../support/fixtures.ts';

it('recognises each text of the table, and the stack it comes from', () => {
  for (const { text, situation, origin } of errorTexts) {
    const printed = text
      .replace(/<(?:n|hex)>/g, '7')
      .replace(/<(?:name|field)>/, 'ubifill')
      .replace('<end>', '')
      .replaceAll('…', 'abc');
    const found = readErrorText(`Caused by: ${printed}\n\tat somewhere`);
    assert.equal(found?.situation, situation, text);
    if (stacks.some((stack) => stack === origin)) assert.equal(found.stack, origin, text);
  }
});

it('recognises what libraries really print, and the stack that printed it', () => {
  for (const line of fixture('error-texts.tsv').trim().split('\n')) {
    const [stack, situation, text = ''] = line.split('\t');
    const found = readErrorText(text);
    // Libraries of OpenSSL don't tell their stack.
    assert.deepEqual([found?.situation, found?.stack ?? stack], [situation, stack], text);
  }
});

const common = ['client_id', 'used_type', 'ptn_cd'];

/** What is known of a request of that step, as simulate-signup knows it. */
function sentIn(step: CallbackStep | null, status?: number): Sent {
  if (step === null) return {};
  const sent = { step, status, ptnCd: 'u-1041' };
  if (step === 'key-exchange') return { ...sent, fields: [...common, 'public_key'] };
  return { ...sent, fields: [...common, 'partner_sp', 'ubifill'], cipher: defaultCipher };
}

it('names the right cause of each error response, or none', () => {
  for (const line of fixture('error-responses.jsonl').trim().split('\n')) {
    const { step, status, text, cause } = JSON.parse(line);
    const { causes = [] } = readErrorText(text, sentIn(step, status)) ?? {};
    assert.equal(causes[0]?.id ?? null, cause, text);
    assert.ok(causes.length <= 2, text);
    for (const { cause, fix } of causes) assert.doesNotMatch(cause + fix, /\{\w+\}|undefined|: \./);
  }
});

const padded = 'javax.crypto.BadPaddingException: Given final block not properly padded';
const byte = "UnicodeDecodeError: 'utf-8' codec can't decode byte 0x8f in position 0";
const invoke = '{"error":"Cannot invoke \\"String.a()\\" because \\"key\\" is null"}';
const duplicate = "Duplicate entry '…' for key 'x'";
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
      const { situation, stack, quote } = readErrorText(text ?? '') ?? {};
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
      assert.equal(readErrorText(text)?.situation, situation, text);
    }
  });

  it('says what the numbers in it mean', () => {
    for (const [text, detail] of [
      ['java.security.InvalidKeyException: Invalid AES key length: 33 bytes', /a line end/],
      ['Invalid key size (264) for AES.', /such as a line end/],
      ['crypto/aes: invalid key size 44', /Base64 of 32 bytes/],
      ["'utf-8' codec can't decode byte 0x80 in position 15: invalid start byte", /first block/],
      ['Illegal base64 character 2d', /base64url/],
      ['Invalid IV size (32) for CBC.', /whole key/],
      ['connect ECONNREFUSED ::1:3306', /did not reach ::1:3306: not the callback/],
      ['Error 111 connecting to localhost:6379. Connection refused', /reach localhost:6379:/],
      ['lookup pg on 127.0.0.11:53: no such host', /did not reach pg:/],
      ["Column 'partner_key' cannot be null", /without a value for partner_key,/],
      ['RangeError: Invalid key length', /encoded before its use\.$/],
      ['ArgumentError: key must be 16 bytes', /takes a key of another length than 32 bytes: 16/],
    ] as const) {
      assert.match(readErrorText(text)?.causes[0]?.cause ?? '', detail);
    }
  });

  const traceback = 'Traceback (most recent call last):\n  ';
  it('has the first frame of the application, and the names that it quotes', () => {
    for (const [text, source, field] of [
      [`${traceback}File "/srv/app.py", line 41\nKeyError: 'phone'`, 'app.py:41', 'phone'],
      ['KeyError: \'ptn_cd\'\n  File "/x/site-packages/a.py", line 4', undefined, 'ptn_cd'],
      ['NullPointerException\n\tat java.util.A.b(A.java:4)\n\tat shop.B.c(B.java:9)', 'B.java:9'],
      ['panic: runtime error: index out of range\n\t/srv/app/main.go:71 +0x1d', 'main.go:71'],
      ['{"trace":"TypeError: x\\n    at f (/srv/app/a.js:3:1)\\n"}', 'a.js:3'],
    ] as const) {
      const found = readErrorText(text);
      assert.deepEqual([found?.source, found?.field], [source, field], text);
    }
  });

  it('is looked for in texts of any length and kind without delay', () => {
    for (const piece of ['Unexpected token ', "Table '", 'a.', '&quot;', '\\', 'A'.repeat(80)]) {
      assert.doesNotThrow(() => readErrorText(piece.repeat(100_000)));
      assert.doesNotThrow(() => recogniseStack([], Buffer.from(piece.repeat(100_000))));
    }
  });
});

const failed = diagnosis('code-not-success', 'Expected code "0000".', 'Check the log.');

const diagnose = (text: string, step: CallbackStep, status = 500) =>
  diagnoseErrorText(failed, { ...sentIn(step, status), texts: [text] });

describe('the diagnosis of an error text', () => {
  it('has the cause with its own fix and calls, and how sure it is', () => {
    const { message, hint, calls, confidence, evidence } = diagnose(
      "TypeError: Cannot read properties of undefined (reading 'used_type')\n at x (/srv/a.js:3:1)",
      'key-exchange',
    );
    assert.match(message, /^The application reports ".*" at a\.js:3\. .* Likely cause: The body /);
    assert.match(hint, /^Parse the body as JSON/);
    assert.match(calls.node ?? '', /express\.json/);
    assert.deepEqual([confidence, evidence?.source], ['likely', 'a.js:3']);
  });

  it('names two causes with what tells them apart, and no calls', () => {
    const { message, hint, calls, confidence } = diagnose(
      'slice bounds out of range',
      'registration',
    );
    assert.match(message, /Likely causes: 1\. .* 2\. /);
    assert.match(hint, /second, which `authcli cipher probe` shows: /);
    assert.deepEqual([calls, confidence], [{}, undefined]);
  });

  it('lets the status speak before the spelling of a field', () => {
    const text = '{"detail":"Field required: used_type"}';
    assert.match(diagnose(text, 'key-exchange', 415).hint, /^Make it consume JSON/);
    assert.match(diagnose('', 'key-exchange', 405).message, /^Expected code .* POST isn't handled/);
    assert.equal(diagnose('', 'key-exchange', 500), failed);
  });

  it('quotes an unknown error, and blames nothing for it', () => {
    const { message, confidence, evidence } = diagnose('shop.MoonError: \u001b[1m', 'key-exchange');
    assert.match(
      message,
      /^Expected code "0000"\. The application reports "shop.MoonError: \\u001b\[1m"/,
    );
    assert.deepEqual([confidence, evidence?.error_type], [undefined, 'shop.MoonError']);
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
