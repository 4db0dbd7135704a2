/** Writes the pages of docs/ that are made from the source. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { cliPage } from './cli-page.ts';
import { diagnosesPage } from './diagnoses-page.ts';

mkdirSync('docs', { recursive: true });
writeFileSync('docs/diagnoses.md', diagnosesPage());
writeFileSync('docs/cli.md', await cliPage());
