import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { errorSituations, type SituationId } from '../../src/diagnosis/error-situations.ts';
import { recogniseErrorText } from '../../src/diagnosis/error-text.ts';
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

const situations = Object.entries(errorSituations);

describe('the table of error texts', () => {
  it('has 70 texts and more, each once, and some of every stack', () => {
    const texts = errorTexts.map(({ text }) => text);
    assert.ok(texts.length >= 70);
    assert.equal(new Set(texts).size, texts.length);
    for (const stack of stacks) {
      assert.ok(errorTexts.filter(({ origin }) => origin === stack).length >= 5, stack);
    }
  });

  for (const { text, situation, origin } of errorTexts) {
    it(`recognises ${text}`, () => {
      const found = recogniseErrorText(`Caused by: ${printed(text)}\n\tat somewhere`);
      assert.equal(found?.situation, situation, found?.text);
      if (stacks.some((stack) => stack === origin)) assert.equal(found?.stack, origin);
    });
  }

  for (const [id, { title, meaning, causes, fix }] of situations) {
    it(`explains ${id} with three causes that different commands distinguish`, () => {
      assert.match(title, /^\S.*[^.\s]$/);
      for (const text of [meaning, fix, ...causes.map(({ cause }) => cause)]) {
        assert.match(text, /^[A-Z\d"].{5,}\.$/s);
      }
      assert.equal(new Set(causes.map(({ test }) => test)).size, 3);
      assert.ok(errorTexts.some(({ situation }) => situation === id));
    });
  }
});

const found: readonly (readonly [string, SituationId, Stack | undefined, string])[] = [
  [
    'javax.crypto.BadPaddingException: Given final block not properly padded. Such issues can arise if a bad key is used during decryption.',
    'padding-refused',
    'java',
    'javax.crypto.BadPaddingException: Given final block not properly padded',
  ],
  [
    'org.springframework.web.util.NestedServletException: Request processing failed; nested exception is javax.crypto.AEADBadTagException: Tag mismatch!',
    'tag-refused',
    'java',
    'javax.crypto.AEADBadTagException: Tag mismatch',
  ],
  [
    'javax.crypto.BadPaddingException: Given final block not properly padded\n\tat com.example.CallbackKt.decrypt(Callback.kt:12)',
    'padding-refused',
    'kotlin',
    'javax.crypto.BadPaddingException: Given final block not properly padded',
  ],
  [
    '809BA888A07F0000:error:1C800064:Provider routines:ossl_cipher_unpadblock:bad decrypt:../providers/implementations/ciphers/ciphercommon_block.c:124:',
    'padding-refused',
    undefined,
    'error:1C800064:…bad decrypt',
  ],
  [
    'error:06065064:digital envelope routines:EVP_DecryptFinal_ex:bad decrypt',
    'padding-refused',
    undefined,
    'error:06065064:…bad decrypt',
  ],
  [
    '<pre>UnicodeDecodeError: &#x27;utf-8&#x27; codec can&#x27;t decode byte 0x8f in position 0: invalid start byte</pre>',
    'not-text',
    'python',
    "UnicodeDecodeError: 'utf-8' codec can't decode byte 0x8f in position 0",
  ],
  [
    '{"error":"Cannot invoke \\"String.getBytes()\\" because \\"key\\" is null"}',
    'value-missing',
    'java',
    'Cannot invoke "…" because "…" is null',
  ],
  [
    "SQLSTATE[23000]: Duplicate entry 'alice@example.com' for key 'users.email'",
    'row-duplicate',
    undefined,
    "Duplicate entry '…' for key",
  ],
];

describe('an error text', () => {
  for (const [text, situation, stack, quote] of found) {
    it(`is found in ${text.slice(0, 70)}`, () => {
      const error = recogniseErrorText(text);
      assert.deepEqual([error?.situation, error?.stack, error?.quote], [situation, stack, quote]);
    });
  }

  const unlikeTheirName: readonly (readonly [string, SituationId | undefined])[] = [
    ['OpenSSL::Cipher::CipherError: ', 'tag-refused'],
    ["in 'final': OpenSSL::Cipher::CipherError (OpenSSL::Cipher::CipherError)", 'tag-refused'],
    ['OpenSSL::Cipher::CipherError: bad decrypt', 'padding-refused'],
    ['OpenSSL::Cipher::CipherError: key not set', 'value-missing'],
    ['java.security.InvalidKeyException', 'key-bytes'],
    ['java.security.InvalidKeyException: IOException: null', 'public-key-unreadable'],
    ['java.security.InvalidKeyException: Invalid RSA public key', 'public-key-unreadable'],
    [
      'java.security.InvalidKeyException: No installed provider supports this key: sun.security.rsa.RSAPublicKeyImpl',
      'rsa-failed',
    ],
    ['javax.crypto.BadPaddingException: Padding error in verification', 'rsa-failed'],
    ['javax.crypto.AEADBadTagException: Input too short - need tag', 'tag-missing'],
    ['InvalidAlgorithmParameterException: Cannot reuse iv for GCM encryption', undefined],
    [
      'InvalidAlgorithmParameterException: AlgorithmParameterSpec not of GCMParameterSpec',
      undefined,
    ],
    ['OpenSSL::PKey::RSAError: EVP_PKEY_encrypt: data too large for key size', 'rsa-failed'],
    [
      'error:1E08010C:DECODER routines:OSSL_DECODER_from_bio:unsupported:decode_lib.c:101:',
      'public-key-unreadable',
    ],
  ];
  for (const [text, situation] of unlikeTheirName) {
    it(`is told by its message, not by its exception alone: ${text}`, () => {
      assert.equal(recogniseErrorText(text)?.situation, situation);
    });
  }

  const details = [
    ['java.security.InvalidKeyException: Invalid AES key length: 33 bytes', /such as a line end/],
    ['Invalid key size (264) for AES.', /such as a line end/],
    ['crypto/aes: invalid key size 44', /32 bytes in Base64/],
    ['Illegal base64 character 2d', /base64url/],
    ['Illegal base64 character 20', /form decoding/],
    ["'utf-8' codec can't decode byte 0x80 in position 3: invalid start byte", /first block/],
    ['Invalid IV size (32) for CBC.', /whole key/],
  ] as const;
  for (const [text, detail] of details) {
    it(`says what the numbers mean in ${text}`, () => {
      assert.match(recogniseErrorText(text)?.detail ?? '', detail);
    });
  }

  const others = [
    '',
    'internal error',
    'partner_sp can not be decrypted with the key of this user',
    'unknown user',
    '{"code":"9999","message":"The passcode is wrong"}',
    '<html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>',
    'invalid request: client_id',
    'The tag of the user is invalid',
  ];
  for (const text of others) {
    it(`is not seen in ${JSON.stringify(text)}`, () => {
      assert.equal(recogniseErrorText(text), undefined);
    });
  }

  it('is looked for in texts of any length and kind without delay', () => {
    for (const piece of ['Unexpected token ', "Table '", 'a.', '&quot;', '\\', 'A'.repeat(80)]) {
      assert.doesNotThrow(() => recogniseErrorText(piece.repeat(100_000)));
    }
  });
});
