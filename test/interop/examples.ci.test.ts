import { describeExample, type Example } from '../support/example-application.ts';

/* The applications of examples/, in each language as they are, and with what people write there instead. */

const wrapsKey = 'key-exchange/wraps-key';
const refusedKey = ['registration/answers-success', 'registration/without-user-info'];
const numeric = ['registration/response-shape', 'protocol/error-shape'];
const constant = ['key-exchange/key-is-random', 'key-exchange/new-key-each-time'];

const served = (by: string): Example => ({
  folder: 'node',
  file: 'application.mjs',
  command: [process.execPath, `${by}.mjs`],
});
const of = (file: string, folder: string, ...command: [string, ...string[]]): Example => {
  return { folder, file, command };
};

describeExample('The example in Node with node:http', served('http'), [
  [
    [['randomBytes(24)', 'randomBytes(32)']],
    'key-exchange/key-length',
    'key-base64-of-32-bytes',
    // Its AES refuses a key that is longer than 32 bytes.
    { knockOn: refusedKey },
  ],
  [
    [['const passcode = decrypt(partner_sp, key)', 'const passcode = partner_sp']],
    'registration/rejects-undecryptable',
    'never-decrypts',
    { knockOn: ['registration/rejects-missing-passcode'] },
  ],
]);

describeExample('The example in Node with express', served('express'));
describeExample('The example in Node with fastify', served('fastify'));

const python = of('application.py', 'python', 'python3', 'application.py');
describeExample('The example in Python', python, [
  [[['base64.b64encode(', 'base64.urlsafe_b64encode(']], wrapsKey, 'base64url'],
  [
    [['token_hex(16)', 'token_hex(32)']],
    'key-exchange/key-length',
    'key-hex-of-32-bytes',
    { knockOn: refusedKey },
  ],
  [
    // The IV is decrypted with the rest: 16 characters of noise before the passcode, which are stored.
    [
      ['modes.CBC(raw[:16])', 'modes.CBC(bytes(16))'],
      ['update(raw[16:])', 'update(raw)'],
      ['unpadder.finalize()).decode()', 'unpadder.finalize()).decode("utf-8", "replace")'],
      ['json.loads(decrypt(fields["ubifill"], key))', 'decrypt(fields["ubifill"], key)'],
    ],
    'registration/uses-iv',
    'cipher-mismatch',
    { says: /the whole payload with an IV of zeros/ },
  ],
]);

const gson = '/usr/share/java/gson.jar';
const java = of('Application.java', 'java', 'java', '-cp', gson, 'Application.java');
const oaep = '"RSA/ECB/OAEPWithSHA-256AndMGF1Padding"';
const encoded = 'Encoder().encodeToString(cipher.doFinal(';
describeExample('The example in Java', java, [
  [[['"RSA/ECB/PKCS1Padding"', oaep]], wrapsKey, 'oaep-sha256', { says: /MGF1/ }],
  [[[`get${encoded}`, `getMime${encoded}`]], wrapsKey, 'line-breaks'],
]);

const php = of('application.php', 'php', 'php', '-S', '127.0.0.1:0', 'application.php');
const json = 'json_encode($response';
describeExample('The example in PHP', php, [
  [
    // It is the MD5 of the client_id.
    [['bin2hex(random_bytes(16))', 'md5(CLIENT_ID)']],
    'key-exchange/key-per-user',
    'key-constant',
    { knockOn: constant },
  ],
  [
    [[`${json});`, `${json}, JSON_NUMERIC_CHECK);`]],
    'key-exchange/response-shape',
    'code-not-string',
    { knockOn: numeric },
  ],
]);

const ruby = of('application.rb', 'ruby', 'ruby', 'application.rb');
describeExample('The example in Ruby', ruby, [
  [[['RSA::PKCS1_PADDING', 'RSA::PKCS1_OAEP_PADDING']], wrapsKey, 'oaep-sha1'],
]);

// `go run` would leave its program behind when it is ended.
const build = 'go build -o app application.go && exec ./app';
const inHex = [
  'base64.StdEncoding.EncodeToString(wrapped)',
  'hex.EncodeToString(wrapped)',
] as const;
describeExample('The example in Go', of('application.go', 'go', 'sh', '-c', build), [
  [[inHex], wrapsKey, 'hex'],
]);
