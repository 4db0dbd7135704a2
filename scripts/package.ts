/**
 * Builds and packs authcli into a folder (`npm run package`, or `npm run package -- FOLDER`).
 *
 * The tarball contains a manifest without what is for a clone alone (scripts, development packages, and so
 * `prepare`), and the bill of materials of the packages that are bundled.
 */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { packages } from './build.ts';
import { billFile, billOf, publishedManifest } from './published.ts';

const [target = '.'] = process.argv.slice(2);
const manifest = JSON.parse(readFileSync('package.json', 'utf8'));
const staged = mkdtempSync(join(tmpdir(), 'authcli-package-'));
try {
  for (const name of ['README.md', 'LICENSE', ...manifest.files]) {
    cpSync(name, join(staged, name), { recursive: true });
  }
  const text = JSON.stringify(publishedManifest(manifest), undefined, 2);
  writeFileSync(join(staged, 'package.json'), `${text}\n`);
  writeFileSync(join(staged, billFile), billOf(manifest.name, packages));
  const args = ['pack', '--silent', '--pack-destination', resolve(target)];
  execFileSync('npm', args, { cwd: staged, stdio: 'inherit' });
} finally {
  rmSync(staged, { recursive: true });
}
