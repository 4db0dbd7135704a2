import { fileURLToPath } from 'node:url';
import { describeApplication } from '../../support/callback-application.ts';

const script = fileURLToPath(new URL('applications/callback-application.mjs', import.meta.url));

const launch = (fault: string) => ({ command: process.execPath, argv: [script, '0', fault] });

describeApplication('An application with node:http and node:crypto', launch, [
  { fault: 'oaep', check: 'key-exchange/wraps-key', diagnosis: 'oaep-sha1' },
  {
    fault: 'base64-key',
    check: 'key-exchange/key-length',
    diagnosis: 'key-base64-of-32-bytes',
    // Its AES refuses a key that is longer than 32 bytes.
    knockOn: ['registration/answers-success', 'registration/without-user-info'],
  },
  {
    fault: 'never-decrypts',
    check: 'registration/rejects-undecryptable',
    diagnosis: 'never-decrypts',
  },
]);
