import { checks } from '../src/conformance/catalogue.ts';
import { requirementsOf } from '../src/conformance/requirements.ts';
import { signinChecks } from '../src/conformance/signin-catalogue.ts';

/** Where a version of the requirements is published. */
export const requirementsFile = (version: number) => `schemas/requirements-${version}.json`;

/** The checks of a version with their levels. */
export function requirementsText(version: number): string {
  const all = [
    ...requirementsOf(checks, version).map(({ id, level }) => [id, level]),
    ...requirementsOf(signinChecks, version).map(({ id, level }) => [id, level]),
  ];
  const document = { schema: 'authcli/requirements/1', version, checks: Object.fromEntries(all) };
  return `${JSON.stringify(document, null, 2)}\n`;
}
