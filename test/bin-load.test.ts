import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, describe, it } from 'node:test';

const bin = resolve('bin/authcli.js');
const folder = mkdtempSync(join(tmpdir(), 'authcli-bin-load-'));

describe('a load by the installed program', () => {
  after(() => rmSync(folder, { recursive: true, force: true }));

  it('runs in threads of Node, which share what they count', () => {
    const load = ['load', '--signups', '40', '--workers', '2', '--key-pairs', '1', '--json'];
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [bin, 'emulate', 'app', '--', process.execPath, bin, ...load],
      { encoding: 'utf8', env: { ...process.env, AUTHCLI_CONFIG: join(folder, 'config.json') } },
    );
    assert.equal(status, 0, stderr);
    const document = JSON.parse(stdout) as Record<string, unknown>;
    assert.deepEqual([document.attempted, document.succeeded, document.workers], [40, 40, 2]);
    assert.ok(Number(document.cpu_ms) > 10);
  });
});
