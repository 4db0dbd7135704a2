import { checks } from '../../conformance/catalogue.ts';
import { signinChecks } from '../../conformance/signin-catalogue.ts';
import { applicationFaults, serviceFaults } from '../../emulator/faults.ts';
import type { Context } from '../context.ts';

/** A text that agents can read. */
export interface Resource {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly mimeType: string;
  readonly read: (context: Context) => Promise<string>;
}

export const resources: readonly Resource[] = [
  page(
    'interface',
    'The interface',
    'docs/integrate.md',
    'What an application has to do, step by step: both callbacks and the sign-in, with the right calls per language',
  ),
  {
    name: 'openapi',
    title: 'The interface as OpenAPI 3.1',
    description:
      'Every operation with its fields, for generators and validators; `x-open` marks what is left open',
    mimeType: 'application/yaml',
    read: (context) => context.packageText('schemas/openapi.yaml'),
  },
  page(
    'decisions',
    'What the interface leaves open',
    'docs/open-questions.md',
    'The open questions, what authcli does, and the settings for them',
  ),
  page(
    'diagnoses',
    'The diagnoses',
    'docs/diagnoses.md',
    'Every diagnosis: what it means, how it is recognised, and the right call per language; explain returns one of them',
  ),
  list(
    'checks',
    'The checks of verify',
    'Every check with its requirement and the section of the interface',
    async () => ({
      checks: [...checks, ...signinChecks].map(({ id, title, section, sentence, level }) => ({
        id,
        title,
        section,
        sentence,
        level,
      })),
    }),
  ),
  list(
    'faults',
    'The faults of the emulators',
    'Every wrong response that emulate_start offers',
    async () => ({
      application: applicationFaults.map(faultFields),
      service: serviceFaults.map(faultFields),
    }),
  ),
];

function page(name: string, title: string, path: string, description: string): Resource {
  const read = (context: Context) => context.packageText(path);
  return { name, title, description, mimeType: 'text/markdown', read };
}

function list(
  name: string,
  title: string,
  description: string,
  value: () => Promise<unknown>,
): Resource {
  const read = async () => JSON.stringify(await value(), null, 2);
  return { name, title, description, mimeType: 'application/json', read };
}

function faultFields({
  name,
  title,
  check,
  diagnosis,
}: {
  readonly name: string;
  readonly title: string;
  readonly check?: unknown;
  readonly diagnosis?: unknown;
}) {
  return { name, title, check, diagnosis };
}
