import { once } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { AuthcliError } from '../errors.ts';
import { plainStyle } from '../reports/human.ts';
import { jsonDocument } from '../reports/json.ts';
import { redacted } from '../reports/redact.ts';
import { escapeControls } from '../text.ts';
import { type CommandLine, emptyLine, readCommandLine, type Wanted } from './args/command-line.ts';
import { textContent } from './args/input.ts';
import { type Flag, sourceName, takesValue, variableOf } from './args/options.ts';
import { readOptions } from './args/read-options.ts';
import { type GlobalOptions, globalFlags } from './args/shared-flags.ts';
import type { AnyCommand, Outcome } from './command.ts';
import type { Context } from './context.ts';
import { exitStatus, exitStatusOf } from './exit-status.ts';
import { failureOf, usage } from './failure.ts';
import { programName, Session } from './session.ts';
import { printOutcome } from './terminal/output.ts';
import { forTerminals, styleFor, widthOf } from './terminal/style.ts';

/** Called by the completion scripts; not a command, since users never type it. */
const completionWord = '__complete';

interface RunOutcome extends Outcome {
  readonly thrown?: unknown;
}

/** Runs one command line and prints its outcome; resolves to the exit status, and never rejects. */
export async function runProgram(argv: readonly string[], given: Context): Promise<number> {
  const context = forTerminals(given);
  if (argv[0] === completionWord) {
    const { runCompletion } = await import('./complete/complete.ts');
    return runCompletion(argv.slice(1), context);
  }
  const line = emptyLine();
  let session: Session | undefined;
  let outcome: RunOutcome;
  try {
    const wanted = await readCommandLine(argv, line);
    if (wanted !== undefined) return await printText(wanted, line, context);
    session = await openSession(globalOptions(line, context.env), line, context);
    outcome = await outcomeOfRun(line.definition as AnyCommand, session);
  } catch (error) {
    outcome = failed(error);
  }
  try {
    session ??= await openSession(globalOptions(line, context.env, true), line, context);
    return await endWith(outcome, session);
  } catch (error) {
    context.stderr.write(`error: ${failureOf(error).message}\n`);
    return exitStatus.internal;
  }
}

async function openSession(global: GlobalOptions, line: CommandLine, context: Context) {
  const { stdout, env } = context;
  const style = global.json ? plainStyle : await styleFor(stdout, env, global.noColor);
  return new Session(context, global, style, line);
}

/**
 * The options of every command. Throws `usage`, naming the flag, for a value that it doesn't take; for what prints that,
 * only those without a value are read.
 */
function globalOptions({ given }: CommandLine, env: Context['env'], isRefused = false) {
  const entries = Object.entries<Flag<unknown>>(globalFlags).map(([key, flag]) => {
    const inEnvironment = env[variableOf(flag) ?? ''] || undefined;
    const text = given.get(key)?.at(-1) ?? inEnvironment;
    if (text === undefined || (isRefused && takesValue(flag))) return [key, flag.parse([])];
    try {
      return [key, flag.parse([textContent(text)])];
    } catch (error) {
      if (!(error instanceof AuthcliError)) throw error;
      throw usage(`${sourceName(flag)}: ${error.message}`, error.hint);
    }
  });
  return Object.fromEntries(entries) as GlobalOptions;
}

async function printText(wanted: Wanted, { given }: CommandLine, context: Context) {
  const { stdout, env, version } = context;
  const json = given.has('json');
  if (wanted === 'version') {
    stdout.write(json ? jsonDocument({ ok: true, command: 'version', version }) : `${version}\n`);
    return exitStatus.done;
  }
  const { helpOn } = await import('./terminal/help.ts');
  const style = json ? plainStyle : await styleFor(stdout, env, given.has('noColor'));
  const look = { width: widthOf(stdout), style, program: programName(context) };
  const text = (await helpOn(wanted.help, given.has('all'), look)).trimEnd();
  stdout.write(json ? jsonDocument({ ok: true, command: 'help', text }) : `${text}\n`);
  return exitStatus.done;
}

/** The outcome, failures included; closings run in any case. */
export async function outcomeOfRun(definition: AnyCommand, session: Session): Promise<RunOutcome> {
  let outcome: RunOutcome;
  try {
    const stopped = whenStopped(session.context);
    const options = await Promise.race([readOptions(definition, session), stopped]);
    if (session.detail === 'verbose') {
      for (const { name, value, source } of session.origins.values())
        session.note(escapeControls(`--${name} ${value} (${source})`));
    }
    const run = definition.run(options, session);
    outcome = await (definition.endsWithSignal ? run : Promise.race([run, stopped]));
  } catch (error) {
    outcome = failed(error);
  }
  await session.warnOfState();
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

/** Rejects on SIGINT or SIGTERM, after commands that stop by themselves could return their outcome. */
async function whenStopped({ signal }: Context): Promise<never> {
  if (!signal.aborted) await once(signal, 'abort');
  await setImmediate();
  throw signal.reason;
}

/** Prints the outcome; resolves to the exit status. */
async function endWith(outcome: RunOutcome, session: Session): Promise<number> {
  if (outcome.exitStatus !== undefined) return outcome.exitStatus;
  const status = statusOf(outcome);
  if (status === exitStatus.internal && session.global.verbose)
    session.context.stderr.write(bugReport(outcome.thrown, session));
  await printOutcome(outcome, session);
  return status;
}

export function statusOf({ failure }: Outcome): number {
  if (failure === undefined) return exitStatus.done;
  return failure.exitStatus ?? exitStatusOf(failure.code);
}

/**
 * What --verbose adds where a bug ends the run: versions, the names of what was given, and the stack. Redacted also
 * under --show-secrets, since it is made to be sent.
 */
function bugReport(error: unknown, { context, line, secrets }: Session): string {
  const { version, platform } = context;
  const given = [...line.given.keys()].map((key) => {
    const flag: Flag<unknown> | undefined = line.flags[key];
    return flag === undefined ? redacted : sourceName(flag);
  });
  const lines = [
    `authcli ${version}, Node ${platform.node}, OpenSSL ${platform.openssl}`,
    `command: ${['authcli', line.path, ...given].join(' ')}`,
    ...describeError(error),
  ];
  return `${lines.map((text) => `bug: ${escapeControls(secrets.text(text))}`).join('\n')}\n`;
}

/** Only messages of errors raised on purpose are known to contain no data; folders of this machine are left out. */
function describeError(error: unknown): readonly string[] {
  if (!(error instanceof Error)) return [`thrown: ${typeof error}`];
  const { name, stack = '', cause } = error;
  const code = 'code' in error && typeof error.code === 'string' ? ` ${error.code}` : '';
  const message = error instanceof AuthcliError ? `: ${withoutUrlSecrets(error.message)}` : '';
  const frames = stack.split('\n').filter((line) => /^\s+at /.test(line));
  const folder =
    /(?:file:\/\/)?(?:[A-Za-z]:)?[\\/](?:[^\s()]*?[\\/](?=(?:dist|src|bin)[\\/])|[^\s()]*[\\/])/;
  const shown = frames.map((frame) => frame.replace(folder, ''));
  return [
    `${name}${code}${message}`,
    ...shown,
    ...(cause === undefined ? [] : describeError(cause)),
  ];
}

/** Credentials and the query of a URL are private. */
function withoutUrlSecrets(text: string): string {
  return text
    .replace(/\/\/[^/@\s]*@/g, `//${redacted}@`)
    .replace(/:\/\/[^\s"']*/g, (url) => url.replace(/\?.*$/s, `?${redacted}`));
}
