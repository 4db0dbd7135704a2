import assert from 'node:assert/strict';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import { makeCertificate } from './support/certificates.ts';
import { bin, type Running, start } from './support/program.ts';

/* Containers and machines of pipelines as they are, and the program as it is built. */

// Not below the folder of temporary files, which is closed to others where pipelines run.
const folder = mkdtempSync('/var/tmp/authcli-machines-');
chmodSync(folder, 0o755);
// Others may not read the clone either.
const installed = join(folder, 'authcli');
for (const part of ['package.json', 'bin', 'dist'])
  cpSync(part, join(installed, part), { recursive: true });
const program = join(installed, 'bin/authcli.js');
const home = join(folder, 'home');
mkdirSync(home);
const emulators: Running[] = [];
const emulate = (...flags: readonly string[]): Running => {
  const args = [bin, 'emulate', 'app', '--config', join(folder, 'emulator.json'), ...flags];
  const running = start(process.execPath, args);
  emulators.push(running);
  return running;
};
let url = '';
before(async () => {
  url = await emulate().says(/http:\S+\/callback/);
});
after(async () => {
  for (const { child } of emulators) child.kill();
  await Promise.all(emulators.map(({ ended }) => ended));
  rmSync(folder, { recursive: true });
});

const isRoot = process.getuid?.() === 0;
const asNobody = isRoot ? ['setpriv', '--reuid=65532', '--regid=65532', '--clear-groups'] : [];

/** Signs up behind a command such as `setpriv`, which gives the program less than the tests have. */
function signUp(to: string, env: Readonly<Record<string, string>>, behind: readonly string[] = []) {
  const line = [process.execPath, program, 'simulate-signup', '--url', to];
  const [command = '', ...args] = [...behind, ...line];
  return start(command, args, { env: { XDG_CONFIG_HOME: '', ...env }, cwd: '/' }).ended;
}

const readOnly = 'mount -t tmpfs none "$HOME" && mount -o remount,ro "$HOME" && exec "$@"';
for (const [title, behind, HOME] of [
  ['a user id without a home', asNobody, '/'],
  ['a home of another user', asNobody, '/root'],
  ['a read-only file system', ['unshare', '-r', '-m', 'sh', '-c', readOnly, 'sh'], home],
] as const) {
  it(`signs up with ${title}, and says once that nothing is stored`, async () => {
    const { status, stderr } = await signUp(url, { HOME }, behind);
    assert.equal(status, 0, stderr);
    assert.match(stderr, /^warning: Can't make the folder .* AUTHCLI_CONFIG .* --no-save\.\n$/);
  });
}

it('HTTP_PROXY is not for this machine, and is named where a request fails through it', async () => {
  const env = { HTTP_PROXY: 'http://127.0.0.1:9', http_proxy: '', HOME: folder };
  assert.equal((await signUp(url, env)).status, 0);
  const { stderr } = await signUp('http://app.test/callback', env);
  assert.match(stderr, /the proxy 127\.0\.0\.1:9 \(from HTTP_PROXY\): .*\n.*app\.test.* NO_PROXY/);
});

it('a private CA is trusted by both variables that the failure names, also beside another', async () => {
  const server = emulate('--tls');
  const to = await server.says(/https:\S+\/callback/);
  const ca = await server.says(/\/\S+\.pem/);
  const other = join(folder, 'other.pem');
  writeFileSync(other, makeCertificate({ isAuthority: true }).cert);
  const refused = await signUp(to, { HOME: folder, AUTHCLI_CA: other });
  assert.match(refused.stderr, /^fix: .* --ca FILE .*NODE_EXTRA_CA_CERTS/m);
  for (const [extra, AUTHCLI_CA] of [
    ['', ca],
    [ca, other],
  ] as const) {
    const env = { HOME: folder, NODE_EXTRA_CA_CERTS: extra, AUTHCLI_CA };
    assert.equal((await signUp(to, env)).status, 0);
  }
});

it('jobs that share a home at the same time lose nothing', async () => {
  const env = { HOME: join(folder, 'shared') };
  const jobs = await Promise.all([1, 2, 3, 4].map(() => signUp(url, env)));
  assert.ok(jobs.every(({ status }) => status === 0));
  const { ended } = start(process.execPath, [bin, 'users', 'list', '--json'], { env });
  assert.equal(JSON.parse((await ended).stdout).users.length, jobs.length);
});
