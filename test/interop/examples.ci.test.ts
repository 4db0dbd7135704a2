import { describeExample, type Example } from '../support/example-application.ts';

/* The applications of examples/, in each language as they are, and with one thing that people write there instead. */

const wrapsKey = 'key-exchange/wraps-key';

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
    ['const passcode = decrypt(partner_sp, key)', 'const passcode = partner_sp'],
    'registration/rejects-undecryptable',
    'never-decrypts',
    ['registration/rejects-missing-passcode'],
  ],
]);

describeExample('The example in Node with express', served('express'));
describeExample('The example in Node with fastify', served('fastify'));

const python = of('application.py', 'python', 'python3', 'application.py');
describeExample('The example in Python', python, [
  [['base64.b64encode(', 'base64.urlsafe_b64encode('], wrapsKey, 'base64url'],
]);

const gson = '/usr/share/java/gson.jar';
const java = of('Application.java', 'java', 'java', '-cp', gson, 'Application.java');
const oaep = '"RSA/ECB/OAEPWithSHA-256AndMGF1Padding"';
describeExample('The example in Java', java, [
  [['"RSA/ECB/PKCS1Padding"', oaep], wrapsKey, 'oaep-sha256'],
]);

const php = of('application.php', 'php', 'php', '-S', '127.0.0.1:0', 'application.php');
const json = 'json_encode($response';
describeExample('The example in PHP', php, [
  [
    [`${json});`, `${json}, JSON_NUMERIC_CHECK);`],
    'key-exchange/response-shape',
    'code-not-string',
    ['registration/response-shape', 'protocol/error-shape'],
  ],
]);

const ruby = of('application.rb', 'ruby', 'ruby', 'application.rb');
describeExample('The example in Ruby', ruby, [
  [['RSA::PKCS1_PADDING', 'RSA::PKCS1_OAEP_PADDING'], wrapsKey, 'oaep-sha1'],
]);

// `go run` would leave its program behind when it is ended.
const build = 'go build -o app application.go && exec ./app';
const inHex = [
  'base64.StdEncoding.EncodeToString(wrapped)',
  'hex.EncodeToString(wrapped)',
] as const;
describeExample('The example in Go', of('application.go', 'go', 'sh', '-c', build), [
  [inHex, wrapsKey, 'hex'],
]);
