import { type ErrorCode, hasCode } from '../../errors.ts';
import { redacted } from '../../reports/redact.ts';
import type { AnyCommand } from '../command.ts';
import { usage } from '../failure.ts';
import { askedFor } from '../next-command.ts';
import type { Session } from '../session.ts';
import type { Prompts } from '../terminal/prompts.ts';
import { type Content, isBare, isReference, textContent } from './input.ts';
import {
  type Flag,
  flagName,
  isPositional,
  type OtherOptions,
  type Source,
  sourceName,
  takesValue,
  variableName,
  variableOf,
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
export async function readOptions(
  definition: AnyCommand,
  session: Session,
  // biome-ignore lint/suspicious/noExplicitAny: each command's flags are its own
): Promise<any> {
  const { flags, path, survives = [] } = definition;
  const { given } = session.line;
  const overruled = overruledOptions(definition, session);
  const values: Record<string, unknown> = {};
  const present = new Set<string>();
  const missing: Flag<unknown>[] = [];
  const ask = async (key: string): Promise<unknown> => {
    const prompts = await session.prompts();
    if (prompts === undefined) throw refused([flags[key]], path);
    values[key] ??= await answerTo(key, flags[key], prompts, session);
    return values[key];
  };
  const need = async (key: string): Promise<void> => {
    values[key] = undefined;
    if ((await session.prompts()) === undefined) missing.push(flags[key]);
    else await ask(key);
  };
  for (const flag of Object.values<Flag<unknown>>(flags)) warnOfIgnored(flag, session);
  for (const [key, flag] of Object.entries<Flag<unknown>>(flags)) {
    const isIdle = !given.has(key) && definition.idle?.(values).includes(key);
    const found = overruled.has(key) || isIdle ? [] : await find(key, flag, survives, session);
    if (found.length > 0) present.add(key);
    else if (flag.required) {
      await need(key);
      continue;
    }
    values[key] = await readFlag(flag, found, session, { before: values, ask });
    await noteOrigin(key, flag, found.at(-1), session);
  }
  for (const key of definition.needs?.(values) ?? []) if (!present.has(key)) await need(key);
  if (missing.length > 0) throw refused(missing, path);
  return values;
}

/** A variable with the name of a flag counted once; only settings have one now, with one meaning. */
function warnOfIgnored(flag: Flag<unknown>, session: Session): void {
  const name = variableName(flag);
  const read = variableOf(flag);
  const isRead = isPositional(flag) || !takesValue(flag) || read === name;
  if (isRead || !session.context.env[name]) return;
  const instead = [sourceName(flag), read].filter(Boolean).join(' or ');
  session.warnOnce(`${name} isn't read any more: use ${instead}.`);
}

/** For --verbose, for what is shown with its origin, and for lines to run next. */
async function noteOrigin(
  key: string,
  flag: Flag<unknown>,
  found: Found | undefined,
  session: Session,
): Promise<void> {
  const { setting, fallback } = flag;
  if (setting === 'headers') return;
  const isKnown = setting !== undefined || found?.source === variableOf(flag);
  const text = found?.text ?? fallback;
  if (!isKnown || text === undefined) return;
  const hasPassword = (setting === 'proxy' || setting?.endsWith('url')) && text.includes('@');
  // Also under --show-secrets: an origin is never asked for to see a secret.
  const isPrivate = flag.secret ? !isReference(text) : hasPassword;
  const source = found?.stored ? `profile ${(await session.state()).profile}` : found?.source;
  const value = isPrivate ? redacted : text;
  session.origins.set(key, { name: flagName(flag), value, source: source ?? 'default' });
}

/** The options that are ignored elsewhere because another of their group is on the command line. */
function overruledOptions({ exclusive = [], flags }: AnyCommand, { line }: Session): Set<string> {
  const overruled = new Set<string>();
  for (const group of exclusive) {
    const [first, second] = group.filter((key) => line.given.has(key));
    if (first === undefined) continue;
    if (second !== undefined) {
      const names = [first, second].map((key) => sourceName(flags[key]));
      throw usage(`${names.join(' and ')} exclude each other.`, 'Give one of them.');
    }
    for (const key of group) if (key !== first) overruled.add(key);
  }
  return overruled;
}

/** What profiles say is read only where it is needed, and survives the errors that the command survives. */
async function find(
  key: string,
  flag: Flag<unknown>,
  survived: readonly ErrorCode[],
  session: Session,
): Promise<readonly Found[]> {
  const { context, line } = session;
  const texts = line.given.get(key);
  const variable = variableOf(flag);
  const inEnvironment = context.env[variable ?? ''] || undefined;
  const isStoredToo = flag.repeatable || (texts ?? inEnvironment) === undefined;
  const stored = isStoredToo ? await fromProfile(flag.setting, survived, session) : [];
  if (texts !== undefined) {
    const source = sourceName(flag);
    // Only on a terminal: a script has its reasons.
    const isWatched = flag.secret && flag.references && context.stderr.isTerminal;
    if (isWatched && texts.some((text) => isBare(flag.input, text)))
      session.warnOnce(
        `${source}: a secret on the command line stays in the shell's history, and others on this machine can see it; give env:NAME, file:PATH, cmd:COMMAND or "-".`,
      );
    return [...stored, ...texts.map((text) => ({ text, source, stored: false }))];
  }
  if (variable === undefined || inEnvironment === undefined) return stored;
  return [...stored, { text: inEnvironment, source: variable, stored: false }];
}

async function fromProfile(
  setting: Flag<unknown>['setting'],
  survived: readonly ErrorCode[],
  session: Session,
): Promise<readonly Found[]> {
  if (setting === undefined) return [];
  const value = await session.setting(setting).catch((error: unknown) => {
    if (!hasCode(error, ...survived)) throw error;
  });
  const source = `the setting ${setting}`;
  return [value ?? []].flat().map((text) => ({ text, source, stored: true }));
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
    const { corrected } = error.data;
    const next = { again: true, add: [[sourceName(flag), `${corrected}`]] } as const;
    throw usage(`${file ?? source}: ${error.message}`, error.hint, corrected ? next : undefined);
  }
}

