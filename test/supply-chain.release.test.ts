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

/** Whether a range of npm's takes Node 20.19.0: `>=`, `<`, `^` and bare comparators, with `x` or parts left out, `||` between. */
function takesOldest(range: string): boolean {
  return range.split('||').some((alternative) =>
    [...alternative.matchAll(/([^\d.x*\s]*) *([\d.x*]+)/g)].every(([, operator, text = '']) => {
      const parts = text.split('.').filter((part) => /\d/.test(part));
      const isPrefix = parts.every((part, index) => Number(part) === [20, 19, 0][index]);
      if (operator === '') return isPrefix;
      const [major = 0, minor = 0, patch = 0] = parts.map(Number);
      const isBelow = major * 1e6 + minor * 1e3 + patch <= 20_019_000;
      if (operator === '>=') return isBelow;
      if (operator === '^') return isBelow && major === 20;
      if (operator === '<') return !isBelow;
      throw new Error(`${operator} in ${range}`);
    }),
  );
}

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
    none(({ engines }) => engines?.node !== undefined && !takesOldest(engines.node));
  });

  it('is read right', () => {
    const fitting = '>=20.19/20.19.0/20.x/^20.17.0 || >=22.9.0/20 || >=22/>=22 || >=20.19.0 <21/*';
    const others =
      '>=20.20/>=20.19.1/^20.19.1/20.18.0/20.18/18.x/^22.13.0 || >=23.5.0/>=20.0.0 <20.19.0';
    for (const range of fitting.split('/')) assert.ok(takesOldest(range), range);
    for (const range of others.split('/')) assert.ok(!takesOldest(range), range);
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
    const require = createRequire(import.meta.url);
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
    type Component = { purl: string; 'bom-ref': string; licenses: [Licence] };
    type Licence = { license?: { id: string }; expression?: string };
    const listed = components.map(({ purl, licenses: [{ license, expression }] }: Component) =>
      [decodeURIComponent(purl), license?.id ?? expression].join(' '),
    );
    const expected = bundled.map((each) => `pkg:npm/${each.name}@${each.version} ${each.license}`);
    assert.deepEqual(listed.sort(), expected.sort());
    const refs = components.map((each: Component) => each['bom-ref']);
    const known = new Set([`authcli@${manifest.version}`, ...refs]);
    for (const { ref, dependsOn } of dependencies)
      for (const each of [ref, ...dependsOn]) assert.ok(known.has(each), each);
  });

  it('contains nothing whose licence forbids it', () => {
    for (const { name, license } of bundled) assert.ok(allowed.has(license), name);
  });

  it("leaves the clone's own list of packages whole", async () => {
    const { stdout } = await promisify(execFile)('npm', ['run', '--silent', 'sbom'], {
      maxBuffer: 64 * 1_048_576,
    });
    const listed: readonly { 'bom-ref': string }[] = JSON.parse(stdout).components;
    for (const name of Object.keys(manifest.devDependencies))
      assert.ok(
        listed.some((each) => each['bom-ref'].startsWith(`${name}@`)),
        name,
      );
  });
});
