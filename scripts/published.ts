import { execFileSync } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { BundledPackage } from './notices.ts';
import type { NodePackage } from './release/node.ts';

/** The file of the published package that lists what is bundled. */
export const billFile = 'sbom.cdx.json';

/** What package.json contains that matters here. */
interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly files: readonly string[];
  readonly [field: string]: unknown;
}

export const manifest: Manifest = JSON.parse(readFileSync('package.json', 'utf8'));

/**
 * Packs what is published of the built clone into `target`: with a manifest without what is for a clone alone
 * (scripts, development packages, and so `prepare`), and the bill of materials.
 */
export function packPackage(target: string, bill: string): void {
  const staged = mkdtempSync(join(tmpdir(), 'authcli-package-'));
  try {
    const packed = manifest.files.filter((name) => !name.startsWith('!'));
    for (const name of ['README.md', 'LICENSE', ...packed])
      cpSync(name, join(staged, name), { recursive: true });
    const text = JSON.stringify(publishedManifest(manifest), undefined, 2);
    writeFileSync(join(staged, 'package.json'), `${text}\n`);
    writeFileSync(join(staged, billFile), bill);
    mkdirSync(target, { recursive: true });
    const args = ['pack', '--silent', '--pack-destination', resolve(target)];
    execFileSync('npm', args, { cwd: staged, stdio: 'inherit' });
  } finally {
    rmSync(staged, { recursive: true });
  }
}

/** The manifest of the published package: without what is for a clone alone, and with each manual page, which npm links by name only. */
export function publishedManifest(manifest: Manifest): Manifest {
  const { scripts, bundled, devDependencies, overrides, directories, ...published } = manifest;
  const man = readdirSync('dist/man').map((page) => `./dist/man/${page}`);
  return { ...published, man, files: [...manifest.files, billFile] };
}

/** The parts of CycloneDX that `npm sbom` writes and that are changed here. */
interface Bill {
  serialNumber?: string;
  metadata: { timestamp?: string; component: { 'bom-ref': string; name: string } };
  components: { 'bom-ref': string }[];
  dependencies: { ref: string; dependsOn: string[] }[];
}

/**
 * The bill of materials of the published package, CycloneDX: of what `npm sbom` lists of the clone, the
 * packages that are in the bundles, and what these contain. The same commit gives the same text.
 */
export function billOf(own: string, packages: readonly BundledPackage[]): string {
  const npm = ['sbom', '--sbom-format', 'cyclonedx', '--sbom-type', 'application'];
  const maxBuffer = 64 * 1_048_576;
  const bill = JSON.parse(execFileSync('npm', npm, { encoding: 'utf8', maxBuffer })) as Bill;
  const bundled = new Set(packages.map(({ name, version }) => `${name}@${version}`));
  const { component } = bill.metadata;
  component.name = own; // npm names it after the folder
  delete bill.serialNumber;
  delete bill.metadata.timestamp;
  const listed = bill.components.filter((each) => bundled.has(each['bom-ref']));
  const names = new Set(listed.map((each) => each['bom-ref']));
  const others = packages.filter(({ name, version }) => !names.has(`${name}@${version}`));
  bill.components = [
    ...listed.map((each) => ({ ...each, properties: [] })), // "development" in the clone, shipped here
    ...others.map(componentOf),
  ];
  if (bill.components.length !== bundled.size) throw new Error('npm sbom leaves packages out');
  bill.dependencies = [
    { ref: component['bom-ref'], dependsOn: [...bundled] },
    ...bill.dependencies
      .filter(({ ref }) => bundled.has(ref))
      .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((on) => bundled.has(on)) })),
  ];
  return `${JSON.stringify(bill, undefined, 2)}\n`;
}

/** The bill of an executable: that of the package, and the Node inside. */
export function billWithNode(
  text: string,
  { name, version, digest }: Omit<NodePackage, 'executable' | 'license'>,
): string {
  const bill = JSON.parse(text) as Bill;
  const ref = `${name}@${version}`;
  const node = {
    'bom-ref': ref,
    type: 'platform',
    name,
    version,
    cpe: `cpe:2.3:a:nodejs:node.js:${version}:*:*:*:*:*:*:*`,
    purl: `pkg:npm/${ref}`,
    hashes: [{ alg: 'SHA-512', content: Buffer.from(digest, 'base64').toString('hex') }],
    licenses: [{ license: { id: 'MIT' } }],
  };
  const [own, ...others] = bill.dependencies;
  if (own === undefined) throw new Error('the bill has no component of its own');
  bill.components.push(node);
  bill.dependencies = [
    { ...own, dependsOn: [...own.dependsOn, ref] },
    ...others,
    { ref, dependsOn: [] },
  ];
  return `${JSON.stringify(bill, undefined, 2)}\n`;
}

/** A package that another one contains in its own files, in a version that isn't installed. */
function componentOf({ name, version, license }: BundledPackage) {
  return {
    'bom-ref': `${name}@${version}`,
    type: 'library',
    name,
    version,
    purl: `pkg:npm/${name}@${version}`,
    properties: [],
    licenses: [{ license: { id: license } }],
  };
}
