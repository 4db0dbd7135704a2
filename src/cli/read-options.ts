import { AuthcliError } from '../errors.ts';
import type { CommandDefinition } from './command.ts';
import type { Content } from './content.ts';
import { textContent } from './content.ts';
import { usage } from './hints.ts';
import { isBare } from './input.ts';
import {
  environmentName,
  type Flag,
  type Flags,
  flagName,
  isPositional,
  type OptionsOf,
  type Source,
} from './options.ts';
import type { Given } from './parse.ts';
import type { Session } from './session.ts';

/** A value's text and where it stood. */
interface Found {
  readonly text: string;
  readonly source: Source;
  /** Values of the profile are read as they are; only references of secrets and files are followed. */
  readonly stored: boolean;
}

/**
 * The options of a run: each flag from the command line, else the environment, else the profile,
 * else its default. Throws `usage` for conflicts, for what is missing and for what can't be read.
 */
export async function readOptions<F extends Flags>(
  definition: CommandDefinition<F>,
  given: Given,
  session: Session,
): Promise<OptionsOf<F>> {
  const overruled = checkExclusive(definition, given);
  const values: Record<string, unknown> = {};
  for (const [key, flag] of Object.entries(await usableFlags(definition, session))) {
    const isIdle = !given.has(key) && definition.idle?.(values as OptionsOf<F>).includes(key);
    const found = overruled.has(key) || isIdle ? [] : await find(key, flag, given, session);
    values[key] = await readFlag(flag, found, definition.path, session);
  }
  for (const key of definition.needs?.(values as OptionsOf<F>) ?? []) {
    values[key] ??= await askOrRefuse(
      definition.flags[key] as Flag<unknown>,
      definition.path,
      session,
    );
  }
  return values as OptionsOf<F>;
}

/** The flags; without their settings where these can't be read and the command runs all the same. */
async function usableFlags<F extends Flags>(
  { flags, survivesBadState, makesProfile }: CommandDefinition<F>,
  session: Session,
): Promise<Flags> {
  const survived = [...(survivesBadState ? ['config'] : []), ...(makesProfile ? ['usage'] : [])];
  if (survived.length === 0 || (await canReadSettings(survived, session))) return flags;
  return Object.fromEntries(
    Object.entries<Flag<unknown>>(flags).map(([key, flag]) => [
      key,
      { ...flag, setting: undefined },
    ]),
  );
}

async function canReadSettings(survived: readonly string[], session: Session): Promise<boolean> {
  try {
    (await session.state()).settings.list();
    return true;
  } catch (error) {
    if (error instanceof AuthcliError && survived.includes(error.code)) return false;
    throw error;
  }
}

/** The options whose environment and profile values don't count, because a rival is on the command line. */
function checkExclusive<F extends Flags>(
  definition: CommandDefinition<F>,
  given: Given,
): Set<string> {
  const overruled = new Set<string>();
  for (const group of definition.exclusive ?? []) {
    const present = group.filter((key) => given.has(key));
    const [first, second] = present;
    if (first !== undefined && second !== undefined) {
      const names = [first, second].map((key) =>
        sourceName(definition.flags[key] as Flag<unknown>),
      );
      throw usage(`${names.join(' and ')} exclude each other.`, 'Give one of them.');
    }
    if (first !== undefined) for (const key of group) if (key !== first) overruled.add(key);
  }
  return overruled;
}

async function find(
  key: string,
  flag: Flag<unknown>,
  given: Given,
  session: Session,
): Promise<readonly Found[]> {
  const stored = flag.repeatable ? await fromProfile(flag, session) : [];
  const texts = given.get(key);
  if (texts !== undefined) {
    if (flag.secret && flag.references) warnOfBareSecrets(flag, texts, session);
    return [...stored, ...texts.map((text) => ({ text, source: sourceName(flag), stored: false }))];
  }
  const variable = isPositional(flag) ? undefined : environmentName(flag);
  const text = variable === undefined ? undefined : session.context.env[variable];
  if (variable !== undefined && text !== undefined && text !== '') {
    return [...stored, { text, source: variable, stored: false }];
  }
  return flag.repeatable ? stored : fromProfile(flag, session);
}

