import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { findCommand, splitCommandLine } from '../../src/cli/args/command-line.ts';
import { environmentName, type Flag, flagName } from '../../src/cli/args/options.ts';
import { commands } from '../../src/cli/commands/index.ts';
import { type RunSecret, storedSecrets } from './stored-secrets.ts';

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
  const values = flags
    .filter(({ secret, syntax }) => secret && syntax.startsWith('--'))
    .filter((flag) => !printed[entry.path]?.includes(flagName(flag)))
    .flatMap((flag) =>
      [...valuesOf(`--${flagName(flag)}`, rest), given.env[environmentName(flag) ?? ''] ?? ''].map(
        (value) => textOf(value, flag.input === 'file', given),
      ),
    );
  return values;
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
