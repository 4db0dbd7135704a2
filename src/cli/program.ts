import { plainStyle } from '../reports/human.ts';
import { jsonDocument } from '../reports/json.ts';
import type { CommandDefinition, Outcome } from './command.ts';
import { type CommandLine, findCommand, splitCommandLine } from './command-line.ts';
import { commands } from './commands/index.ts';
import type { Context } from './context.ts';
import type { EndedRun } from './debug-report.ts';
import { exitStatus, exitStatusOf } from './exit-status.ts';
import { type GlobalOptions, globalFlags } from './global-flags.ts';
import { failureOf, usage } from './hints.ts';
import { legible } from './legible.ts';
import type { Flags } from './options.ts';
import { failureDocument, printFailure, printOutcome } from './output.ts';
import type { Given } from './parse.ts';
import { readPlainArguments } from './plain-arguments.ts';
import { readOptions } from './read-options.ts';
import { Session } from './session.ts';
import { styleFor, widthOf } from './style.ts';

/** What the scripts of `completion` call; no command, since nobody types it. */
const completionWord = '__complete';

/** Runs one command line and prints what comes of it; returns the exit status, and throws nothing. */
export async function runProgram(argv: readonly string[], world: Context): Promise<number> {
  const context = legible(world);
  if (argv[0] === completionWord) {
    const { runCompletion } = await import('./completion-run.ts');
    return runCompletion(argv.slice(1), context);
  }
  const line = splitCommandLine(argv, commands);
  const json = line.rest.includes('--json');
  try {
    refusePem(line);
    if (isVersion(line))
      return printText({ version: context.version }, context.version, json, context);
    const text = await helpText(line, context);
    if (text !== undefined) {
      const shown = json ? text : await withStyle(text, line, context);
      return printText({ text }, shown.trimEnd(), json, context);
    }
    return await runCommand(line, context);
  } catch (error) {
    const failure = failureOf(error);
    const status = exitStatusOf(failure.code);
    // Nothing is known to be secret yet: only the names of options are shown.
    if (line.rest.includes('--debug') || context.env.AUTHCLI_DEBUG)
      await debug({ line, flags: {}, status, error, redact: (text) => text }, context);
    if (json) context.stdout.write(failureDocument(line.words.join(' '), failure));
    else printFailure(failure, context.stderr, await styleFor(context.stderr, context.env, false));
    return status;
  }
}

/** A PEM text reads as an option, and is a secret as often as not: it is refused before anything looks at it. */
function refusePem({ words, rest }: CommandLine): void {
  if (![...words, ...rest].some((token) => token.startsWith('-----'))) return;
  throw usage(
    "A PEM text can't be given on the command line.",
    'Put it into a file and give @FILE, or pipe it in and give "-".',
  );
}

function isVersion({ words, rest }: CommandLine): boolean {
  return words.length === 0 && rest.some((token) => token === '--version' || token === '-V');
}

/** What --help and `help` print; undefined when a command is to be run. */
async function helpText(line: CommandLine, { stdout }: Context): Promise<string | undefined> {
  const wantsHelp = line.rest.some((token) => token === '--help' || token === '-h');
  const isHelp = line.words[0] === 'help';
  if (!wantsHelp && !isHelp && line.words.length > 0) return undefined;
  if (line.words.length === 0 && !wantsHelp) await refuseStrayOptions(line);
  const help = await import('./help-topics.ts');
  const more = line.rest.filter((token) => !token.startsWith('-'));
  const words = isHelp ? [...line.words.slice(1), ...more] : line.words;
  return help.helpOn(words, commands, widthOf(stdout));
}

async function withStyle(text: string, { rest }: CommandLine, context: Context): Promise<string> {
  const style = await styleFor(context.stdout, context.env, rest.includes('--no-color'));
  const { withHeadings } = await import('./help.ts');
  return withHeadings(text, style);
}

/** Without a command, an option that isn't one of every command's can only be a mistake. */
async function refuseStrayOptions(line: CommandLine): Promise<void> {
  const { parseFlags } = await import('./parse.ts');
  parseFlags('authcli', globalFlags, line.rest);
}

function printText(
  fields: Readonly<Record<string, string>>,
  text: string,
  json: boolean,
  { stdout }: Context,
): number {
  const [command = ''] = Object.keys(fields).map((name) => (name === 'text' ? 'help' : name));
  stdout.write(json ? jsonDocument({ ok: true, command, ...fields }) : `${text}\n`);
  return exitStatus.done;
}

