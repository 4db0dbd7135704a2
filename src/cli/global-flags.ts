import { type OptionsOf, optional, toggle } from './options.ts';

const output = { group: 'output' } as const;

/** What every command takes, before or after its name. */
export const globalFlags = {
  json: toggle('--json', 'print one JSON document', output),
  quiet: toggle('--quiet', 'no notes, no progress', output),
  verbose: toggle('--verbose', 'say more', output),
  trace: toggle('--trace', 'show the wire, secrets redacted', output),
  debug: toggle('--debug', 'show what a report of a bug needs, secrets always redacted', output),
  noColor: toggle('--no-color', 'no colour', output),
  noInput: toggle('--no-input', 'never ask'),
  showSecrets: toggle('--show-secrets', 'show keys, passcodes and tokens', output),
  allowLoosePermissions: toggle(
    '--allow-loose-permissions',
    'follow file: references also to files that others can read',
  ),
  config: optional('--config <file>', 'the config file to use', { input: 'path' }),
  profile: optional('--profile <name>', 'the profile to use', {
    input: 'word',
    candidates: 'profile',
  }),
} as const;

export type GlobalOptions = OptionsOf<typeof globalFlags>;
