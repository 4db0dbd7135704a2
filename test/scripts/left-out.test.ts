import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';

const compiled = fileURLToPath(new URL('../../', import.meta.url));

describe('tests that are left out because a program is not installed', () => {
  it('are counted on a machine that has none of the programs', () => {
    const folder = join(compiled, 'test/interop');
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.test.js'))
      .map((file) => join(folder, file));
    const counter = join(compiled, 'scripts/test/count.js');
    const env = { PATH: '', TMPDIR: tmpdir() };
    const run = spawnSync(process.execPath, [counter, ...files], { encoding: 'utf8', env });
    assert.equal(run.status, 0, run.stderr);
    assert.ok(Number(run.stdout) > files.length, run.stdout);
  });
});
