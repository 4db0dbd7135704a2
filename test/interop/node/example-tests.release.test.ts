import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';

it("runs the example's tests in node:test and vitest, with the package", () => {
  const folder = mkdtempSync(join(tmpdir(), 'authcli-example-tests-'));
  execFileSync('npm', ['run', 'package', '--', folder]);
  const [tarball = ''] = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
  execFileSync('bash', ['.ci/examples', join(folder, tarball)]);
});
