import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { bin, type Running, start } from './support/program.ts';

/*
 * Containers and machines of pipelines as they are: the program as it is built against an emulator of its own.
 */

// Not below the folder of temporary files, which is closed to others where pipelines run.
const folder = mkdtempSync('/var/tmp/authcli-machines-');
let emulator: Running;
let url = '';
before(async () => {
  const args = ['emulate', 'app', '--config', join(folder, 'emulator.json')];
  emulator = start(process.execPath, [bin, ...args]);
  url = await emulator.says(/http:\S+\/callback/);
});
after(async () => {
  emulator.child.kill();
  await emulator.ended;
  rmSync(folder, { recursive: true });
});

const signUp = ['simulate-signup', '--url'] as const;
const isRoot = process.getuid?.() === 0;
const asNobody = isRoot ? ['setpriv', '--reuid=65532', '--regid=65532', '--clear-groups'] : [];

/** Runs the program behind a command such as `setpriv`, which gives it less than the tests have. */
function run(behind: readonly string[], env: Readonly<Record<string, string>>) {
  const [command = '', ...args] = [...behind, process.execPath, bin, ...signUp, url];
  return start(command, args, { env: { XDG_CONFIG_HOME: '', ...env }, cwd: '/' }).ended;
}

describe('a machine on which nothing can be stored', () => {
  const readOnly = 'mount -t tmpfs none "$HOME" && mount -o remount,ro "$HOME" && exec "$@"';
  for (const [title, behind, home] of [
    ['a user id without a home', asNobody, '/'],
    ['a home of another user', asNobody, '/root'],
    ['a read-only file system', ['unshare', '-r', '-m', 'sh', '-c', readOnly, 'sh'], folder],
  ] as const) {
    it(`is ${title}: it is said once, and the sign-up is made`, async () => {
      const { status, stderr, stdout } = await run(behind, { HOME: home });
      assert.deepEqual([status, stdout.split('✓').length], [0, 4], stderr);
      assert.match(stderr, /^warning: Can't make the folder .* AUTHCLI_CONFIG .* --no-save\.\n$/);
    });
  }
});
