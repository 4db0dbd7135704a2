/** Writes what is made from the source: pages of docs/, and the list of manual pages in package.json. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { diagnosesPage } from '../src/reports/diagnoses-page.ts';
import { cliPage } from './cli-page.ts';
import { manPaths } from './man-pages.ts';

mkdirSync('docs', { recursive: true });
writeFileSync('docs/diagnoses.md', diagnosesPage());
writeFileSync('docs/cli.md', await cliPage());

const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as Record<string, unknown>;
writeFileSync('package.json', `${JSON.stringify({ ...manifest, man: manPaths() }, null, 2)}\n`);
