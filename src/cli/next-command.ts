import { isConnectionCode, isDiagnosisCode } from '../errors.ts';
import { redacted } from '../reports/redact.ts';
import { shellWord } from '../text.ts';
import type { CommandLine } from './args/command-line.ts';
import { isReference } from './args/input.ts';
import { type Flag, isPositional, sourceName, takesValue, variableOf } from './args/options.ts';
import { networkFlags } from './args/shared-flags.ts';
import type { Failure } from './failure.ts';
import type { Session } from './session.ts';

/** The value of an option for people, and where it came from: `--url`, `AUTHCLI_URL`, `profile NAME`, `default`. */
export interface Origin {
  readonly name: string;
  readonly value: string;
  readonly source: string;
}

/** The source of a value that the user was asked for. */
export const askedFor = 'asked for';

export interface RepeatChanges {
  readonly add?: readonly (readonly [name: string, value?: string])[];
  readonly without?: readonly string[];
}

/** What to run after a failure. */
export type Next =
  /** The same command line, once the fix is made. */
  | ({ readonly again: true } & RepeatChanges)
  /** Another command, with the options of this run that it takes too. */
  | ({ readonly command: keyof typeof taken } & RepeatChanges)
  /** These words and nothing of this run but its profile. */
  | { readonly words: readonly string[] };

const ofProfile = ['config', 'profile'];
const ofNetwork = ['url', ...Object.keys(networkFlags), ...ofProfile];
const taken = {
  doctor: [...ofNetwork, 'authUrl'],
  'simulate-signup': [...ofNetwork, 'clientId', 'cipher', 'app', 'appLog'],
  'cipher probe': [...ofNetwork, 'clientId', 'cipher'],
  verify: [...ofNetwork, 'clientId', 'cipher', 'app', 'appLog'],
} as const;

/** The command line that leads on; undefined where it is that of the run, or needs standard input, which is gone. */
export function lineOf(next: Next, run: Session): string | undefined {
  if ('words' in next) return plainLine(next.words, run);
  if ('command' in next) {
    const { command } = next;
    return [run.program, command, ...wordsOf(run, next, taken[command])].join(' ');
  }
  const isSame = wordsOf(run, next).toSorted().join(' ') === wordsOf(run).toSorted().join(' ');
  const isGone = [...run.line.given.values()].flat().includes('-');
  return isSame || isGone ? undefined : repeatLine(run, next);
}

/** Refusals that may say nothing of their reason. */
const silent: readonly string[] = [
  'code-not-success',
  'empty-body',
  'html-instead-of-json',
  'not-json',
  'reset',
];

/** What to add to the command line of a failure: the value that is known to be right, or the log that says more. */
export function correctionOf(
  { code, evidence = {} }: Pick<Failure, 'code' | 'evidence'>,
  { flags, given }: CommandLine,
): NonNullable<RepeatChanges['add']> {
  const { location, error_text: text, log } = evidence;
  if (flags.url && typeof location === 'string') return [['--url', location]];
  const isKnown = text !== undefined || log !== undefined || given.has('app');
  if (isKnown || !flags.appLog || !silent.includes(code)) return [];
  return [['--app-log', 'app.log']];
}

/** What to run where the failure itself doesn't say so; undefined where the user stopped the run. */
export function nextOf(failure: Failure, line: CommandLine): Next | undefined {
  const { code, next } = failure;
  const { path, flags, given } = line;
  if (next !== undefined) return next;
  const help = { words: [...path.split(' ').filter(Boolean), '--help'] };
  const sendsRequests = flags.timeout !== undefined;
  switch (code) {
    case 'interrupted':
    case 'terminated':
      return undefined;
    case 'usage':
    case 'unknown-text':
      return help;
    case 'internal':
      return { again: true, add: [['--verbose']] };
    case 'config':
      return path === 'doctor' ? undefined : { words: ['doctor'] };
    case 'unknown-user':
      return { words: ['users', 'list'] };
    case 'not-set':
      return { words: ['config', 'list'] };
    case 'refused':
      // A server that isn't there is started; anything else is examined on its way.
      if (flags.wait && !given.has('wait')) return { again: true, add: [['--wait', '60s']] };
  }
  const { situation, error_text: text } = failure.evidence ?? {};
  // The status alone shows what refused the request on its way.
  const isOnItsWay = isConnectionCode(code) || (situation !== undefined && text === undefined);
  const add = correctionOf(failure, line);
  if (add.length > 0 && situation === undefined) return { again: true, add };
  if (isOnItsWay && sendsRequests && path !== 'doctor') return { command: 'doctor' };
  if (!isDiagnosisCode(code)) return undefined;
  return { words: ['explain', situation === undefined ? code : `${text ?? code}`] };
}

