import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { type Example, scratchFolder, withExample } from '../../support/example-application.ts';
import { run } from '../../support/run.ts';
import { startRelayCommand } from '../../support/side.ts';

const scratch = scratchFolder();
const gson = '/usr/share/java/gson.jar';
const applications: readonly Example[] = [
  { folder: 'python', file: 'application.py', command: ['python3', 'application.py'] },
  { folder: 'java', file: 'Application.java', command: ['java', '-cp', gson, 'Application.java'] },
];

describe('the relay between a service in Python', () => {
  for (const example of applications) {
    it(`and an application in ${example.folder} changes nothing for them, and knows the keys under --decrypt`, async () => {
      await withExample(example, scratch, {}, async (origin) => {
        for (const [flags, bits, exponent] of [
          [[], '2048', '65537'],
          [['--decrypt'], '3072', '3'],
        ] as const) {
          const configFile = join(scratch, `${example.folder}-${bits}.json`);
          const argv = ['--to', `${origin}/callback`, ...flags];
          const relay = await startRelayCommand(argv, { configFile });
          const service = ['test/interop/python/services/sign_up.py', relay.callbackUrl];
          const users = ['alice', 'Bob Ünïcode', 'carol'];
          const words = [...service, bits, exponent, ...users];
          const { stdout } = await promisify(execFile)('python3', words);
          const results: readonly { code: string; key: string | null }[] = JSON.parse(stdout);
          await relay.exchanges(6);
          assert.equal((await relay.stop()).status, 0);
          const stored = await run(['users', 'export', '--json'], { configFile });
          const seen = results.map(({ code, key }) => [code, stored.stdout.includes(String(key))]);
          const expected = users.map(() => ['0000', flags.length > 0]);
          assert.deepEqual(seen, expected, bits);
        }
      });
    });
  }
});
