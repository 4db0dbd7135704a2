import { type ErrorCode, hasCode } from '../../errors.ts';
import { redacted } from '../../reports/redact.ts';
import type { CommandDefinition } from '../command.ts';
import { usage } from '../failure.ts';
import type { Session } from '../session.ts';
import type { Prompts } from '../terminal/prompts.ts';
import type { Given } from './command-line.ts';
import { type Content, isBare, isReference, textContent } from './input.ts';
import {
  environmentName,
  type Flag,
  type Flags,
  flagName,
  isPositional,
  type OptionsOf,
  type OtherOptions,
  type Source,
  sourceName,
} from './options.ts';

interface Found {
  readonly text: string;
  readonly source: Source;
  /** Settings are taken literally, but for references in secrets and files. */
  readonly stored: boolean;
}

/**
 * The options of a run: from the command line, else the environment, else the profile, else the default.
 * Throws `usage` for conflicts, for what is missing and for what can't be read.
 */
export async function readOptions<F extends Flags>(
  definition: CommandDefinition<F>,
  given: Given,
  session: Session,
): Promise<OptionsOf<F>> {
  const overruled = checkExclusive(definition, given);
  const { survivesBadState, makesProfile } = definition;
  const survived: readonly ErrorCode[] = [
    ...(survivesBadState ? (['config'] as const) : []),
    ...(makesProfile ? (['usage'] as const) : []),
  ];
  /** What the profile says, if the command needs it or it can be read. */
  const stored = async (flag: Flag<unknown>): Promise<readonly Found[]> => {
    try {
      return await fromProfile(flag, session);
    } catch (error) {
      if (hasCode(error, ...survived)) return [];
      throw error;
    }
  };
  const values: Record<string, unknown> = {};
  const ask = async (key: string): Promise<unknown> => {
    const flag = definition.flags[key] as Flag<unknown>;
    values[key] ??= await askOrRefuse(key, flag, definition.path, session);
    return values[key];
  };
  for (const [key, flag] of Object.entries<Flag<unknown>>(definition.flags)) {
    const isIdle = !given.has(key) && definition.idle?.(values as OptionsOf<F>).includes(key);
    const found =
      overruled.has(key) || isIdle ? [] : await find(key, flag, given.get(key), stored, session);
    values[key] =
      flag.required && found.length === 0
        ? await askOrRefuse(key, flag, definition.path, session)
        : await readFlag(flag, found, session, { before: values, ask });
    await noteOrigin(key, flag, found, session);
  }
  for (const key of definition.needs?.(values as OptionsOf<F>) ?? []) {
    await ask(key);
  }
  return values as OptionsOf<F>;
}

/** For --verbose, and for what is shown with its origin. */
async function noteOrigin(
  key: string,
  flag: Flag<unknown>,
  found: readonly Found[],
  session: Session,
): Promise<void> {
  if (flag.setting === undefined || flag.setting === 'headers') return;
  const last = found.at(-1);
  const text = last?.text ?? flag.fallback;
  if (text === undefined) return;
  const source = last?.stored ? `profile ${(await session.state()).profile}` : last?.source;
  session.origins.set(key, {
    name: flagName(flag),
    value: isPrivate(flag, text) ? redacted : text,
    source: source ?? 'default',
  });
}

/** Also under --show-secrets: an origin is never asked for to see a secret. */
function isPrivate(flag: Flag<unknown>, text: string): boolean {
  if (flag.secret) return !isReference(text);
  return (flag.setting === 'proxy' || flag.setting?.endsWith('url') === true) && text.includes('@');
}

