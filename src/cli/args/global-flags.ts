import { type Stack, stacks } from '../../errors.ts';
import { type OptionsOf, optional, toggle } from './options.ts';
import { byteSize, choice, nonEmpty } from './values.ts';

const output = { group: 'output' } as const;

/** What every command takes, before or after its name. */
export const globalFlags = {
  json: toggle('--json', 'print one JSON document', output),
  quiet: toggle(
    '--quiet',
    'results and failures only: no confirmations, notes, progress or next command',
    output,
  ),
  verbose: toggle(
    '--verbose',
    'also where values come from, curl lines, and fixes in every language',
    output,
  ),
  trace: toggle('--trace', 'print requests and responses, secrets redacted', output),
  noColor: toggle('--no-color', 'no colour', output),
  noInput: toggle('--no-input', 'never prompt'),
  showSecrets: toggle('--show-secrets', 'show keys, passcodes and tokens', output),
  maxInput: optional(
    '--max-input <size>',
    'refuse larger files and standard input; default 8MiB for report diff, 4MiB for users, 1MiB for values',
    { input: 'word', parse: byteSize },
  ),
  config: optional('--config <file>', 'the config file to use', {
    input: 'path',
    parse: nonEmpty,
  }),
  profile: optional('--profile <name>', 'the profile to use', {
    input: 'word',
    candidates: 'profile',
    parse: nonEmpty,
  }),
  stack: optional<Stack>('--stack <name>', 'the language of your application, for fixes', {
    input: 'word',
    choices: stacks,
    setting: 'stack',
    parse: choice(stacks),
  }),
} as const;

export type GlobalOptions = OptionsOf<typeof globalFlags>;