async function runCommand(line: CommandLine, context: Context): Promise<number> {
  const entry = findCommand(line.words, commands);
  const definition: CommandDefinition = await entry.load();
  const given = await givenTo(definition, line);
  const global = await globalOptions(given, context);
  const style = global.json
    ? plainStyle
    : await styleFor(context.stdout, context.env, global.noColor);
  const session = new Session(context, global, style, async () => {
    const { openLocalState } = await import('./local-state.ts');
    return openLocalState(context, global);
  });
  session.childCommand = line.behind ?? [];
  const outcome = await outcomeOf(definition, given, session);
  const status = statusOf(outcome);
  if (global.debug) {
    const redact = (text: string) => session.secrets.text(text);
    const flags = { ...definition.flags, ...globalFlags };
    await debug({ line, flags, status, error: outcome.thrown, redact }, context);
  }
  if (outcome.exitStatus !== undefined) return status;
  const { failure } = outcome;
  const errStyle =
    failure === undefined
      ? plainStyle
      : await styleFor(context.stderr, context.env, global.noColor);
  printOutcome(entry.path, outcome, session, errStyle);
  return status;
}

function statusOf({ exitStatus: handedOn, failure }: Outcome): number {
  if (handedOn !== undefined) return handedOn;
  if (failure === undefined) return exitStatus.done;
  return failure.exitStatus ?? exitStatusOf(failure.code);
}

async function debug(run: EndedRun, context: Context): Promise<void> {
  const { debugReport } = await import('./debug-report.ts');
  context.stderr.write(debugReport(run, context));
}

async function givenTo(definition: CommandDefinition, line: CommandLine): Promise<Given> {
  const flags: Flags = { ...definition.flags, ...globalFlags };
  const ownsBehind = line.behind === undefined || definition.takesCommand === true;
  const argv = ownsBehind ? line.rest : [...line.rest, '--', ...(line.behind ?? [])];
  const plain = readPlainArguments(flags, argv);
  if (plain !== undefined) return plain;
  const { parseFlags } = await import('./parse.ts');
  return parseFlags(definition.path, flags, argv);
}

async function globalOptions(given: Given, { env }: Context): Promise<GlobalOptions> {
  const last = (key: string, variable?: string): string | undefined =>
    given.get(key)?.at(-1) ?? (variable === undefined ? undefined : env[variable] || undefined);
  const on = (key: string): boolean => given.has(key);
  return {
    json: on('json'),
    quiet: on('quiet'),
    verbose: on('verbose'),
    trace: on('trace'),
    debug: on('debug') || Boolean(env.AUTHCLI_DEBUG),
    noColor: on('noColor'),
    noInput: on('noInput'),
    showSecrets: on('showSecrets'),
    allowLoosePermissions: on('allowLoosePermissions'),
    config: last('config', 'AUTHCLI_CONFIG'),
    profile: last('profile', 'AUTHCLI_PROFILE'),
  };
}

/** What a run ended with, and what was thrown in it. */
interface RunOutcome extends Outcome {
  readonly thrown?: unknown;
}

/** What the command ends with, its failures included; what it left for the end is done in any case. */
async function outcomeOf(
  definition: CommandDefinition,
  given: Given,
  session: Session,
): Promise<RunOutcome> {
  let outcome: RunOutcome;
  try {
    const stopped = whenStopped(session.context);
    const options = await Promise.race([readOptions(definition, given, session), stopped]);
    outcome = await Promise.race([definition.run(options, session), stopped]);
  } catch (error) {
    outcome = failed(error);
  }
  await session.warnOfState();
  if (outcome.failure !== undefined) (await import('./meant-file.ts')).noteMeantFiles(session);
  try {
    await session.finish();
  } catch (error) {
    outcome = outcome.failure === undefined ? { ...outcome, ...failed(error) } : outcome;
  }
  return outcome;
}

function failed(error: unknown): RunOutcome {
  return { fields: {}, lines: [], failure: failureOf(error), thrown: error };
}

/**
 * Rejects when the run is interrupted or terminated, once a command that stops by itself has had its
 * turn: what such a one tells of the work that is done counts.
 */
function whenStopped({ stop }: Context): Promise<never> {
  return new Promise((_, reject) => {
    const end = (): void => {
      setImmediate(() => reject(stop.reason));
    };
    if (stop.aborted) end();
    else stop.addEventListener('abort', end);
  });
}
