import { describeExample } from '../../support/example-application.ts';

const folder = 'php';
const file = 'application.php';

describeExample(
  'The example in PHP',
  { folder, file, command: ['php', '-S', '127.0.0.1:0', file] },
  [
    {
      change: ['return base64_encode($wrapped)', 'return bin2hex($wrapped)'],
      check: 'key-exchange/wraps-key',
      diagnosis: 'hex',
    },
    {
      change: ['bin2hex(random_bytes(16))', 'md5(CLIENT_ID)'],
      check: 'key-exchange/key-per-user',
      diagnosis: 'key-constant',
      // It is the MD5 of the client_id.
      knockOn: ['key-exchange/key-is-random', 'key-exchange/new-key-each-time'],
    },
    {
      change: ['json_encode($response);', 'json_encode($response, JSON_NUMERIC_CHECK);'],
      check: 'key-exchange/response-shape',
      diagnosis: 'code-not-string',
      knockOn: ['registration/response-shape', 'protocol/error-shape'],
    },
  ],
);
