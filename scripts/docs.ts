/** Writes the pages of docs/ that are made from the source, and the newest version of the requirements. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { requirementVersion } from '../src/conformance/requirements.ts';
import { diagnosesPage } from '../src/reports/diagnoses-page.ts';
import { cliPage } from './cli-page.ts';
import { requirementsFile, requirementsText } from './requirements-file.ts';

mkdirSync('docs', { recursive: true });
writeFileSync('docs/diagnoses.md', diagnosesPage());
writeFileSync('docs/cli.md', await cliPage());
const newest = requirementVersion();
writeFileSync(requirementsFile(newest), requirementsText(newest));
