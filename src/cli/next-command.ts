import { isConnectionCode, isDiagnosisCode } from '../errors.ts';
import { shellWord } from '../text.ts';
import { type CommandLine, typedTokens } from './args/command-line.ts';
import { isReference } from './args/input.ts';
import { type Flag, type Flags, isPositional, sourceName, takesValue } from './args/options.ts';
import { globalFlags } from './args/shared-flags.ts';
import type { CommandEntry } from './command.ts';
import type { Failure } from './failure.ts';

/** The command line of a run, and what to write it again takes. */
export interface TypedCommand {
  readonly path: string;
  readonly line: CommandLine;
  readonly flags: Flags;
  /** How authcli was started: `authcli`, `npx authcli`. */
  readonly program: string;
  /** Values that were not typed, by option: from the environment, the profile or a question. */
  readonly supplied: ReadonlyMap<string, string>;
}

export interface RepeatChanges {
  /** With the output flags. */
  readonly keepOutput?: boolean;
  readonly add?: readonly (readonly [name: string, value?: string])[];
  readonly without?: readonly string[];
}

/** What to run after a failure. */
export type Next =
  /** The same command line, once the fix is made. */
  | ({ readonly again: true } & RepeatChanges)
  /** Another command, with the options of this run that it takes too. */
  | ({ readonly command: string } & RepeatChanges)
  /** The help of a command, or of the program. */
  | { readonly help: string }
  /** These words and nothing of this run but its profile. */
  | { readonly words: readonly string[] };

/** The command line that leads on from a failure; undefined where the user stopped the run. */
export async function nextLine(
  failure: Failure,
  typed: TypedCommand,
  commands: readonly CommandEntry[],
): Promise<string | undefined> {
  const next = failure.next ?? nextOf(failure, typed);
  return next && lineOf(next, typed, commands);
}

/** The command line itself; undefined where its standard input is gone. */
export async function lineOf(
  next: Next,
  typed: TypedCommand,
  commands: readonly CommandEntry[],
): Promise<string | undefined> {
  const { program, line } = typed;
  if ('again' in next) {
    const isPiped = line.rest.some((token) => token === '-' || token.endsWith('=-'));
    return isPiped ? undefined : repeatLine(typed, next);
  }
  if ('help' in next) return [program, next.help, '--help'].filter(Boolean).join(' ');
  if ('words' in next) return plainLine(next.words, typed);
  const entry = commands.find(({ path }) => path === next.command);
  const flags = { ...(await entry?.load())?.flags, ...globalFlags };
  return [program, next.command, ...wordsFor(flags, typed, next)].join(' ');
}

/** What follows from the code alone. */
function nextOf(
  { code, suggestedOption, suggestedCommand }: Failure,
  typed: TypedCommand,
): Next | undefined {
  const { path, flags } = typed;
  const sendsRequests = flags.timeout !== undefined;
  switch (code) {
    case 'interrupted':
    case 'terminated':
      return undefined;
    case 'usage':
      return (suggestedOption ?? suggestedCommand) !== undefined && takesAll(typed)
        ? { again: true, keepOutput: true }
        : { help: path };
    case 'internal':
      return { again: true, add: [['--verbose']] };
    case 'config':
      return path === 'doctor' ? undefined : { words: ['doctor'] };
    case 'unknown-user':
      return { words: ['users', 'list'] };
    case 'not-set':
      return { words: ['config', 'list'] };
    case 'unknown-text':
      return { help: path };
  }
  if (code === 'refused' && flags.wait !== undefined) {
    return { again: true, add: [['--wait', '60s']] };
  }
  // A server that isn't there is started; anything else is examined on its way.
  const isExamined = isConnectionCode(code) && code !== 'refused' && path !== 'doctor';
  if (isExamined && sendsRequests) return { command: 'doctor' };
  return sendsRequests || !isDiagnosisCode(code) || isConnectionCode(code)
    ? { again: true }
    : { words: ['explain', code] };
}

/** Whether the command takes each word and option as typed: a value elsewhere means something else, or is a secret. */
function takesAll({ line, flags }: TypedCommand): boolean {
  return typedTokens(line.rest, flags).every(({ key = '', value }) => {
    const flag = flags[key];
    return flag !== undefined && takesValue(flag) === (value !== undefined);
  });
}

/**
 * The run again, to be pasted into a shell: what was typed, and what was supplied otherwise. Output flags are left
 * out, and secrets that aren't references: the environment or the profile may have them, or they are asked for.
 */
export function repeatLine(typed: TypedCommand, changes: RepeatChanges = {}): string {
  const { line, path, program, flags } = typed;
  const behind = line.behind === undefined ? [] : ['--', ...line.behind.map(shellWord)];
  return [program, path, ...wordsFor(flags, typed, changes), ...behind].filter(Boolean).join(' ');
}

/** A command line of these words alone, in the profile of this run. */
export function plainLine(
  words: readonly string[],
  typed: TypedCommand,
  also: readonly string[] = [],
): string {
  const kept = Object.entries(typed.flags).filter(([key]) =>
    ['config', 'profile', ...also].includes(key),
  );
  const flags = Object.fromEntries(kept);
  return [typed.program, ...words.map(shellWord), ...wordsFor(flags, typed, {})].join(' ');
}

/** The command line that explains a code, for the cipher and in the profile of this run. */
export function explainLine(code: string, typed: TypedCommand): string {
  return plainLine(['explain', code], typed, ['cipher']);
}

/** The words of the run that a command with these flags takes too. */
function wordsFor(
  flags: Flags,
  { line, flags: own, supplied }: TypedCommand,
  { add = [], without = [], keepOutput = false }: RepeatChanges,
): readonly string[] {
  const changed = new Set([...without, ...add.map(([name]) => name)]);
  const typed = typedTokens(line.rest, own).flatMap(({ key = '', value }) =>
    own[key] === undefined
      ? []
      : [{ key, flag: own[key], value: isAskedAnew(own[key], value) ? '-' : value }],
  );
  const others = [...supplied].flatMap(([key, value]) =>
    own[key] === undefined || typed.some((each) => each.key === key)
      ? []
      : [{ key, flag: own[key], value }],
  );
  const positionals: string[] = [];
  const options = add.map(([name, value]) => wordsOf(name, value));
  for (const { key, flag, value } of [...typed, ...others]) {
    const name = sourceName(flag);
    const target = flags[key];
    if (target === undefined || sourceName(target) !== name || changed.has(name)) continue;
    if (!isRepeated(target, value, keepOutput)) continue;
    if (isPositional(flag)) positionals.push(shellWord(value ?? ''));
    else options.push(wordsOf(name, value));
  }
  return [...positionals, ...options];
}

function wordsOf(name: string, value: string | undefined): string {
  return value === undefined ? name : `${name} ${shellWord(value)}`;
}

/** A secret that is left out, but that the command can't do without: no profile has it. */
function isAskedAnew(flag: Flag<unknown>, value = ''): boolean {
  if (isPositional(flag)) return false;
  return flag.required && flag.setting === undefined && flag.secret && !isReference(value);
}

function isRepeated(flag: Flag<unknown>, value = '', keepOutput = false): boolean {
  if (!keepOutput && (flag.group === 'output' || sourceName(flag) === '--no-input')) return false;
  if (flag.setting === 'headers') return /:\s*(?:env|file|cmd):/.test(value);
  if (flag.setting === 'proxy') return !value.includes('@');
  return !flag.secret || flag.input === 'file' || value === '-' || isReference(value);
}
