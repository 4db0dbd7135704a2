import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';

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
  readonly dev?: boolean;
  readonly devOptional?: boolean;
  readonly hasInstallScript?: boolean;
}

const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as {
  readonly version: string;
  readonly scripts: Readonly<Record<string, string>>;
};
const lock = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
  readonly lockfileVersion: number;
  readonly version: string;
  readonly packages: Readonly<Record<string, Entry>>;
};
const entries = Object.entries(lock.packages).filter(([path]) => path !== '');
const wrong = (isWrong: (entry: Entry) => boolean): readonly string[] =>
  entries.filter(([, entry]) => isWrong(entry)).map(([path]) => path);

/** Permissive licences, and for what only tests and checks use also weak copyleft. */
const allowed = new Set([
  'MIT',
  'ISC',
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'MIT OR Apache-2.0',
  '(MIT OR CC0-1.0)',
  '(BSD-3-Clause OR GPL-2.0)',
]);
const allowedInDevelopment = new Set([...allowed, 'MPL-2.0']);

type Version = readonly [major: number, minor: number, patch: number];
const oldest: Version = [20, 19, 0];

const compare = (left: Version, right: Version): number =>
  left.map((part, index) => part - (right[index] ?? 0)).find((part) => part !== 0) ?? 0;

/** Whether a range of npm's takes a version: `>=`, `^`, bare and `x` comparators, `||` between. */
function takes(range: string, version: Version): boolean {
  return range.split('||').some((alternative) => {
    const comparators = alternative.trim().replace(/>=\s+/g, '>=').split(/\s+/);
    return comparators.every((comparator) => takesOne(comparator, version));
  });
}

function takesOne(comparator: string, version: Version): boolean {
  const [, operator = '', text = ''] = /^(>=|\^|)(.*)$/.exec(comparator) ?? [];
  if (text === '' || text === '*') return true;
  const parts = text.split('.').map((part) => (/^\d+$/.test(part) ? Number(part) : undefined));
  const [major = 0, minor = 0, patch = 0] = parts;
  const least: Version = [major, minor, patch];
  if (operator === '>=') return compare(version, least) >= 0;
  if (operator === '^') return version[0] === major && compare(version, least) >= 0;
  return parts.every((part, index) => part === undefined || part === version[index]);
}

describe('the lockfile', () => {
  it('is of this version, pins each package by version and digest, and names no registry', () => {
    assert.equal(lock.version, manifest.version);
    assert.equal(lock.lockfileVersion, 3);
    assert.ok(entries.length > 50);
    assert.deepEqual(
      wrong(({ version }) => !/^\d+\.\d+\.\d+/.test(version ?? '')),
      [],
    );
    assert.deepEqual(
      wrong(({ integrity }) => !integrity?.startsWith('sha512-')),
      [],
    );
    assert.deepEqual(
      wrong(({ resolved }) => resolved !== undefined),
      [],
    );
  });

  it('holds nothing that needs a newer Node', () => {
    assert.deepEqual(
      wrong(({ engines }) => engines?.node !== undefined && !takes(engines.node, oldest)),
      [],
    );
  });

  for (const [range, expected] of [
    ['>=20.19', true],
    ['>=20.20', false],
    ['^20.17.0 || >=22.9.0', true],
    ['20 || >=22', true],
    ['18.x', false],
    ['^22.13.0 || >=23.5.0', false],
    ['10.* || >= 12.*', true],
    ['*', true],
  ] as const) {
    it(`is read right: ${range} ${expected ? 'takes' : "doesn't take"} 20.19`, () => {
      assert.equal(takes(range, oldest), expected);
    });
  }

  it('holds no licence that forbids its use here', () => {
    const isOdd = ({ license = 'none', dev, devOptional }: Entry): boolean =>
      !(dev || devOptional ? allowedInDevelopment : allowed).has(license);
    assert.deepEqual(wrong(isOdd), []);
  });

  it('needs no install script: the one of esbuild only makes its start faster', () => {
    assert.deepEqual(
      wrong(({ hasInstallScript }) => hasInstallScript === true),
      ['node_modules/esbuild'],
    );
    const names = ['preinstall', 'install', 'postinstall'];
    assert.deepEqual(
      names.filter((name) => name in manifest.scripts),
      [],
    );
  });
});

describe('the bill of materials', () => {
  it('is CycloneDX, and lists every package whose code is in the program', async () => {
    const { stdout } = await promisify(execFile)('npm', ['run', '--silent', 'sbom'], {
      maxBuffer: 64 * 1_048_576,
    });
    const bill = JSON.parse(stdout) as {
      bomFormat: string;
      components: { name: string; group?: string; version: string; licenses?: unknown[] }[];
    };
    assert.equal(bill.bomFormat, 'CycloneDX');
    const listed = new Set(
      bill.components.map(({ group, name, version }) =>
        [group === undefined ? name : `${group}/${name}`, version].join(' '),
      ),
    );
    const notices = readFileSync('THIRD_PARTY_NOTICES', 'utf8');
    const bundled = [...notices.matchAll(/^(@?[\w./-]+ \d+\.\d+\.\d+\S*) \(/gm)].map((m) => m[1]);
    assert.ok(bundled.length > 5);
    assert.deepEqual(
      bundled.filter((name) => !listed.has(name ?? '')),
      [],
    );
  });
});
