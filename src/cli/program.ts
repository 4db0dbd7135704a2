import { AuthcliError } from '../errors.ts';
import { plainStyle } from '../reports/human.ts';
import { jsonDocument } from '../reports/json.ts';
import {
  type CommandLine,
  findCommand,
  type Given,
  parseFlags,
  splitCommandLine,
} from './args/command-line.ts';
import { pemOnCommandLine, textContent } from './args/input.ts';
import { type Flag, type Flags, sourceName } from './args/options.ts';
import { type GlobalOptions, globalFlags } from './args/shared-flags.ts';
import type { FailedRun } from './bug-report.ts';
import type { CommandDefinition, Outcome } from './command.ts';
import { commands } from './commands/index.ts';
import type { Context } from './context.ts';
import { exitStatus, exitStatusOf } from './exit-status.ts';
import { type Failure, failureOf, usage } from './failure.ts';
import { explainLine, nextLine, type TypedCommand } from './next-command.ts';
import { howFailed, outcomeOfRun } from './run-command.ts';
import { Session } from './session.ts';
import { failureDocument, partsOf, printFailure, printOutcome } from './terminal/output.ts';
import { forTerminals, remarkColumns, styleFor, widthOf } from './terminal/style.ts';

/** Called by the completion scripts; not a command, since users never type it. */
const completionWord = '__complete';

/** Runs one command line and prints its outcome; resolves to the exit status, and never rejects. */
export async function runProgram(argv: readonly string[], given: Context): Promise<number> {
  const context = forTerminals(given);
  if (argv[0] === completionWord) {
    const { runCompletion } = await import('./complete/complete.ts');
    return runCompletion(argv.slice(1), context);
  }
  const line = splitCommandLine(argv, commands);
  const json = line.rest.some((token) => /^--json(?:=|$)/.test(token));
  try {
    refusePem(line);
    if (isVersion(line))
      return printText(
        { command: 'version', version: context.version },
        context.version,
        json,
        context,
      );
    const text = await helpText(line, context);
    if (text !== undefined) {
      const shown = json ? text : await withStyle(text, line, context);
      return printText({ command: 'help', text }, shown.trimEnd(), json, context);
    }
    return await runCommand(line, context);
  } catch (error) {
    const failure = failureOf(error);
    const status = exitStatusOf(failure.code);
    // Nothing is known to be secret yet: only the names of options are shown.
    if (status === exitStatus.bug && line.rest.includes('--verbose'))
      await reportBug({ line, flags: {}, error, redact: (text) => text }, context);
    return printEarlyFailure(failure, line, json, context).then(
      () => status,
      (bug: unknown) => {
        context.stderr.write(`error: ${failureOf(bug).message}\n`);
        return exitStatus.bug;
      },
    );
  }
}

/** A failure before the command and its options were known. */
async function printEarlyFailure(
  failure: Failure,
  line: CommandLine,
  json: boolean,
  context: Context,
): Promise<void> {
  const { stdout, stderr, env } = context;
  const program = programName(env);
  const typed = await intendedCommandLine(failure, line, program);
  const next = await nextLine(failure, typed, commands);
  if (json) {
    stdout.write(failureDocument(line.words.join(' '), failure, next));
    return;
  }
  const style = await styleFor(stderr, env, line.rest.includes('--no-color'));
  const detail = line.rest.includes('--quiet') ? 'quiet' : 'normal';
  const explain = (code: string) => explainLine(code, typed);
  const look = {
    style,
    width: remarkColumns(stderr),
    detail,
    redact: (text: string) => text,
    program,
    explainLine: explain,
  } as const;
  printFailure(partsOf(failure, next), stderr, look);
}

/** The command line with the suggested corrections. */
async function intendedCommandLine(
  { suggestedCommand, suggestedOption }: Failure,
  line: CommandLine,
  program: string,
): Promise<TypedCommand> {
  const words = line.words.join(' ');
  const entry = commands.find((each) => each.path === (suggestedCommand ?? words));
  const flags = { ...(await entry?.load())?.flags, ...globalFlags };
  const { typed = '', name = '' } = suggestedOption ?? {};
  const corrected = (token: string): string =>
    token.replace(/=.*$/s, '') === typed && !mayTakeSecret(typed)
      ? name + token.slice(typed.length)
      : token;
  const rest = line.rest.map(corrected);
  const isGroup = commands.some((each) => each.path.startsWith(`${words} `));
  const path = entry?.path ?? (isGroup ? words : '');
  return { path, line: { ...line, rest }, flags, program, supplied: new Map() };
}

/** By the name of an unknown option: its value isn't printed again. */
function mayTakeSecret(name: string): boolean {
  return /secret|token|pass|key|sp$/i.test(name);
}

/**
 * How authcli was started: npm tells a program that it runs for `npx` or for a script. What npx fetched itself
 * (`npx URL`) isn't installed: `npx authcli` would fetch what the registry has under that name.
 */
function programName({ npm_command: command, PATH = '' }: Context['env']): string {
  // npm 10 says `run-script`, npm 11 `run`
  const isScript = command === 'run-script' || command === 'run';
  const isInstalled = isScript || (command === 'exec' && !/[\\/]_npx[\\/]/.test(PATH));
  return isInstalled ? 'npx authcli' : 'authcli';
}

