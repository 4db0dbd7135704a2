import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { application, serve } from '../conformance/support.ts';
import { bin, start } from '../support/program.ts';

it('verify --every reads the profile again on SIGHUP in a pause, and ends on SIGTERM', async (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'authcli-every-signals-'));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  const endpoint = await serve(application());
  context.after(() => endpoint.close());
  const argv = ['verify', '--url', endpoint.url.href, '--safe', '--every', '1h', '--json'];
  const env = { AUTHCLI_CONFIG: join(folder, 'config.json'), TMPDIR: folder };
  const running = start(process.execPath, [bin, ...argv], { env });
  context.after(() => running.child.kill('SIGKILL'));
  running.child.stdin?.end();
  await running.says('"event":"run"');
  running.child.kill('SIGHUP');
  await running.says('"event":"reloaded"');
  running.child.kill('SIGTERM');
  const { status, stdout, stderr } = await running.ended;
  assert.equal(status, 143, stderr);
  assert.match(stdout, /"event":"ended","runs":1,"passed":1/);
});
