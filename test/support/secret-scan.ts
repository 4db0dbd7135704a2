import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { emptyLine, readCommandLine } from '../../src/cli/args/command-line.ts';
import { type Flag, flagName, variableOf } from '../../src/cli/args/options.ts';
import { commands } from '../../src/cli/commands/index.ts';
import type { Context } from '../../src/cli/context.ts';
import type { Exchange } from '../../src/client/exchange.ts';
import type { RsaPrivateKey } from '../../src/crypto/rsa-key.ts';
import { unwrapKey } from './unwrap-key.ts';

/*
 * The output of every run of a command line in a test, in this process or in one of its own, is
 * searched for the secrets that it was given, that its state keeps, and that came of its exchanges:
 * no code of the program is trusted to hide them.
 */

/** What a run was given. */
export interface Given {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: string;
  readonly cwd: string;
  /** Where the state is unless the command line or the environment says so. */
  readonly configFile?: string;
}

/** A secret of a run, and its kind. */
type RunSecret = readonly [kind: string, text: unknown];
type Json = Readonly<Record<string, unknown>>;

/** Kinds of secrets, and flags, whose value a command exists to print. */
const printed: Readonly<Record<string, string>> = {
  'cipher identify': 'known-plaintext passcode user-info',
  decrypt: 'passcode user-info',
  'key unwrap': 'key',
  token: 'acs-token',
  'users export': 'key passcode user-info',
};

/** Shorter ones are in other texts by chance. */
const searchedFrom = 8;

/** The values of the secret flags of a run, however they were given. */
async function secretsGiven(path: string, rest: readonly string[], given: Given) {
  const entry = commands.find((command) => command.path === path);
  if (entry === undefined) return [];
  const flags = Object.values<Flag<unknown>>((await entry.load()).flags);
  return flags
    .filter(({ secret, syntax }) => secret && syntax.startsWith('--'))
    .flatMap((flag): RunSecret[] => {
      const inEnvironment = given.env[variableOf(flag) ?? ''] ?? '';
      const values = [...valuesOf(`--${flagName(flag)}`, rest), inEnvironment];
      const isFile = flag.input === 'file';
      return values.map((value) => [flagName(flag), textOf(value, isFile, given)]);
    });
}

function valuesOf(name: string, rest: readonly string[]): readonly string[] {
  return rest.flatMap((token, index) => {
    if (token.startsWith(`${name}=`)) return [token.slice(name.length + 1)];
    return rest[index - 1] === name ? [token] : [];
  });
}

/** The secret of a value; what can't be read has none, and of a key file its lines are searched for. */
function textOf(value: string, isFile: boolean, { env, stdin, cwd }: Given): string {
  if (value === '-') return stdin.trim();
  if (value.startsWith('env:')) return env[value.slice(4)] ?? '';
  if (value.startsWith('cmd:')) return '';
  const [, named = isFile ? value : ''] = /^(?:file:|@)(.*)$/s.exec(value) ?? [];
  if (named === '') return value;
  const text = textIn(resolve(cwd, named)).trim();
  return text.startsWith('-----') ? (text.split('\n')[1] ?? '') : text;
}

function textIn(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}

/** Every way in which a secret could be read from an output. */
export function formsOf(secret: string): readonly string[] {
  const bytes = Buffer.from(secret);
  const inBase64 = [0, 1, 2].map((offset) => {
    const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64');
    return text.replace(/=+$/, '').slice(Math.ceil((offset * 4) / 3), -1);
  });
  return [
    secret,
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret.toWellFormed()),
    bytes.toString('hex'),
    ...inBase64,
    ...inBase64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_')),
    `'${secret.replaceAll("'", "'\\''")}'`,
  ];
}

/** Fails where an output contains one of the secrets of its run: given, kept in the state, or made. */
export async function searchOutput(
  given: Given,
  output: string,
  made: readonly RunSecret[] = [],
): Promise<void> {
  const { argv, env } = given;
  if (argv.includes('--show-secrets')) return;
  const line = emptyLine();
  await readCommandLine(argv, line).catch(() => {});
  const { path } = line;
  const rest = argv.includes('--') ? argv.slice(0, argv.indexOf('--')) : argv;
  const configFile = valuesOf('--config', rest)[0] ?? env.AUTHCLI_CONFIG ?? given.configFile ?? '';
  const all = [...(await secretsGiven(path, rest, given)), ...storedSecrets(configFile), ...made];
  const shown = Object.hasOwn(printed, path) ? printed[path]?.split(' ') : undefined;
  // What is public in the run is not a secret of it: the user gave the same text as both.
  const isSecret = (text: string) =>
    text.length >= searchedFrom && text !== valuesOf('--ptn-cd', rest)[0];
  const secrets = new Set(all.filter(([kind]) => !shown?.includes(kind)).map(([, text]) => text));
  for (const secret of secrets) {
    if (typeof secret !== 'string' || !isSecret(secret)) continue;
    if (formsOf(secret).some((form) => output.includes(form)))
      throw new Error(`a secret of \`${argv[0]}\` stands in its output:\n${output}`);
  }
}

