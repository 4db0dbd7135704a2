import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  briefCipher,
  formatCipher,
  listCiphers,
  parseCipher,
} from '../../src/crypto/cipher-notation.ts';
import { diagnoseProbedCipher } from '../../src/diagnosis/cipher-verdict.ts';
import type { Diagnosis } from '../../src/errors.ts';

function weigh(found: string, configured: string, origin?: string): Diagnosis | undefined {
  const cipher = parseCipher(found);
  return diagnoseProbedCipher(
    { cipher, accepted: [cipher] },
    { cipher: parseCipher(configured), origin },
  );
}

describe('diagnoseProbedCipher', () => {
  it('weighs the two ciphers without taking sides, with the calls for the configured one', () => {
    const found = weigh('aes-256-ecb', 'aes-256-cbc', 'profile default');
    assert.equal(found?.code, 'cipher-mismatch');
    assert.equal(
      found?.message,
      'The application decrypts aes-256-ecb; authcli (profile default) sends aes-256-cbc.',
    );
    assert.equal(
      found?.hint,
      'If the service specifies aes-256-cbc, change the application to decrypt it. If aes-256-ecb is right: `authcli config set cipher aes-256-ecb`.',
    );
    assert.match(
      found?.calls.java ?? '',
      /"AES\/CBC\/PKCS5Padding".*IvParameterSpec\(raw, 0, 16\)/,
    );
    assert.deepEqual(found?.evidence, {
      cipher: formatCipher(parseCipher('aes-256-cbc')),
      fitting_cipher: formatCipher(parseCipher('aes-256-ecb')),
    });
  });

  it('names the parts that differ, also where one is the default', () => {
    assert.equal(
      weigh('aes-256-cbc?iv=zero', 'aes-256-cbc')?.message,
      'The application decrypts aes-256-cbc?iv=zero; authcli sends aes-256-cbc?iv=prefix.',
    );
    assert.equal(
      weigh('aes-128-cbc?key=hex', 'aes-256-cbc')?.message,
      'The application decrypts aes-128-cbc?key=hex; authcli sends aes-256-cbc?key=utf8.',
    );
  });

  it('begins the calls with the decoding where the encodings differ', () => {
    const calls = weigh('aes-256-cbc?encoding=hex', 'aes-256-cbc')?.calls;
    assert.match(calls?.python ?? '', /^raw = base64\.b64decode\(payload\); /);
  });

  it('is silent where the configured cipher is among those accepted', () => {
    const accepted = ['aes-256-cbc?padding=zero', 'aes-256-cbc'].map(parseCipher);
    const [cipher] = accepted;
    assert.equal(
      diagnoseProbedCipher({ cipher, accepted }, { cipher: parseCipher('aes-256-cbc') }),
      undefined,
    );
  });

  it("passes on the probe's own diagnosis where no cipher was found", () => {
    const diagnosis = { code: 'never-decrypts', message: 'm', hint: 'h', calls: {} } as const;
    const verdict = { accepted: [], diagnosis };
    assert.equal(diagnoseProbedCipher(verdict, { cipher: parseCipher('aes-256-cbc') }), diagnosis);
  });
});

describe('briefCipher', () => {
  it('is read as the same cipher', () => {
    const fixed = parseCipher(`aes-256-gcm?iv=hex:${'00'.repeat(16)}`);
    for (const cipher of [...listCiphers(), fixed]) {
      assert.equal(formatCipher(parseCipher(briefCipher(cipher))), formatCipher(cipher));
    }
  });
});
