import { describeExample, type Example } from '../../support/example-application.ts';

const served = (by: string): Example => ({
  folder: 'node',
  file: 'application.mjs',
  command: [process.execPath, `${by}.mjs`],
});

describeExample('The example in Node with node:http', served('http'), [
  {
    change: ['constants.RSA_PKCS1_PADDING', 'constants.RSA_PKCS1_OAEP_PADDING'],
    check: 'key-exchange/wraps-key',
    diagnosis: 'oaep-sha1',
  },
  {
    change: ['randomBytes(24)', 'randomBytes(32)'],
    check: 'key-exchange/key-length',
    diagnosis: 'key-base64-of-32-bytes',
    // Its AES refuses a key that is longer than 32 bytes.
    knockOn: ['registration/answers-success', 'registration/without-user-info'],
  },
  {
    change: ['const passcode = decrypt(partner_sp, key)', 'const passcode = partner_sp'],
    check: 'registration/rejects-undecryptable',
    diagnosis: 'never-decrypts',
    knockOn: ['registration/rejects-missing-passcode'],
  },
]);

describeExample('The example in Node with express', served('express'));
describeExample('The example in Node with fastify', served('fastify'));
