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

const isRoot = process.getuid?.() === 0;
const asNobody = isRoot ? ['setpriv', '--reuid=65532', '--regid=65532', '--clear-groups'] : [];

/** Signs up behind a command such as `setpriv`, which gives the program less than the tests have. */
function signUp(to: string, env: Readonly<Record<string, string>>, behind: readonly string[] = []) {
  const words = [...behind, process.execPath, bin, 'simulate-signup', '--url', to];
  const [command = '', ...args] = words;
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
      const { status, stderr, stdout } = await signUp(url, { HOME: home }, behind);
      assert.deepEqual([status, stdout.split('✓').length], [0, 4], stderr);
      assert.match(stderr, /^warning: Can't make the folder .* AUTHCLI_CONFIG .* --no-save\.\n$/);
    });
  }
});

const nowhere = 'http://127.0.0.1:9';
it('HTTP_PROXY is not for this machine, and is named where a request fails through it', async () => {
  const env = { HTTP_PROXY: nowhere, http_proxy: '', HOME: folder };
  assert.equal((await signUp(url, env)).status, 0);
  const { status, stderr } = await signUp('http://app.test/callback', env);
  assert.equal(status, 3);
  assert.match(stderr, /the proxy 127\.0\.0\.1:9 \(from HTTP_PROXY\): .*\n.*app\.test.* NO_PROXY/);
});

it('a private CA is trusted by NODE_EXTRA_CA_CERTS or AUTHCLI_CA, which the failure names', async () => {
  const args = ['emulate', 'app', '--tls', '--config', join(folder, 'emulator.json')];
  const server = start(process.execPath, [bin, ...args]);
  const to = await server.says(/https:\S+\/callback/);
  const ca = await server.says(/\/\S+\.pem/);
  const { status, stderr } = await signUp(to, { HOME: folder });
  assert.equal(status, 3);
  assert.match(stderr, /^fix: .* --ca FILE .*NODE_EXTRA_CA_CERTS/m);
  for (const name of ['NODE_EXTRA_CA_CERTS', 'AUTHCLI_CA'])
    assert.equal((await signUp(to, { HOME: folder, [name]: ca })).status, 0, name);
  server.child.kill();
  await server.ended;
});

it('jobs that share a home at the same time fail in nothing and lose nothing', async () => {
  const home = { HOME: join(folder, 'shared') };
  const jobs = await Promise.all(Array.from({ length: 6 }, () => signUp(url, home)));
  assert.deepEqual(new Set(jobs.map(({ status }) => status)), new Set([0]));
  const listed = start(process.execPath, [bin, 'users', 'list', '--json'], { env: home });
  const users: readonly unknown[] = JSON.parse((await listed.ended).stdout).users;
  assert.equal(users.length, jobs.length);
});
