import { shellWord } from '../../text.ts';
import { type CommandLine, typedTokens } from './command-line.ts';
import { isReference } from './input.ts';
import { type Flag, type Flags, flagName, isPositional } from './options.ts';

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

/**
 * The run again, to be pasted into a shell: what was typed, and what was supplied otherwise. Output flags are left
 * out, and secrets that aren't references: the environment or the profile may have them, or they are asked for.
 */
export function repeatLine(typed: TypedCommand, changes: RepeatChanges = {}): string {
  const { line, path, program, flags } = typed;
  const behind = line.behind === undefined ? [] : ['--', ...line.behind.map(shellWord)];
  return [program, path, ...wordsFor(flags, typed, changes), ...behind].filter(Boolean).join(' ');
}

/** Another command, with those options of this run that it takes too. */
export function relatedLine(
  target: { readonly path: string; readonly flags: Flags },
  typed: TypedCommand,
  changes: RepeatChanges = {},
): string {
  return [typed.program, target.path, ...wordsFor(target.flags, typed, changes)].join(' ');
}

/** A command line of these words alone, in the profile of this run. */
export function plainLine(words: readonly string[], typed: TypedCommand): string {
  const { config, profile } = typed.flags;
  const flags = { ...(config && { config }), ...(profile && { profile }) };
  return [typed.program, ...words.map(shellWord), ...wordsFor(flags, typed, {})].join(' ');
}

/** The command line that explains a code, for the cipher and in the profile of this run. */
export function explainLine(code: string, typed: TypedCommand): string {
  const { cipher } = typed.flags;
  const line = plainLine(['explain', code], typed);
  return [line, ...(cipher ? wordsFor({ cipher }, typed, {}) : [])].join(' ');
}

function wordsFor(
  flags: Flags,
  { line, flags: own, supplied }: TypedCommand,
  { add = [], without = [], keepOutput = false }: RepeatChanges,
): readonly string[] {
  const names = new Set([...without, ...add.map(([name]) => name)]);
  const typed = typedTokens(line.rest, own).map(({ key = '', name, value }) => ({
    key,
    name,
    value: isAskedAnew(own[key], value) ? '-' : value,
  }));
  const given = new Set(typed.map(({ key }) => key));
  const others = [...supplied]
    .filter(([key]) => !given.has(key))
    .map(([key, value]) => ({ key, name: nameOf(own[key]), value }));
  const all = [...typed, ...others].filter(
    ({ key, name, value }) =>
      !names.has(name) && isSame(own[key], flags[key]) && isRepeated(flags[key], value, keepOutput),
  );
  const positionals = all.filter(({ name }) => name === '');
  const options = all.filter(({ name }) => name !== '');
  return [
    ...positionals.map(({ value }) => wordsOf('', value)),
    ...add.map(([name, value]) => wordsOf(name, value)),
    ...options.map(({ name, value }) => wordsOf(name, value)),
  ];
}

function nameOf(flag: Flag<unknown> | undefined): string {
  return flag === undefined || isPositional(flag) ? '' : `--${flagName(flag)}`;
}

function wordsOf(name: string, value: string | undefined): string {
  return [name, ...(value === undefined ? [] : [shellWord(value)])].filter(Boolean).join(' ');
}

/** Whether both are the same option, or the same argument. */
function isSame(own: Flag<unknown> | undefined, target: Flag<unknown> | undefined): boolean {
  return own !== undefined && target !== undefined && nameOf(own) === nameOf(target);
}

/** A secret that is left out, but that the command can't do without: no profile has it. */
function isAskedAnew(flag: Flag<unknown> | undefined, value = ''): boolean {
  if (flag === undefined || isPositional(flag)) return false;
  return flag.required && flag.setting === undefined && flag.secret && !isReference(value);
}

function isRepeated(
  flag: Flag<unknown> | undefined,
  value: string | undefined = '',
  keepOutput = false,
): boolean {
  if (flag === undefined) return false;
  if (!keepOutput && (flag.group === 'output' || flagName(flag) === 'no-input')) return false;
  if (flag.setting === 'headers') return /:\s*(?:env|file|cmd):/.test(value);
  if (flag.setting === 'proxy') return !value.includes('@');
  return !flag.secret || flag.input === 'file' || value === '-' || isReference(value);
}
