import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { manPages } from './man-pages.ts';

/**
 * The texts in dist/ that the build derives, by their file: the version, which bin/authcli.js prints before it loads
 * anything, the manual pages, and the OpenAPI document in JSON.
 */
export async function derivedTexts(): Promise<ReadonlyMap<string, string>> {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  const texts = new Map([['version.txt', `${version}\n`]]);
  for (const [name, text] of await manPages(version)) texts.set(`man/${name}`, text);
  const interfaceYaml = readFileSync('schemas/openapi.yaml', 'utf8');
  texts.set('openapi.json', JSON.stringify(parse(interfaceYaml)));
  return texts;
}
