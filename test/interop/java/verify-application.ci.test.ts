import { describeExample } from '../../support/example-application.ts';

const folder = 'java';
const file = 'Application.java';
const command = ['java', '-cp', '/usr/share/java/gson.jar', file] as const;

describeExample('The example in Java', { folder, file, command }, [
  {
    change: ['"RSA/ECB/PKCS1Padding"', '"RSA/ECB/OAEPWithSHA-256AndMGF1Padding"'],
    check: 'key-exchange/wraps-key',
    diagnosis: 'oaep-sha256',
    says: /MGF1/,
  },
  {
    change: [
      'Base64.getEncoder().encodeToString(cipher.doFinal(',
      'Base64.getMimeEncoder().encodeToString(cipher.doFinal(',
    ],
    check: 'key-exchange/wraps-key',
    diagnosis: 'line-breaks',
  },
  {
    change: ['random.nextBytes(bytes);', 'Arrays.fill(bytes, (byte) 7); bytes[0] = 1;'],
    check: 'key-exchange/key-per-user',
    diagnosis: 'key-constant',
    knockOn: ['key-exchange/new-key-each-time'],
  },
  {
    change: ['new IvParameterSpec(bytes, 0, 16)', 'new IvParameterSpec(new byte[16])'],
    also: [
      ['if (bytes.length < 32) throw new IllegalArgumentException("not encrypted");', ''],
      ['Arrays.copyOfRange(bytes, 16, bytes.length)', 'bytes'],
      [
        'gson.fromJson(decrypt(text(fields, "ubifill"), key), JsonObject.class)',
        'decrypt(text(fields, "ubifill"), key)',
      ],
    ],
    check: 'registration/uses-iv',
    diagnosis: 'cipher-mismatch',
    says: /the whole payload with an IV of zeros/,
  },
]);
