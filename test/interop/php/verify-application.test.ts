import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { fileURLToPath } from 'node:url';
import { describeApplication } from '../../support/callback-application.ts';

const script = fileURLToPath(new URL('applications/callback.php', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'authcli-php-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const launch = (fault: string) => ({
  command: 'php',
  argv: ['-S', '127.0.0.1:0', script],
  env: { CALLBACK_DATA: mkdtempSync(join(folder, 'users-')), CALLBACK_FAULT: fault },
});

describeApplication("An application with PHP's openssl functions", launch, [
  { fault: 'bin2hex', check: 'key-exchange/wraps-key', diagnosis: 'hex' },
  {
    fault: 'one-key',
    check: 'key-exchange/key-per-user',
    diagnosis: 'key-constant',
    // It is the MD5 of the client_id.
    knockOn: ['key-exchange/key-is-random', 'key-exchange/new-key-each-time'],
  },
  {
    fault: 'numeric-check',
    check: 'key-exchange/response-shape',
    diagnosis: 'code-not-string',
    knockOn: ['registration/response-shape'],
  },
]);
