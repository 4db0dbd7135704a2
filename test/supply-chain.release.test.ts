import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import { Spec, Validation } from '@cyclonedx/cyclonedx-library';
import { billOf, publishedManifest } from '../scripts/published.ts';

/*
 * What is installed to build, test and run authcli: exactly pinned, on every supported Node, under
 * licences that allow it, and without running anything at the installation.
 */

interface Entry {
  readonly version?: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly license?: string;
  readonly engines?: { readonly node?: string };
  readonly hasInstallScript?: boolean;
}

const manifest = JSON.parse(readFileSync('package.json', 'utf8'));
const lock = JSON.parse(readFileSync('package-lock.json', 'utf8'));
const entries = Object.entries<Entry>(lock.packages).filter(([path]) => path !== '');
const notices = readFileSync('THIRD_PARTY_NOTICES', 'utf8');

/** Fails with the packages of which this is true, but for the expected ones. */
function none(isWrong: (entry: Entry) => boolean, ...expected: readonly string[]): void {
  const wrong = entries.filter(([, entry]) => isWrong(entry)).map(([path]) => path);
  assert.deepEqual(wrong, expected);
}

/** Permissive licences for what is bundled, and for what only builds and tests also weak copyleft. */
const allowed = new Set([
  ...['MIT', 'ISC', '0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'BlueOak-1.0.0'],
  ...['MIT OR Apache-2.0', '(MIT OR CC0-1.0)', '(BSD-3-Clause OR GPL-2.0)'],
]);
const allowedInDevelopment = new Set([...allowed, 'CC0-1.0', 'MPL-2.0', 'PSF-2.0']);

const require = createRequire(import.meta.url);
const { satisfies } = require('semver') as { satisfies(version: string, range: string): boolean };

describe('the lockfile', () => {
  it('is of this version, pins each package by version and digest, and names no registry', () => {
    assert.equal(lock.version, manifest.version);
    assert.equal(lock.lockfileVersion, 3);
    assert.ok(entries.length > 50);
    const isPinned = ({ version = '', integrity = '', resolved }: Entry): boolean =>
      /^\d+\.\d+\.\d+/.test(version) && /^sha512-/.test(integrity) && resolved === undefined;
    none((entry) => !isPinned(entry));
  });

  it('contains nothing that needs a newer Node', () => {
    none(({ engines }) => engines?.node !== undefined && !satisfies('20.19.0', engines.node));
  });

  it('contains no licence that forbids its use here', () => {
    none(({ license = 'none' }) => !allowedInDevelopment.has(license));
  });

  it('needs no install script: the one of esbuild, in tsx, only makes its start faster', () => {
    none(({ hasInstallScript }) => hasInstallScript === true, 'node_modules/esbuild');
    for (const name of ['preinstall', 'install', 'postinstall'])
      assert.equal(manifest.scripts[name], undefined, name);
  });
});

describe('what the bundles replace of packages', () => {
  const { devDependencies } = manifest;

  it('is of packages that are pinned exactly', () => {
    for (const name of ['conf', 'ajv', 'ajv-formats', 'undici'])
      assert.match(devDependencies[name] ?? '', /^\d+\.\d+\.\d+$/, name);
    assert.equal(lock.packages['node_modules/conf/node_modules/ajv'], undefined);
  });

  it('is what conf imports of ajv, and asks for with a schema alone', () => {
    const text = readFileSync('node_modules/conf/dist/source/index.js', 'utf8');
    const imported = [...text.matchAll(/from '(ajv[^']*)'/g)].map(([, path]) => path);
    assert.deepEqual(imported, ['ajv/dist/2020.js', 'ajv-formats']);
    assert.match(notices, /^conf 15/m);
    // The one that the MCP server contains is another.
    const { ajv = '' } = devDependencies;
    assert.ok(!notices.includes(`\najv ${ajv} `), ajv);
  });

  it("is undici's own client, at its path", () => {
    const undici = require('undici') as typeof import('undici');
    assert.equal(require('undici/lib/dispatcher/client.js'), undici.Client);
    const connect = require('undici/lib/api/api-connect.js') as unknown;
    assert.equal(connect, Reflect.get(undici.Dispatcher.prototype, 'connect'));
  });
});

describe('the published package', () => {
  const bundled = [...notices.matchAll(/^(@?[\w./-]+) (\d+\.\d+\.\d+\S*) \((.+)\)$/gm)].map(
    ([, name = '', version = '', license = '']) => ({ folder: '', name, version, license }),
  );
  const bill = billOf(manifest.name, bundled);
  const { bomFormat, specVersion, metadata, components, dependencies } = JSON.parse(bill);

  it('depends on nothing, and runs nothing when it is installed', () => {
    const published = publishedManifest(manifest);
    for (const field of ['dependencies', 'devDependencies', 'overrides', 'scripts'])
      assert.equal(field in published, false, field);
    for (const field of ['name', 'version', 'bin', 'exports', 'types', 'engines', 'license'])
      assert.deepEqual(published[field], manifest[field], field);
    assert.ok(published.files.includes('sbom.cdx.json'));
    assert.ok(published.files.includes('THIRD_PARTY_NOTICES'));
    assert.equal('dependencies' in manifest, false);
  });

  it('has a bill of materials that the schema of CycloneDX accepts', async () => {
    assert.equal(bomFormat, 'CycloneDX');
    const version = Object.values(Spec.Version).find((known) => known === specVersion);
    assert.ok(version !== undefined && Number(version) >= 1.5, specVersion);
    const validator = new Validation.JsonStrictValidator(version);
    assert.equal(await validator.validate(bill), null);
    const damaged = bill.replace('"type": "library"', '"type": "libary"');
    assert.notEqual(await validator.validate(damaged), null);
  });

  it('lists every package whose code is in it, with version and licence, and no other', () => {
    const { name, version } = metadata.component;
    assert.deepEqual([name, version], ['authcli', manifest.version]);
    const names = bundled.map((each) => each.name);
    for (const expected of ['commander', 'chalk', 'undici', 'conf', 'proper-lockfile'])
      assert.ok(names.includes(expected), expected);
    type Licence = { license?: { id: string }; expression?: string };
    type Component = { purl: string; 'bom-ref': string; licenses: [Licence] };
    const listed = components.map(({ purl, licenses: [{ license, expression }] }: Component) =>
      [decodeURIComponent(purl), license?.id ?? expression].join(' '),
    );
    const expected = bundled.map((each) => `pkg:npm/${each.name}@${each.version} ${each.license}`);
    assert.deepEqual(listed.sort(), expected.sort());
    const known = [metadata.component, ...components].map((each: Component) => each['bom-ref']);
    for (const { ref, dependsOn } of dependencies)
      for (const each of [ref, ...dependsOn]) assert.ok(known.includes(each), each);
  });

  it('contains nothing whose licence forbids it', () => {
    for (const { name, license } of bundled) assert.ok(allowed.has(license), name);
  });

  it("leaves the clone's own list of packages whole", async () => {
    const options = { maxBuffer: 64 * 1_048_576 };
    const argv = ['run', '--silent', 'sbom'];
    const { stdout } = await promisify(execFile)('npm', argv, options);
    const refs = JSON.parse(stdout).components.map(
      (each: { 'bom-ref': string }) => each['bom-ref'],
    );
    for (const name of Object.keys(manifest.devDependencies))
      assert.ok(refs.join(' ').includes(`${name}@`), name);
  });
});