/** On a terminal somebody types: they can still do it another way. A script has its reasons. */
function warnOfBareSecrets(
  flag: Flag<unknown>,
  texts: readonly string[],
  { context, warnOnce }: Session,
): void {
  if (!context.stderr.isTerminal || !texts.some((text) => isBare(flag.input, text))) return;
  warnOnce(bareSecretWarning(sourceName(flag)));
}

/** What is wrong with a secret among the words of a command. */
export function bareSecretWarning(source: Source): string {
  return `${source}: a secret on the command line stays in the shell's history, and others on this machine can see it; give env:NAME, file:PATH, cmd:COMMAND or "-".`;
}

async function fromProfile(flag: Flag<unknown>, session: Session): Promise<readonly Found[]> {
  if (flag.setting === undefined) return [];
  const value = await session.setting(flag.setting);
  if (value === undefined) return [];
  const source = `the setting ${flag.setting}`;
  return [value].flat().map((text) => ({ text, source, stored: true }));
}

async function readFlag(
  flag: Flag<unknown>,
  found: readonly Found[],
  command: string,
  session: Session,
): Promise<unknown> {
  if (flag.required && found.length === 0) return askOrRefuse(flag, command, session);
  const contents: Content[] = [];
  for (const value of found) contents.push(await contentOf(flag, value, session));
  try {
    return await flag.parse(contents);
  } catch (error) {
    throw found.length === 0 ? error : named(error, found.at(-1)?.source ?? sourceName(flag));
  }
}

/** The value as somebody at the terminal gives it. Throws `usage` where nobody can be asked. */
async function askOrRefuse(
  flag: Flag<unknown>,
  command: string,
  session: Session,
): Promise<unknown> {
  const prompts = await session.prompts();
  if (prompts === undefined) throw missing(flag, command);
  const { askForFlag } = await import('./ask-for-flag.ts');
  return askForFlag(flag, prompts, (text) => {
    const source = sourceName(flag);
    return readFlag(flag, [{ text, source, stored: false }], command, session);
  });
}

async function contentOf(flag: Flag<unknown>, value: Found, session: Session): Promise<Content> {
  const plain = value.stored && !flag.references && flag.input === 'text';
  const content = plain
    ? textContent(value.text)
    : await session.input.resolve(flag, value.text, value.source);
  if (!value.stored && isBare(flag.input, value.text)) {
    const prefix = flag.references ? 'file:' : '@';
    session.bareTexts.push({ text: value.text, source: value.source, prefix });
  }
  if (flag.secret) session.secrets.add(content.text);
  const variable = variableOf(flag, value.text);
  if (variable !== undefined) session.secrets.nameVariable(content.text, variable);
  return content;
}

/** The variable by which a pasted command line gets the secret: the one it came from, else the flag's own. */
function variableOf(flag: Flag<unknown>, text: string): string | undefined {
  if (!flag.secret || !flag.references || isPositional(flag)) return undefined;
  return /^env:(\w+)$/.exec(text)?.[1] ?? environmentName(flag);
}

/** The error with the name of what it is about in front. */
function named(error: unknown, source: Source): unknown {
  if (!(error instanceof AuthcliError) || error.code !== 'usage') return error;
  return usage(`${source}: ${error.message}`, error.hint);
}

function missing(flag: Flag<unknown>, command: string): Error {
  const ways = [
    `give ${flag.syntax}`,
    isPositional(flag) ? undefined : `set ${environmentName(flag)}`,
    flag.setting === undefined ? undefined : `run \`authcli config set ${flag.setting} …\``,
  ].filter((way) => way !== undefined);
  const { choices } = flag;
  if (choices !== undefined) ways[0] = `give ${flag.syntax} as ${oneOf(choices)}`;
  const hint = ways.length > 1 ? `${ways.slice(0, -1).join(', ')}, or ${ways.at(-1)}` : ways[0];
  return usage(
    `${command} needs ${sourceName(flag)}: ${flag.about}.`,
    `${hint?.charAt(0).toUpperCase()}${hint?.slice(1)}.`,
  );
}

function oneOf(words: readonly string[]): string {
  return words.length > 1 ? `${words.slice(0, -1).join(', ')} or ${words.at(-1)}` : `${words[0]}`;
}

/** How a message names the flag: `--url`, `<payload>`. */
export function sourceName(flag: Flag<unknown>): Source {
  return isPositional(flag) ? flag.syntax : `--${flagName(flag)}`;
}
