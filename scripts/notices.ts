import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A package of which the bundles contain files. */
export interface BundledPackage {
  readonly folder: string;
  readonly name: string;
  readonly version: string;
  readonly license: string;
}

/** The packages that the inputs of the bundles come from, by name. */
export function packagesOf(inputs: readonly string[]): readonly BundledPackage[] {
  const folders = new Set(inputs.map(packageFolder).filter((folder) => folder !== undefined));
  return [...folders].sort().map((folder) => {
    const { name, version, license } = JSON.parse(
      readFileSync(join(folder, 'package.json'), 'utf8'),
    ) as Omit<BundledPackage, 'folder'>;
    return { folder, name, version, license };
  });
}

function packageFolder(input: string): string | undefined {
  return /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input.replaceAll('\\', '/'))?.[0];
}

/**
 * The licences of the packages that are in the bundles.
 * Throws if a package comes without a licence text: it must not be shipped then.
 */
export function noticesOf(packages: readonly BundledPackage[]): string {
  const head = 'authcli contains parts of the packages below, each under its own licence.\n';
  return [head, ...packages.map(notice)].join(`\n${'-'.repeat(78)}\n\n`);
}

function notice({ folder, name, version, license }: BundledPackage): string {
  const licence = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  if (licence === undefined) throw new Error(`${name} ${version} has no licence text in ${folder}`);
  const text = readFileSync(join(folder, licence), 'utf8').trim();
  return `${name} ${version} (${license})\n\n${text}\n`;
}
