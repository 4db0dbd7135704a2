import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { findCommand, splitCommandLine } from '../../src/cli/args/command-line.ts';
import { environmentName, type Flag, flagName } from '../../src/cli/args/options.ts';
import { commands } from '../../src/cli/commands/index.ts';
import type { Context } from '../../src/cli/context.ts';
import type { Exchange } from '../../src/client/exchange.ts';
import type { RsaPrivateKey } from '../../src/crypto/rsa-key.ts';
import { unwrapKey } from '../../src/crypto/rsaes-pkcs1-v1_5.ts';

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

/** Kinds of secrets, and flags, whose value a command exists to print. */
const printed: Readonly<Record<string, readonly string[]>> = {
  'cipher identify': ['known-plaintext', 'passcode', 'user-info'],
  decrypt: ['passcode', 'user-info'],
  'key unwrap': ['key'],
  token: ['acs-token'],
  'users export': ['key', 'passcode', 'user-info'],
};

/** Shorter ones are in other texts by chance. */
const searchedFrom = 8;

/** The values of the secret flags of a run, however they were given. */
async function secretsGiven(given: Given): Promise<readonly string[]> {
  const { words, rest } = splitCommandLine(given.argv, commands);
  const entry = commands.some(({ path }) => path === words.join(' '))
    ? findCommand(words, commands)
    : undefined;
  if (entry === undefined) return [];
  const flags = Object.values<Flag<unknown>>((await entry.load()).flags);
  return flags
    .filter(({ secret, syntax }) => secret && syntax.startsWith('--'))
    .filter((flag) => !printed[entry.path]?.includes(flagName(flag)))
    .flatMap((flag) => {
      const inEnvironment = given.env[environmentName(flag) ?? ''] ?? '';
      const values = [...valuesOf(`--${flagName(flag)}`, rest), inEnvironment];
      return values.map((value) => textOf(value, flag.input === 'file', given));
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
  try {
    const text = readFileSync(resolve(cwd, named), 'utf8').trim();
    return text.startsWith('-----') ? (text.split('\n')[1] ?? '') : text;
  } catch {
    return '';
  }
}

/** Every way in which a secret could be read from an output. */
export function formsOf(secret: string): readonly string[] {
  const bytes = Buffer.from(secret);
  const inBase64 = [0, 1, 2].map((offset) =>
    Buffer.concat([Buffer.alloc(offset), bytes])
      .toString('base64')
      .replace(/=+$/, '')
      .slice(Math.ceil((offset * 4) / 3), -1),
  );
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

/** The secrets of the run that its output must not contain: given, kept in the state, or made. */
async function secretsOf(given: Given, made: readonly RunSecret[]): Promise<readonly string[]> {
  const { argv, env } = given;
  const { words, rest } = splitCommandLine(argv, commands);
  const shown = printed[words.join(' ')] ?? [];
  const configFile = valuesOf('--config', rest)[0] ?? env.AUTHCLI_CONFIG ?? given.configFile;
  const stored = configFile === undefined ? [] : storedSecrets(configFile);
  const others = [...stored, ...made].filter(({ kind }) => !shown.includes(kind));
  const all = [...(await secretsGiven(given)), ...others.map(({ text }) => text)];
  // What is public in the run is not a secret of it: the user gave the same text as both.
  return [...new Set(all)].filter(
    (text) => text.length >= searchedFrom && text !== valuesOf('--ptn-cd', rest)[0],
  );
}

/** Fails where an output contains one of the secrets of its run. */
export async function searchOutput(
  given: Given,
  output: string,
  made: readonly RunSecret[] = [],
): Promise<void> {
  if (given.argv.includes('--show-secrets')) return;
  const secrets = await secretsOf(given, made);
  const found = secrets.some((secret) => formsOf(secret).some((form) => output.includes(form)));
  if (!found) return;
  throw new Error(`a secret of \`${given.argv[0]}\` stands in its output:\n${output}`);
}

/** What kind of secret it is, for commands that exist to print some. */
type SecretKind = 'given' | 'key' | 'passcode' | 'user-info' | 'setting' | 'acs-token';

/** A secret of a run, and its kind. */
interface RunSecret {
  readonly kind: SecretKind;
  readonly text: string;
}

/** Of a state with thousands of users at most this many are searched for: a leak shows with any of them. */
const mostUsers = 20;

/** The secrets in the local state of every profile: users, settings, key pairs. What can't be read has none. */
function storedSecrets(configFile: string): readonly RunSecret[] {
  const profiles = `${configFile}.profiles`;
  const folders = namesIn(profiles).map((name) => join(profiles, name));
  return [
    ...settingsIn(configFile),
    ...folders.flatMap((folder) => [...usersIn(join(folder, 'users')), ...keyPairsIn(folder)]),
  ];
}

function namesIn(folder: string): readonly string[] {
  return existsSync(folder) ? readdirSync(folder) : [];
}

function usersIn(folder: string): readonly RunSecret[] {
  const files = namesIn(folder).filter((name) => name.endsWith('.json'));
  return files.slice(0, mostUsers).flatMap((name) => {
    const user = jsonIn(join(folder, name));
    return [
      ...secret('key', user.key),
      ...secret('passcode', user.super_passcode),
      ...secret('passcode', user.delivered_passcode),
      ...secret('user-info', user.user_info),
    ];
  });
}

/** A reference says only where the secret is. */
function settingsIn(configFile: string): readonly RunSecret[] {
  const { profiles } = jsonIn(configFile);
  return Object.values(objectOf(profiles)).flatMap((profile) => {
    const value = objectOf(profile)['secret-key'];
    return /^(?:env|file|cmd):/.test(String(value)) ? [] : secret('setting', value);
  });
}

/** Of a PEM text the tenth line of its Base64: the modulus, which is public, has ended there (RFC 8017 A.1.2). */
function keyPairsIn(folder: string): readonly RunSecret[] {
  const { current, earlier } = jsonIn(join(folder, 'service-key-pairs.json'));
  const pems = [current, ...(Array.isArray(earlier) ? earlier : [])];
  return pems.flatMap((pem) => secret('setting', String(pem ?? '').split('\n')[10]));
}

function secret(kind: SecretKind, text: unknown): readonly RunSecret[] {
  return typeof text === 'string' ? [{ kind, text }] : [];
}

function jsonIn(file: string): Readonly<Record<string, unknown>> {
  try {
    return objectIn(readFileSync(file, 'utf8'));
  } catch {
    return {};
  }
}

function objectIn(text: string): Readonly<Record<string, unknown>> {
  try {
    return objectOf(JSON.parse(text));
  } catch {
    return {};
  }
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

/** Of a run with thousands of exchanges at most this many are decrypted: each costs a third of a millisecond. */
const mostOpened = 40;

/** Looks on while a run makes key pairs and receives responses, to know the secrets that came of them. */
export class SecretsMade {
  readonly #keyPairs: RsaPrivateKey[] = [];
  readonly #exchanges: Exchange[] = [];

  /** The same environment, looked on. */
  watching<RunEnvironment extends Pick<Context, 'generateKeyPair' | 'openTransport'>>(
    context: RunEnvironment,
  ): RunEnvironment {
    return {
      ...context,
      generateKeyPair: async (bits) => {
        const pair = await context.generateKeyPair(bits);
        this.#keyPairs.push(pair);
        return pair;
      },
      openTransport: async (options) => {
        const transport = await context.openTransport(options);
        return {
          send: async (request, connection) => {
            const exchange = await transport.send(request, connection);
            if (this.#exchanges.length < mostOpened) this.#exchanges.push(exchange);
            return exchange;
          },
          close: () => transport.close(),
        };
      },
    };
  }

  /** The per-user keys that were exchanged, and the access tokens that were given out. */
  found(): readonly RunSecret[] {
    return this.#exchanges.flatMap(({ request, response }) => {
      const { enc_partner_key: wrapped, acs_token: token } = resultIn(response?.body);
      // An address of an application's own may respond with anything: no token of the service is in it.
      const isOfService = Buffer.from(request.body).includes('"secret_key"');
      return [
        ...(typeof wrapped === 'string' ? this.#opened(wrapped) : []),
        ...(isOfService ? secret('acs-token', token) : []),
      ];
    });
  }

  #opened(wrapped: string): readonly RunSecret[] {
    for (const pair of this.#keyPairs) {
      const result = unwrapKey(pair, wrapped);
      if (result.ok) return [{ kind: 'key', text: Buffer.from(result.message).toString() }];
    }
    return [];
  }
}

/** The result of a response that is right; of any other, what is secret in it is not known. */
function resultIn(body: Uint8Array = new Uint8Array()): Readonly<Record<string, unknown>> {
  const { code, result } = objectIn(Buffer.from(body).toString());
  return code === '0000' ? objectOf(result) : {};
}
