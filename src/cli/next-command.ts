import { isConnectionCode, isDiagnosisCode } from '../errors.ts';
import { typedTokens } from './args/command-line.ts';
import { globalFlags } from './args/global-flags.ts';
import { takesValue } from './args/options.ts';
import {
  plainLine,
  type RepeatChanges,
  relatedLine,
  repeatLine,
  type TypedCommand,
} from './args/repeat-line.ts';
import type { CommandEntry } from './command.ts';
import type { Failure } from './failure.ts';

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
  if ('again' in next) {
    return readsStandardInput(typed) ? undefined : repeatLine(typed, next);
  }
  if ('help' in next) return [typed.program, next.help, '--help'].filter(Boolean).join(' ');
  if ('words' in next) return plainLine(next.words, typed);
  const entry = commands.find(({ path }) => path === next.command);
  const flags = { ...(await entry?.load())?.flags, ...globalFlags };
  return relatedLine({ path: next.command, flags }, typed, next);
}

/** What follows from the code alone. */
function nextOf(
  { code, suggestedOption, suggestedCommand }: Failure,
  typed: TypedCommand,
): Next | undefined {
  switch (code) {
    case 'interrupted':
    case 'terminated':
      return undefined;
    case 'usage':
      if ((suggestedOption ?? suggestedCommand) !== undefined && takesAll(typed)) {
        return { again: true, keepOutput: true };
      }
      return { help: typed.path };
    case 'internal':
      return { again: true, add: [['--verbose']] };
    case 'config':
      return typed.path === 'doctor' ? undefined : { words: ['doctor'] };
    case 'unknown-user':
      return { words: ['users', 'list'] };
    case 'not-set':
      return { words: ['config', 'list', '--origin'] };
    case 'unknown-text':
      return { help: typed.path };
  }
  if (isConnectionCode(code)) return nextOfConnection(code, typed);
  if (sendsRequests(typed)) return { again: true };
  return isDiagnosisCode(code) ? { words: ['explain', code] } : { again: true };
}

/** A server that isn't there is started, and the run repeated; anything else is examined on its way. */
function nextOfConnection(code: string, typed: TypedCommand): Next {
  if (code === 'refused' && typed.flags.wait !== undefined) {
    return { again: true, add: [['--wait', '60s']] };
  }
  const again = code === 'refused' || typed.path === 'doctor' || !sendsRequests(typed);
  return again ? { again: true } : { command: 'doctor' };
}

function sendsRequests({ flags }: TypedCommand): boolean {
  return flags.timeout !== undefined;
}

/** Whether the command takes each word and option as typed: a value elsewhere means something else, or is a secret. */
function takesAll({ line, flags }: TypedCommand): boolean {
  return typedTokens(line.rest, flags).every(({ key, value }) => {
    const flag = key === undefined ? undefined : flags[key];
    return flag !== undefined && takesValue(flag) === (value !== undefined);
  });
}

/** What was piped in is gone. */
function readsStandardInput({ line }: TypedCommand): boolean {
  return line.rest.some((token) => token === '-' || token.endsWith('=-'));
}