async function contentOf(flag: Flag<unknown>, value: Found, session: Session): Promise<Content> {
  const { secrets, input } = session;
  const { text, source, stored } = value;
  const isPlain = stored && !flag.references && flag.input === 'text';
  const content = isPlain ? textContent(text) : await input.resolve(flag, text, source);
  if (!flag.secret) return content;
  if (/^--(?:email|name|phone|user-info)\b/.test(flag.syntax)) secrets.addUserInfo(content.text);
  else secrets.add(content.text);
  // What --curl calls the secret: the variable it came from, else that of the flag.
  const variable = /^env:(\w+)$/.exec(text)?.[1] ?? variableName(flag);
  if (flag.references && !isPositional(flag)) secrets.nameVariable(content.text, variable);
  return content;
}

/** Asks until the answer can be read; a `usage` error is shown, and the question repeated. */
async function answerTo(key: string, flag: Flag<unknown>, prompts: Prompts, session: Session) {
  let value: unknown;
  let bug: unknown;
  const message = `${flag.about} (${sourceName(flag)}):`;
  const offer = offerOf(flag);
  if (offer !== undefined) session.note(offer);
  const check = async (text: string): Promise<string | undefined> => {
    if (text === '') return 'A value is required.';
    try {
      value = await readFlag(flag, [{ text, source: sourceName(flag), stored: false }], session);
      if (!flag.secret)
        session.origins.set(key, { name: flagName(flag), value: text, source: askedFor });
    } catch (error) {
      if (hasCode(error, 'usage')) return `${error.message} ${error.hint}`.trim();
      bug = error; // thrown once the question is off the screen
    }
    return undefined;
  };
  if (flag.choices === undefined) await prompts.text({ message, hidden: flag.secret, check });
  else {
    const choices = flag.choices.map((word) => ({ value: word, label: word }));
    await check(await prompts.choose({ message, choices }));
  }
  if (bug !== undefined) throw bug;
  return value;
}

/** All that is missing at once. */
function refused(flags: readonly Flag<unknown>[], command: string): Error {
  const names = listed(flags.map(sourceName));
  const about = flags.length === 1 ? `: ${flags[0]?.about}` : '';
  const given = flags.map(({ syntax, choices }) =>
    choices === undefined ? syntax : `${syntax} as ${choices.join(' or ')}`,
  );
  const variables = flags.flatMap((flag) => variableOf(flag) ?? []);
  const settings = flags.flatMap(({ setting }) => setting ?? []);
  const stored =
    settings.length > 1
      ? '`authcli init`, which asks for the settings'
      : settings.map((name) => `\`authcli config set ${name} …\``);
  const ways = [
    `Give ${listed(given)}`,
    variables.length > 0 ? `set ${listed(variables)}` : [],
    settings.length > 0 ? `run ${stored}` : [],
  ].flat();
  const [emulated] = flags.filter(({ emulator }) => emulator);
  const next = emulated && ({ words: ['emulate', `${emulated.emulator}`] } as const);
  const offer = emulated === undefined ? '' : ` ${offerOf(emulated)}`;
  return usage(
    `${command} needs ${names}${about}.`,
    `${listed(ways, 'disjunction')}.${offer}`,
    next,
  );
}

function offerOf({ emulator }: Flag<unknown>): string | undefined {
  const runs = { app: 'an application', service: 'the service' };
  return (
    emulator &&
    `\`authcli emulate ${emulator}\` runs ${runs[emulator]} on this machine, and prints what to try.`
  );
}

/** "a, b and c", or "a, b or c". */
function listed(words: readonly string[], type: 'conjunction' | 'disjunction' = 'conjunction') {
  return new Intl.ListFormat('en-GB', { type }).format(words);
}
