import { parseAddressOverride } from '../../client/addresses.ts';
import { Secret } from '../../crypto/secret.ts';
import { type Stack, stacks } from '../../errors.ts';
import type { Content } from './input.ts';
import { defaulted, list, type OptionsOf, optional, toggle } from './options.ts';
import { byteSize, choice, duration, header, integer, nonEmpty } from './values.ts';

/** What every command that sends requests of its own takes. */
export const networkFlags = {
  timeout: defaulted('--timeout <duration>', 'total time limit per request', '10s', {
    parse: duration,
    setting: 'timeout',
  }),
  retry: defaulted('--retry <n>', 'retry N times if no response arrived', '0', {
    parse: integer(0, 100),
  }),
  header: list('--header <line>', 'add a header, "Name: value"; the value may be a reference', {
    parse: header,
    setting: 'headers',
    input: 'word',
  }),
  ca: optional('--ca <file>', 'trust these certificates too (PEM or DER)', {
    input: 'file',
    read: ({ bytes }: Content) => bytes,
    setting: 'ca',
  }),
  cert: optional('--cert <file>', 'client certificate (PEM)', { input: 'file', setting: 'cert' }),
  certKey: optional('--cert-key <file>', "the client certificate's private key (PEM)", {
    input: 'file',
    setting: 'cert-key',
    secret: true,
    parse: Secret.text,
  }),
  insecure: toggle('--insecure', 'accept any certificate'),
  proxy: optional('--proxy <url>', 'send through this proxy', {
    setting: 'proxy',
    input: 'word',
    parse: Secret.text,
  }),
  resolve: list('--resolve <host:port:addr>', 'use this address for that host and port', {
    parse: parseAddressOverride,
    input: 'word',
  }),
  har: optional('--har <file>', 'write the exchanges as HAR, secrets redacted', {
    input: 'path',
    group: 'output',
  }),
  curl: toggle('--curl', 'show each request as a curl command', { group: 'output' }),
} as const;

export type NetworkOptions = OptionsOf<typeof networkFlags>;

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
    'refuse larger files and standard input; default 64MiB for archives, 8MiB for report diff, 4MiB for users, 1MiB for values',
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