function refusePem({ words, rest }: CommandLine): void {
  if (![...words, ...rest].some((token) => token.startsWith('-----'))) return;
  throw pemOnCommandLine();
}

function isVersion({ words, rest }: CommandLine): boolean {
  if (words.length === 1 && words[0] === 'version') return true;
  return words.length === 0 && rest.some((token) => token === '--version' || token === '-V');
}

/** What --help and `help` print; undefined when a command is to be run. */
async function helpText(line: CommandLine, { stdout }: Context): Promise<string | undefined> {
  const wantsHelp = line.rest.some((token) => token === '--help' || token === '-h');
  const isHelp = line.words[0] === 'help';
  if (!wantsHelp && !isHelp && line.words.length > 0) return undefined;
  if (line.words.length === 0 && !wantsHelp) refuseStrayOptions(line);
  const help = await import('./terminal/help-topics.ts');
  const more = line.rest.filter((token) => !token.startsWith('-'));
  const words = isHelp ? [...line.words.slice(1), ...more] : line.words;
  return help.helpOn(words, commands, widthOf(stdout), line.rest.includes('--all'));
}

async function withStyle(text: string, { rest }: CommandLine, context: Context): Promise<string> {
  const style = await styleFor(context.stdout, context.env, rest.includes('--no-color'));
  const { withHeadings } = await import('./terminal/help.ts');
  return withHeadings(text, style);
}

/** Without a command, only global options are right. */
function refuseStrayOptions(line: CommandLine): void {
  parseFlags('authcli', globalFlags, line.rest);
}

function printText(
  fields: Readonly<Record<string, string>>,
  text: string,
  json: boolean,
  { stdout }: Context,
): number {
  stdout.write(json ? jsonDocument({ ok: true, ...fields }) : `${text}\n`);
  return exitStatus.done;
}

async function runCommand(line: CommandLine, context: Context): Promise<number> {
  const entry = findCommand(line.words, commands);
  const definition: CommandDefinition = await entry.load();
  const flags: Flags = { ...definition.flags, ...globalFlags };
  const given = givenTo(definition, flags, line);
  const global = globalOptions(given, context);
  const style = global.json
    ? plainStyle
    : await styleFor(context.stdout, context.env, global.noColor);
  const program = programName(context.env);
  const typed = { path: entry.path, line, flags, program };
  const session = new Session(context, global, style, typed, commands);
  const outcome = await outcomeOfRun(definition, given, session);
  const status = statusOf(outcome);
  if (status === exitStatus.bug && global.verbose) {
    const redact = (text: string) => session.secrets.text(text);
    await reportBug({ line, flags, error: outcome.thrown, redact }, context);
  }
  if (outcome.exitStatus !== undefined) return status;
  const failed = outcome.failure && (await howFailed(outcome.failure, session));
  printOutcome(entry.path, outcome, session, failed || undefined);
  return status;
}

function statusOf({ exitStatus: handedOn, failure }: Outcome): number {
  if (handedOn !== undefined) return handedOn;
  if (failure === undefined) return exitStatus.done;
  return failure.exitStatus ?? exitStatusOf(failure.code);
}

async function reportBug(run: FailedRun, context: Context): Promise<void> {
  const { bugReport } = await import('./bug-report.ts');
  context.stderr.write(bugReport(run, context));
}

function givenTo(definition: CommandDefinition, flags: Flags, line: CommandLine): Given {
  const ownsBehind = line.behind === undefined || definition.takesCommand === true;
  const argv = ownsBehind ? line.rest : [...line.rest, '--', ...(line.behind ?? [])];
  return parseFlags(definition.path, flags, argv);
}

function globalOptions(given: Given, { env }: Context): GlobalOptions {
  const last = (key: string, variable?: string): string | undefined =>
    given.get(key)?.at(-1) ?? (variable === undefined ? undefined : env[variable] || undefined);
  const on = (key: string): boolean => given.has(key);
  return {
    json: on('json'),
    quiet: on('quiet'),
    verbose: on('verbose'),
    trace: on('trace'),
    noColor: on('noColor'),
    noInput: on('noInput'),
    showSecrets: on('showSecrets'),
    maxInput: parsed(globalFlags.maxInput, last('maxInput', 'AUTHCLI_MAX_INPUT')),
    stack: parsed(globalFlags.stack, last('stack', 'AUTHCLI_STACK')),
    config: parsed(globalFlags.config, last('config', 'AUTHCLI_CONFIG')),
    profile: parsed(globalFlags.profile, last('profile', 'AUTHCLI_PROFILE')),
  };
}

/** Throws `usage`, naming the flag, for a value that it doesn't take. */
function parsed<T>(flag: Flag<T>, text: string | undefined): T | undefined {
  if (text === undefined) return undefined;
  try {
    return flag.parse([textContent(text)]);
  } catch (error) {
    if (!(error instanceof AuthcliError)) throw error;
    throw usage(`${sourceName(flag)}: ${error.message}`, error.hint);
  }
}
