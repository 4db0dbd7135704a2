import { describeExample } from '../../support/example-application.ts';

describeExample(
  'The example in Ruby',
  { folder: 'ruby', file: 'application.rb', command: ['ruby', 'application.rb'] },
  [
    {
      change: [
        "public_encrypt(key, OpenSSL::PKey::RSA::PKCS1_PADDING)].pack('m0')",
        "public_encrypt(key, OpenSSL::PKey::RSA::PKCS1_PADDING)].pack('m')",
      ],
      check: 'key-exchange/wraps-key',
      diagnosis: 'line-breaks',
    },
    {
      change: ['OpenSSL::PKey::RSA::PKCS1_PADDING', 'OpenSSL::PKey::RSA::PKCS1_OAEP_PADDING'],
      check: 'key-exchange/wraps-key',
      diagnosis: 'oaep-sha1',
    },
  ],
);
