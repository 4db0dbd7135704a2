import { describeExample, type Example } from '../support/example-application.ts';

/* The applications of examples/, in each language as they are, and with what people write there instead. */

const wrapsKey = 'key-exchange/wraps-key';

const served = (by: string): Example => ({
  folder: 'node',
  file: 'application.mjs',
  command: [process.execPath, `${by}.mjs`],
});

describeExample('The example in Node with node:http', served('http'), [
  {
    changes: [['randomBytes(24)', 'randomBytes(32)']],
    check: 'key-exchange/key-length',
    diagnosis: 'key-base64-of-32-bytes',
    // Its AES refuses a key that is longer than 32 bytes.
    knockOn: ['registration/answers-success', 'registration/without-user-info'],
  },
  {
    changes: [['const passcode = decrypt(partner_sp, key)', 'const passcode = partner_sp']],
    check: 'registration/rejects-undecryptable',
    diagnosis: 'never-decrypts',
    knockOn: ['registration/rejects-missing-passcode'],
  },
]);

describeExample('The example in Node with express', served('express'));
describeExample('The example in Node with fastify', served('fastify'));

const python = { folder: 'python', file: 'application.py' } as const;
describeExample('The example in Python', { ...python, command: ['python3', python.file] }, [
  {
    changes: [['base64.b64encode(', 'base64.urlsafe_b64encode(']],
    check: wrapsKey,
    diagnosis: 'base64url',
  },
  {
    changes: [['token_hex(16)', 'token_hex(32)']],
    check: 'key-exchange/key-length',
    diagnosis: 'key-hex-of-32-bytes',
    knockOn: ['registration/answers-success', 'registration/without-user-info'],
  },
  {
    // The IV is decrypted with the rest: 16 characters of noise before the passcode, which are stored.
    changes: [
      ['modes.CBC(raw[:16])', 'modes.CBC(bytes(16))'],
      ['update(raw[16:])', 'update(raw)'],
      ['unpadder.finalize()).decode()', 'unpadder.finalize()).decode("utf-8", "replace")'],
      ['json.loads(decrypt(fields["ubifill"], key))', 'decrypt(fields["ubifill"], key)'],
    ],
    check: 'registration/uses-iv',
    diagnosis: 'cipher-mismatch',
    says: /the whole payload with an IV of zeros/,
  },
]);

const java = { folder: 'java', file: 'Application.java' } as const;
const javaCommand = ['java', '-cp', '/usr/share/java/gson.jar', java.file] as const;
describeExample('The example in Java', { ...java, command: javaCommand }, [
  {
    changes: [['"RSA/ECB/PKCS1Padding"', '"RSA/ECB/OAEPWithSHA-256AndMGF1Padding"']],
    check: wrapsKey,
    diagnosis: 'oaep-sha256',
    says: /MGF1/,
  },
  {
    changes: [
      [
        'Base64.getEncoder().encodeToString(cipher.doFinal(',
        'Base64.getMimeEncoder().encodeToString(cipher.doFinal(',
      ],
    ],
    check: wrapsKey,
    diagnosis: 'line-breaks',
  },
]);

const php = { folder: 'php', file: 'application.php' } as const;
describeExample('The example in PHP', { ...php, command: ['php', '-S', '127.0.0.1:0', php.file] }, [
  {
    changes: [['bin2hex(random_bytes(16))', 'md5(CLIENT_ID)']],
    check: 'key-exchange/key-per-user',
    diagnosis: 'key-constant',
    // It is the MD5 of the client_id.
    knockOn: ['key-exchange/key-is-random', 'key-exchange/new-key-each-time'],
  },
  {
    changes: [['json_encode($response);', 'json_encode($response, JSON_NUMERIC_CHECK);']],
    check: 'key-exchange/response-shape',
    diagnosis: 'code-not-string',
    knockOn: ['registration/response-shape', 'protocol/error-shape'],
  },
]);

const ruby = { folder: 'ruby', file: 'application.rb' } as const;
describeExample('The example in Ruby', { ...ruby, command: ['ruby', ruby.file] }, [
  {
    changes: [['RSA::PKCS1_PADDING', 'RSA::PKCS1_OAEP_PADDING']],
    check: wrapsKey,
    diagnosis: 'oaep-sha1',
  },
]);

const go = { folder: 'go', file: 'application.go' } as const;
// `go run` would leave its program behind when it is ended.
const goCommand = ['sh', '-c', `go build -o app ${go.file} && exec ./app`] as const;
describeExample('The example in Go', { ...go, command: goCommand }, [
  {
    changes: [['base64.StdEncoding.EncodeToString(wrapped)', 'hex.EncodeToString(wrapped)']],
    check: wrapsKey,
    diagnosis: 'hex',
  },
]);
