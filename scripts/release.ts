/**
 * Builds a release (`npm run release`) into `release/`, or with `--to FOLDER` elsewhere: the package for npm, an
 * archive with an executable for each platform, bills of materials and SHA256SUMS. `npm run release -- linux-x64`
 * builds only that; `package` is the package. The same commit gives the same files.
 */
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { packages } from './build.ts';
import { billFile, billOf, billWithNode, manifest, packPackage } from './published.ts';
import { checksumLine, packArchive } from './release/archive.ts';
import { makeBlob, makeExecutable } from './release/executable.ts';
import {
  fetchNode,
  hostPlatform,
  type NodePackage,
  type Platform,
  platforms,
} from './release/node.ts';

const { values, positionals } = parseArgs({
  options: { to: { type: 'string' } },
  allowPositionals: true,
});
const known = ['package', ...platforms];
const chosen = positionals.length > 0 ? positionals : known;
const unknown = chosen.find((part) => !known.includes(part));
if (unknown !== undefined) throw new Error(`${unknown} is not one of ${known.join(', ')}.`);

const target = resolve(values.to ?? 'release');
if (values.to === undefined) rmSync(target, { recursive: true, force: true });
mkdirSync(target, { recursive: true });
const release = `${manifest.name}-${manifest.version}`;
const bill = billOf(manifest.name, packages);
const work = mkdtempSync(join(tmpdir(), 'authcli-release-'));
try {
  const files = [
    ...(chosen.includes('package') ? [packed()] : []),
    ...(await archives(platforms.filter((platform) => chosen.includes(platform)))),
  ].flat();
  const sums = files.sort().map((name) => checksumLine(join(target, name), name));
  writeFileSync(join(target, 'SHA256SUMS'), sums.join(''));
} finally {
  rmSync(work, { recursive: true });
}

function packed(): readonly string[] {
  packPackage(target, bill);
  writeFileSync(join(target, `${release}.cdx.json`), bill);
  return [`${release}.tgz`, `${release}.cdx.json`];
}

async function archives(wanted: readonly Platform[]): Promise<readonly string[]> {
  if (wanted.length === 0) return [];
  const host = hostPlatform();
  const names = [...new Set([host, ...wanted])];
  const nodes = new Map(names.map((platform) => [platform, fetchNode(platform, work)]));
  const own = nodes.get(host);
  if (own === undefined) throw new Error(`Node for ${host} was not fetched.`);
  const blob = makeBlob(own.executable, work);
  const files: string[] = [];
  for (const platform of wanted) {
    const node = nodes.get(platform) ?? own;
    files.push(...(await archive(platform, node, { blob, license: own.license })));
  }
  return files;
}

/** The archive of a platform, laid out as `/usr/local` is, and its bill. */
async function archive(
  platform: Platform,
  node: NodePackage,
  { blob, license }: { readonly blob: Buffer; readonly license: string },
): Promise<readonly string[]> {
  const name = `${release}-${platform}`;
  const folder = join(work, name);
  for (const part of ['bin', 'share/man']) mkdirSync(join(folder, part), { recursive: true });
  const file = platform === 'win-x64' ? 'authcli.exe' : 'authcli';
  await makeExecutable(join(folder, 'bin', file), { platform, node: node.executable, blob });
  cpSync('dist/man', join(folder, 'share/man/man1'), { recursive: true });
  for (const text of ['LICENSE', 'THIRD_PARTY_NOTICES']) cpSync(text, join(folder, text));
  cpSync(license, join(folder, 'LICENSE.node'));
  const own = billWithNode(bill, node);
  for (const path of [join(folder, billFile), join(target, `${name}.cdx.json`)])
    writeFileSync(path, own);
  packArchive(join(target, `${name}.tar.gz`), work, name);
  return [`${name}.tar.gz`, `${name}.cdx.json`];
}