/** Returns the options that are ignored elsewhere because another of their group is on the command line. */
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
  texts: readonly string[] | undefined,
  fromSettings: (flag: Flag<unknown>) => Promise<readonly Found[]>,
  session: Session,
): Promise<readonly Found[]> {
  const stored = flag.repeatable ? await fromSettings(flag) : [];
  if (texts !== undefined) {
    // Only on a terminal: a script has its reasons.
    const isWatched = flag.secret && flag.references && session.context.stderr.isTerminal;
    if (isWatched && texts.some((text) => isBare(flag.input, text)))
      session.warnOnce(bareSecretWarning(sourceName(flag)));
    return [...stored, ...texts.map((text) => ({ text, source: sourceName(flag), stored: false }))];
  }
  const variable = environmentName(flag);
  const text = variable === undefined ? undefined : session.context.env[variable];
  if (variable !== undefined && text !== undefined && text !== '') {
    session.supplied.set(key, text);
    return [...stored, { text, source: variable, stored: false }];
  }
  if (flag.repeatable) return stored;
  const found = await fromSettings(flag);
  const [first] = found;
  // A line to paste names where it goes.
  if (first !== undefined && flag.setting?.endsWith('url')) session.supplied.set(key, first.text);
  return found;
}

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
  session: Session,
  others?: OtherOptions,
): Promise<unknown> {
  const contents: Content[] = [];
  for (const value of found) contents.push(await contentOf(flag, value, session));
  try {
    return await flag.parse(contents, others);
  } catch (error) {
    const source = found.at(-1)?.source;
    if (source === undefined || !hasCode(error, 'usage')) throw error;
    const file = isPositional(flag) ? contents.at(-1)?.file : undefined;
    throw usage(`${file ?? source}: ${error.message}`, error.hint);
  }
}

/** Throws `usage` where the user can't be asked. */
async function askOrRefuse(
  key: string,
  flag: Flag<unknown>,
  command: string,
  session: Session,
): Promise<unknown> {
  const prompts = await session.prompts();
  if (prompts === undefined) throw missing(flag, command);
  return askForFlag(flag, prompts, (text) => {
    const source = sourceName(flag);
    session.supplied.set(key, text);
    return readFlag(flag, [{ text, source, stored: false }], session);
  });
}

async function contentOf(flag: Flag<unknown>, value: Found, session: Session): Promise<Content> {
  const plain = value.stored && !flag.references && flag.input === 'text';
  const content = plain
    ? textContent(value.text)
    : await session.input.resolve(flag, value.text, value.source);
  if (!value.stored && isBare(flag.input, value.text)) {
    session.input.addBare(value.text, value.source, flag.references ? 'file:' : '@');
  }
  if (!flag.secret) return content;
  const { secrets } = session;
  if (/^--(?:email|name|phone|user-info)\b/.test(flag.syntax)) secrets.addUserInfo(content.text);
  else secrets.add(content.text);
  // What --curl calls the secret: the variable it came from, else that of the flag.
  const variable = /^env:(\w+)$/.exec(value.text)?.[1] ?? environmentName(flag);
  if (flag.references && variable !== undefined) secrets.nameVariable(content.text, variable);
  return content;
}

function missing(flag: Flag<unknown>, command: string): Error {
  const { syntax, about, choices, setting } = flag;
  const ways = [
    choices === undefined ? `Give ${syntax}` : `Give ${syntax} as ${choices.join(' or ')}`,
    ...(isPositional(flag) ? [] : [`set ${environmentName(flag)}`]),
    ...(setting === undefined ? [] : [`run \`authcli config set ${setting} …\``]),
  ];
  const last = ways.length > 1 ? `, or ${ways.pop()}` : '';
  return usage(`${command} needs ${sourceName(flag)}: ${about}.`, `${ways.join(', ')}${last}.`);
}

/** Asks until `read` accepts the answer; a `usage` error is shown, and the question repeated. */
async function askForFlag(
  flag: Flag<unknown>,
  prompts: Prompts,
  read: (text: string) => Promise<unknown>,
): Promise<unknown> {
  const message = `${flag.about} (${sourceName(flag)}):`;
  let value: unknown;
  let bug: unknown;
  const check = async (answer: string): Promise<string | undefined> => {
    if (answer === '') return 'A value is required.';
    try {
      value = await read(answer);
      return undefined;
    } catch (error) {
      if (!hasCode(error, 'usage')) {
        bug = error; // thrown once the question is off the screen
        return undefined;
      }
      return `${error.message} ${error.hint}`.trim();
    }
  };
  if (flag.choices === undefined) await prompts.text({ message, hidden: flag.secret, check });
  else {
    const choices = flag.choices.map((word) => ({ value: word, label: word }));
    await check(await prompts.choose({ message, choices }));
  }
  if (bug !== undefined) throw bug;
  return value;
}
