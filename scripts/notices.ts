import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Writes the licences of the packages whose files went into the bundle.
 * Throws if a package comes without a licence text: it must not be shipped then.
 */
export function writeNotices(inputs: readonly string[], file: string): void {
  const folders = [...new Set(inputs.map(packageFolder).filter((folder) => folder !== undefined))];
  const notices = folders.sort().map(notice);
  const head = 'authcli contains parts of the packages below, each under its own licence.\n';
  writeFileSync(file, [head, ...notices].join(`\n${'-'.repeat(78)}\n\n`));
}

function packageFolder(input: string): string | undefined {
  return /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(input)?.[0];
}

function notice(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const licence = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  if (licence === undefined) throw new Error(`${name} ${version} has no licence text in ${folder}`);
  const text = readFileSync(join(folder, licence), 'utf8').trim();
  return `${name} ${version} (${license})\n\n${text}\n`;
}
