import { fileURLToPath } from 'node:url';
import { describeApplication } from '../../support/callback-application.ts';

const source = fileURLToPath(new URL('applications/CallbackApplication.java', import.meta.url));

const launch = (fault: string) => ({ command: 'java', argv: [source, '0', fault] });

describeApplication("An application with the JDK's HttpServer and JCE", launch, [
  {
    fault: 'oaep',
    check: 'key-exchange/wraps-key',
    diagnosis: 'oaep-sha256',
    says: /MGF1/,
  },
  { fault: 'mime', check: 'key-exchange/wraps-key', diagnosis: 'line-breaks' },
  {
    fault: 'static-key',
    check: 'key-exchange/key-per-user',
    diagnosis: 'key-constant',
    // Its first half is its second but for one character.
    knockOn: ['key-exchange/key-is-random', 'key-exchange/new-key-each-time'],
  },
]);
