import { describeExample } from '../../support/example-application.ts';

const folder = 'python';
const file = 'application.py';

describeExample('The example in Python', { folder, file, command: ['python3', file] }, [
  {
    change: [
      'padding.PKCS1v15()',
      'padding.OAEP(padding.MGF1(hashes.SHA256()), hashes.SHA256(), None)',
    ],
    needs: 'from cryptography.hazmat.primitives import hashes',
    check: 'key-exchange/wraps-key',
    diagnosis: 'oaep-sha256',
  },
  {
    change: ['base64.b64encode(', 'base64.urlsafe_b64encode('],
    check: 'key-exchange/wraps-key',
    diagnosis: 'base64url',
  },
  {
    change: ['token_hex(16)', 'token_hex(32)'],
    check: 'key-exchange/key-length',
    diagnosis: 'key-hex-of-32-bytes',
    // Its AES refuses a key that is longer than 32 bytes.
    knockOn: ['registration/answers-success', 'registration/without-user-info'],
  },
  {
    // The IV is decrypted with the rest: 16 characters of noise before the passcode, which are stored.
    change: ['modes.CBC(raw[:16])', 'modes.CBC(bytes(16))'],
    also: [
      ['update(raw[16:])', 'update(raw)'],
      ['unpadder.finalize()).decode()', 'unpadder.finalize()).decode("utf-8", "replace")'],
      ['json.loads(decrypt(fields["ubifill"], key))', 'decrypt(fields["ubifill"], key)'],
    ],
    check: 'registration/uses-iv',
    diagnosis: 'cipher-mismatch',
    says: /the whole payload with an IV of zeros/,
  },
]);
