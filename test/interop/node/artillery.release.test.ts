/*
 * An exported load under the real Artillery (478 MB), which is installed with the Node that it needs. What it counted is
 * what the application saw, and what a run of `load` counts.
 */

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { arch, platform, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, it } from 'node:test';
import { Installation } from '../../bench/installation.ts';

const nodePackage = `node-${platform()}-${arch()}`;
const faulty = 3;

const installed = mkdtempSync(join(tmpdir(), 'authcli-artillery-'));
const authcli = new Installation(process.execPath, resolve('bin/authcli.js'));
after(() => {
  authcli.close();
  rmSync(installed, { recursive: true, force: true });
});

it('runs an exported load under Artillery, with the counts of load itself', async () => {
  install();
  const url = await authcli.emulate('application');
  const folder = join(authcli.folder, 'exported');
  // So few a second that no call comes between the two of one user.
  const rate = ['--rate', '2', '--duration', '10s'];
  authcli.output(['load', 'export', '--out', folder, '--url', url, ...rate]);
  await spoil(url);
  const report = join(authcli.folder, 'report.json');
  runArtillery(folder, report);
  const { counters } = JSON.parse(readFileSync(report, 'utf8')).aggregate;
  assert.equal(counters['authcli.failed'], faulty);
  assert.equal(counters['authcli.error.oaep-sha1'], faulty);
  assert.equal(counters['authcli.succeeded'], 20 - faulty, 'every virtual user is one sign-up');
  assert.equal(await registered(url), 20 - faulty, 'as many as the application registered');

  await spoil(url);
  // One after the other: the next calls are those of the next three users.
  const own = ['--signups', '20', '--concurrency', '1', '--max-errors', '50%'];
  const { succeeded, failed, errors } = JSON.parse(
    authcli.output(['load', '--url', url, ...own, '--json']),
  );
  assert.deepEqual([succeeded, failed, errors], [20 - faulty, faulty, { 'oaep-sha1': faulty }]);
});

function install(): void {
  const packages = ['artillery@2', `${nodePackage}@24`];
  const flags = ['--prefix', installed, '--no-save', '--no-audit', '--no-fund', '--ignore-scripts'];
  execFileSync('npm', ['install', ...flags, ...packages], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

function runArtillery(folder: string, report: string): void {
  const modules = join(installed, 'node_modules');
  const node = join(modules, nodePackage, 'bin', 'node');
  const artillery = resolve(modules, 'artillery', 'bin', 'run');
  execFileSync(node, [artillery, 'run', 'artillery.yml', '--output', report], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, ARTILLERY_DISABLE_TELEMETRY: 'true' },
  });
}

/** The next three calls get a key that is wrapped in the wrong way. */
async function spoil(url: string): Promise<void> {
  await fetch(new URL('/_authcli/faults', url), {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'oaep-sha1', times: faulty }),
  });
}

/** How many registrations the application has accepted. */
async function registered(url: string): Promise<number> {
  const response = await fetch(new URL('/_authcli/journal?operation=registration&code=0000', url));
  const { entries } = (await response.json()) as { entries: readonly unknown[] };
  return entries.length;
}
