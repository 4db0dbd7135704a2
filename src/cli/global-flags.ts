import { type OptionsOf, optional, toggle } from './options.ts';

/** What every command takes, before or after its name. */
export const globalFlags = {
  json: toggle('--json', 'print one JSON document'),
  quiet: toggle('--quiet', 'no notes, no progress'),
  verbose: toggle('--verbose', 'say more'),
  trace: toggle('--trace', 'show the wire, secrets redacted'),
  debug: toggle('--debug', 'show what a report of a bug needs, secrets always redacted'),
  noColor: toggle('--no-color', 'no colour'),
  noInput: toggle('--no-input', 'never ask'),
  showSecrets: toggle('--show-secrets', 'show keys, passcodes and tokens'),
  config: optional('--config <file>', 'the config file to use', { input: 'path' }),
  profile: optional('--profile <name>', 'the profile to use', { input: 'word' }),
} as const;

export type GlobalOptions = OptionsOf<typeof globalFlags>;
