import { parseAddressOverride } from '../../client/addresses.ts';
import { Secret } from '../../crypto/secret.ts';
import { type Stack, stacks } from '../../errors.ts';
import type { Content } from './input.ts';
import { flag, type OptionsOf } from './options.ts';
import { duration, header, integer, nonEmpty } from './values.ts';

/** What every command that sends requests of its own takes. */
export const networkFlags = {
  timeout: flag('--timeout <duration>', 'total time limit per request', {
    fallback: '10s',
    parse: duration,
    setting: 'timeout',
  }),
  retry: flag('--retry <n>', 'retry N times if no response arrived', {
    fallback: '0',
    parse: integer(0, 100),
  }),
  header: flag('--header <line...>', 'add a header, "Name: value"; the value may be a reference', {
    parse: header,
    setting: 'headers',
    input: 'word',
  }),
  ca: flag('--ca <file>', 'trust these certificates too (PEM or DER)', {
    input: 'file',
    read: ({ bytes }: Content) => bytes,
    setting: 'ca',
  }),
  cert: flag('--cert <file>', 'client certificate (PEM)', { input: 'file', setting: 'cert' }),
  certKey: flag('--cert-key <file>', "the client certificate's private key (PEM)", {
    input: 'file',
    setting: 'cert-key',
    secret: true,
    parse: Secret.text,
  }),
  insecure: flag('--insecure', 'accept any certificate'),
  proxy: flag('--proxy <url>', 'send through this proxy', {
    setting: 'proxy',
    input: 'word',
    parse: Secret.text,
  }),
  resolve: flag('--resolve <host:port:addr...>', 'use this address for that host and port', {
    parse: parseAddressOverride,
    input: 'word',
  }),
  har: flag('--har <file>', 'write the exchanges as HAR, secrets redacted', {
    input: 'path',
    group: 'output',
  }),
  curl: flag('--curl', 'show each request as a curl command', { group: 'output' }),
} as const;

export type NetworkOptions = OptionsOf<typeof networkFlags>;

const output = { group: 'output' } as const;

/** What every command takes that calls an application. */
export const appFlags = {
  app: flag(
    '--app <command>',
    'start your application with this command of the shell, wait until it listens, quote its output where it fails, and end it',
    { input: 'word', parse: nonEmpty },
  ),
  appLog: flag(
    '--app-log <file>',
    'quote this log of your application where it fails; "-" reads standard input',
    { input: 'path', parse: nonEmpty },
  ),
} as const;

export type AppOptions = OptionsOf<typeof appFlags>;

/** What every command takes, before or after its name. */
export const globalFlags = {
  json: flag('--json', 'print one JSON document', output),
  quiet: flag(
    '--quiet',
    'results and failures only: no confirmations, notes, progress or next command',
    output,
  ),
  verbose: flag(
    '--verbose',
    'also where values come from, curl lines, and fixes in every language',
    output,
  ),
  trace: flag('--trace', 'print requests and responses, secrets redacted', output),
  noColor: flag('--no-color', 'no colour', output),
  noInput: flag('--no-input', 'never prompt'),
  showSecrets: flag('--show-secrets', 'show keys, passcodes and tokens', output),
  config: flag('--config <file>', 'the config file to use', {
    input: 'path',
    variable: true,
    parse: nonEmpty,
  }),
  profile: flag('--profile <name>', 'the profile to use', {
    input: 'word',
    variable: true,
    candidates: 'profile',
    parse: nonEmpty,
  }),
  stack: flag<Stack>('--stack <name>', 'the language of your application, for fixes', {
    input: 'word',
    choices: stacks,
    setting: 'stack',
  }),
} as const;

export type GlobalOptions = OptionsOf<typeof globalFlags>;