/**
 * The run again, to be pasted into a shell: what was typed, and what came from elsewhere and isn't there then. Output
 * flags are left out, and secrets that aren't references: the environment or the profile may have them, or they are
 * asked for.
 */
export function repeatLine(run: Session, changes: RepeatChanges = {}): string {
  const { path, behind } = run.line;
  const child = behind.length === 0 ? [] : ['--', ...behind.map(shellWord)];
  return [run.program, path, ...wordsOf(run, changes), ...child].join(' ');
}

/** A command line of these words alone, in the profile of this run. */
export function plainLine(words: readonly string[], run: Session): string {
  const isHelp = words.at(-1) === '--help';
  const also = words[0] === 'explain' ? ['cipher', 'stack'] : [];
  const kept = isHelp ? [] : wordsOf(run, {}, [...ofProfile, ...also]);
  return [run.program, ...words.map(shellWord), ...kept].join(' ');
}

/** A command with its options by their keys, for callers without a shell. */
export interface NextCall {
  readonly path: string;
  readonly options: readonly (readonly [key: string, value: string])[];
}

/** The same as {@link lineOf}, for an explanation or a run of a command; undefined for help, lists and settings. */
export function callOf(next: Next, run: Session): NextCall | undefined {
  if ('words' in next) {
    const [path = '', ...words] = next.words;
    return path === 'explain' ? { path, options: [['words', words.join(' ')]] } : undefined;
  }
  const isOther = 'command' in next;
  const { flags, path } = run.line;
  const repeated = repeatedOptions(run, next, isOther ? taken[next.command] : undefined);
  const added = (next.add ?? []).flatMap(([name, value = '']) => {
    const key = Object.keys(flags).find((each) => flags[each] && sourceName(flags[each]) === name);
    return key === undefined ? [] : [[key, value] as const];
  });
  const kept = repeated.map(({ key, value }) => [key, value] as const);
  return { path: isOther ? next.command : path, options: [...kept, ...added] };
}

/** The options of the run, or those of these keys, as words. */
function wordsOf(run: Session, changes: RepeatChanges = {}, keys?: readonly string[]) {
  const positionals: string[] = [];
  const options = (changes.add ?? []).map(([name, ...value]) =>
    [name, ...value.map((text = '') => shellWord(text))].join(' '),
  );
  for (const { flag, value } of repeatedOptions(run, changes, keys)) {
    if (isPositional(flag)) positionals.push(shellWord(value));
    else
      options.push([sourceName(flag), ...(takesValue(flag) ? [shellWord(value)] : [])].join(' '));
  }
  return [...positionals, ...options];
}

/** The options of the run, or those of these keys, without what is changed. */
function repeatedOptions(
  { line: { given, flags }, origins }: Session,
  { add = [], without = [] }: RepeatChanges,
  keys: readonly string[] = Object.keys(flags),
) {
  const changed = new Set([...without, ...add.map(([name]) => name)]);
  const values = new Map(given);
  for (const [key, { value, source }] of origins) {
    const flag = flags[key];
    if (flag === undefined || values.has(key) || value === redacted) continue;
    const isSupplied =
      source === askedFor ||
      source === variableOf(flag) ||
      (source.startsWith('profile ') && flag.setting?.endsWith('url'));
    if (isSupplied) values.set(key, [value]);
  }
  return [...values].flatMap(([key, texts]) => {
    const flag = flags[key];
    if (flag === undefined || !keys.includes(key) || changed.has(sourceName(flag))) return [];
    return texts
      .map((text) => ({ key, flag, value: isAskedAnew(flag, text) ? '-' : text }))
      .filter(({ value }) => isRepeated(flag, value));
  });
}

/** A secret that is left out, but that the command can't do without: no profile has it. */
function isAskedAnew(flag: Flag<unknown>, value: string): boolean {
  const isNeeded = flag.required && flag.setting === undefined && !isPositional(flag);
  return isNeeded && flag.secret && !isReference(value);
}

function isRepeated(flag: Flag<unknown>, value: string): boolean {
  if (flag.group === 'output' || sourceName(flag) === '--no-input') return false;
  if (flag.setting === 'headers') return /:\s*(?:env|file|cmd):/.test(value);
  if (flag.setting === 'proxy') return !value.includes('@');
  return !flag.secret || flag.input === 'file' || value === '-' || isReference(value);
}
