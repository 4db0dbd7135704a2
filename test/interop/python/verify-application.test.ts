import { fileURLToPath } from 'node:url';
import { describeApplication } from '../../support/callback-application.ts';

const script = fileURLToPath(new URL('applications/callback_application.py', import.meta.url));

const launch = (fault: string) => ({ command: 'python3', argv: [script, '0', fault] });

describeApplication("An application with Python's http.server and cryptography", launch, [
  { fault: 'oaep', check: 'key-exchange/wraps-key', diagnosis: 'oaep-sha256' },
  { fault: 'urlsafe', check: 'key-exchange/wraps-key', diagnosis: 'base64url' },
  {
    fault: 'hex-key',
    check: 'key-exchange/key-length',
    diagnosis: 'key-hex-of-32-bytes',
    // Its AES refuses a key that is longer than 32 bytes.
    knockOn: ['registration/answers-success', 'registration/without-user-info'],
  },
]);