/** Of a state with thousands of users at most this many are searched for: a leak shows with any of them. */
const mostUsers = 20;

/** The secrets in the local state of every profile: users, settings, key pairs. What can't be read has none. */
function storedSecrets(configFile: string): readonly RunSecret[] {
  const profiles = Object.values(objectOf(objectIn(textIn(configFile)).profiles));
  const settings = profiles.map((profile) => objectOf(profile)['secret-key']);
  const folder = `${configFile}.profiles`;
  return [
    // A reference says only where the secret is.
    ...settings
      .filter((value) => !/^(?:env|file|cmd):/.test(String(value)))
      .map((value): RunSecret => ['setting', value]),
    ...namesIn(folder).flatMap((name) => [
      ...usersIn(join(folder, name, 'users')),
      ...keyPairsIn(join(folder, name, 'service-key-pairs.json')),
    ]),
  ];
}

function namesIn(folder: string): readonly string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}

function usersIn(folder: string): readonly RunSecret[] {
  const files = namesIn(folder).filter((name) => name.endsWith('.json'));
  return files.slice(0, mostUsers).flatMap((name): RunSecret[] => {
    const user = objectIn(textIn(join(folder, name)));
    return [
      ['key', user.key],
      ['passcode', user.super_passcode],
      ['passcode', user.delivered_passcode],
      ['user-info', user.user_info],
    ];
  });
}

/** Of a PEM text the tenth line of its Base64: the modulus, which is public, has ended there (RFC 8017 A.1.2). */
function keyPairsIn(file: string): readonly RunSecret[] {
  const { current, earlier } = objectIn(textIn(file));
  const pems = [current, ...(Array.isArray(earlier) ? earlier : [])];
  return pems.map((pem) => ['setting', String(pem ?? '').split('\n')[10]]);
}

function objectIn(text: string): Json {
  try {
    return objectOf(JSON.parse(text));
  } catch {
    return {};
  }
}

function objectOf(value: unknown): Json {
  return typeof value === 'object' && value !== null ? (value as Json) : {};
}

/** Of a run with thousands of exchanges at most this many are decrypted: each costs a third of a millisecond. */
const mostOpened = 40;

/** The same context, and what tells the keys that were exchanged in it and the access tokens that were given out. */
export function watching(context: Context) {
  const keyPairs: RsaPrivateKey[] = [];
  const exchanges: Exchange[] = [];
  const watched: Context = {
    ...context,
    generateKeyPair: async (bits) => {
      const pair = await context.generateKeyPair(bits);
      keyPairs.push(pair);
      return pair;
    },
    openTransport: async (options) => {
      const transport = await context.openTransport(options);
      const send: typeof transport.send = async (request, connection) => {
        const exchange = await transport.send(request, connection);
        if (exchanges.length < mostOpened) exchanges.push(exchange);
        return exchange;
      };
      return { send, close: () => transport.close() };
    },
  };
  const made = (): readonly RunSecret[] =>
    exchanges.flatMap(({ request, response }): RunSecret[] => {
      const { code, result } = objectIn(Buffer.from(response?.body ?? []).toString());
      // What is secret in any other response is not known.
      if (code !== '0000') return [];
      const { enc_partner_key: wrapped, acs_token: token } = objectOf(result);
      // An address of an application's own may respond with anything: no token of the service is in it.
      const isOfService = Buffer.from(request.body).includes('"secret_key"');
      const key = typeof wrapped === 'string' ? unwrapped(wrapped, keyPairs) : undefined;
      return [['key', key], ...(isOfService ? [['acs-token', token] as const] : [])];
    });
  return { watched, made };
}

function unwrapped(wrapped: string, keyPairs: readonly RsaPrivateKey[]): string | undefined {
  for (const pair of keyPairs) {
    const message = unwrapKey(pair, wrapped);
    if (message) return Buffer.from(message).toString();
  }
  return undefined;
}
