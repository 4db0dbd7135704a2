import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A package of which the bundles contain files. */
export interface BundledPackage {
  readonly folder: string;
  readonly name: string;
  readonly version: string;
  readonly license: string;
}

/** The packages that the inputs of the bundles come from or contain, by name. */
export function packagesOf(inputs: readonly string[]): readonly BundledPackage[] {
  const folders = new Set(inputs.map(packageFolder).filter((folder) => folder !== undefined));
  const own = [...folders].sort().map((folder) => packageIn(folder));
  const contained = new Map(inputs.flatMap(containedIn).map((each) => [each.folder, each]));
  return [...own, ...contained.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

function packageIn(folder: string): BundledPackage {
  const { name, version, license } = JSON.parse(
    readFileSync(join(folder, 'package.json'), 'utf8'),
  ) as Omit<BundledPackage, 'folder'>;
  return { folder, name, version, license };
}

/** Packages whose code a bundler has put into the file of another package, as it notes there. */
function containedIn(input: string): readonly BundledPackage[] {
  const folder = packageFolder(input);
  if (folder === undefined || !/\.[cm]?js$/.test(input)) return [];
  const regions = readFileSync(input, 'utf8').matchAll(
    /^\/\/#region .*node_modules\/\.pnpm\/[^@/]+@([^/_]+)[^/]*\/node_modules\/([^@/]+)\//gm,
  );
  const modules = folder.replace(/node_modules\/.*$/, 'node_modules');
  return [...regions].map(([, version = '', name = '']) => ({
    ...packageIn(join(modules, name)),
    version,
  }));
}

function packageFolder(input: string): string | undefined {
  return /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input.replaceAll('\\', '/'))?.[0];
}

/**
 * The licences of the packages that are in the bundles, each text once, and texts of one licence together, which
 * compresses well. Throws if a package comes without a licence text: it must not be shipped then.
 */
export function noticesOf(packages: readonly BundledPackage[]): string {
  const head = 'authcli contains parts of these packages, each under the licence below it.\n';
  const named = new Map<string, readonly string[]>();
  const byLicence = packages.toSorted((a, b) => a.license.localeCompare(b.license, 'en'));
  for (const each of byLicence) {
    const text = licenceText(each);
    const name = `${each.name} ${each.version} (${each.license})`;
    named.set(text, [...(named.get(text) ?? []), name]);
  }
  const notices = [...named].map(([text, names]) => `${names.join('\n')}\n\n${text}\n`);
  return [head, ...notices].join(`\n${'-'.repeat(78)}\n\n`);
}

function licenceText({ folder, name, version }: BundledPackage): string {
  const licence = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  if (licence === undefined) throw new Error(`${name} ${version} has no licence text in ${folder}`);
  return readFileSync(join(folder, licence), 'utf8').trim();
}
