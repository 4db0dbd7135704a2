import { checks } from '../../conformance/catalogue.ts';
import { signinChecks } from '../../conformance/signin-catalogue.ts';
import { applicationFaults, serviceFaults } from '../../emulator/faults.ts';

type Row = readonly [name: string, title: string, description: string, source: string | object];

const faultsOf = (faults: typeof applicationFaults | typeof serviceFaults) =>
  faults.map(({ name, title, check, diagnosis }) => ({ name, title, check, diagnosis }));

/** The texts that agents can read: files of the package, and values that are read as JSON. */
export const resources: readonly Row[] = [
  [
    'interface',
    'The interface',
    'What an application has to do, step by step: both callbacks and the sign-in, with the right calls per language',
    'docs/integrate.md',
  ],
  [
    'openapi',
    'The interface as OpenAPI 3.1',
    'Every operation with its fields, for generators and validators; `x-open` marks what is left open',
    'schemas/openapi.yaml',
  ],
  [
    'decisions',
    'What the interface leaves open',
    'The open questions, what authcli does, and the settings for them',
    'docs/open-questions.md',
  ],
  [
    'diagnoses',
    'The diagnoses',
    'Every diagnosis: what it means, how it is recognised, and the right call per language; explain returns one of them',
    'docs/diagnoses.md',
  ],
  [
    'checks',
    'The checks of verify',
    'Every check with its requirement and the section of the interface',
    {
      checks: [...checks, ...signinChecks].map(({ id, title, section, sentence, level }) => {
        return { id, title, section, sentence, level };
      }),
    },
  ],
  [
    'faults',
    'The faults of the emulators',
    'Every wrong response that emulate_start offers',
    { application: faultsOf(applicationFaults), service: faultsOf(serviceFaults) },
  ],
];
