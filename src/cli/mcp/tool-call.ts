import { Readable } from 'node:stream';
import { AuthcliError, type Stack } from '../../errors.ts';
import { isJsonObject } from '../../protocol/json.ts';
import { plainStyle } from '../../reports/human.ts';
import { Revealed, redacted } from '../../reports/redact.ts';
import { type GlobalOptions, globalFlags } from '../args/shared-flags.ts';
import type { AnyCommand, CommandEntry, Outcome } from '../command.ts';
import { type Context, contextWith } from '../context.ts';
import { exitStatus, exitStatusOf } from '../exit-status.ts';
import { howFailed, outcomeOfRun } from '../run-command.ts';
import { Session } from '../session.ts';
import { outcomeDocument, printOutcome } from '../terminal/output.ts';
import { terminalText } from '../terminal/style.ts';
import { type Limits, limitedTransport, refuseHost } from './limits.ts';
import type { ToolRun } from './tool-input.ts';

/** What every call of a server has in common. */
export interface ToolServer {
  readonly context: Context;
  readonly global: GlobalOptions;
  readonly limits: Limits;
  readonly commands: readonly CommandEntry[];
  readonly program: string;
  /** The command after `--`, which performs a sign-in for `verify`. */
  readonly signinCommand: readonly string[];
}

/** One call. */
export interface ToolCall extends ToolRun {
  readonly stdin?: string;
  readonly stack?: Stack | undefined;
  readonly hidden?: readonly string[] | undefined;
  readonly isQuiet?: boolean | undefined;
  /** Aborted when the agent cancels the call, or the server ends. */
  readonly signal: AbortSignal;
  readonly onProgress?: (text: string) => void;
}

export interface ToolResult {
  readonly document: Readonly<Record<string, unknown>>;
  /** What the command prints for people. */
  readonly text: string;
  /** The command could not be run at all: its document is the error alone. */
  readonly isError: boolean;
}

/** Runs a command as the command line does, within the limits of the server; never rejects. */
export async function callCommand(
  definition: AnyCommand,
  call: ToolCall,
  server: ToolServer,
): Promise<ToolResult> {
  let printed = '';
  let isOver = false;
  const session = toolSession(definition, call, server, (text) => {
    if (!isOver) printed += text;
  });
  const limited = { ...definition, run: withinLimits(definition, server.limits) };
  const outcome = await outcomeOfRun(limited, call.given, session);
  const { failure } = outcome;
  const failed = failure && (await howFailed(failure, session));
  const hidden = hiddenIn(outcome, call.hidden);
  printOutcome(definition.path, hidden, session, failed || undefined);
  const document = outcomeDocument(definition.path, hidden, failed?.next, session);
  isOver = true; // what an emulator prints from now on is in its journal
  const status = failure && (failure.exitStatus ?? exitStatusOf(failure.code));
  return {
    document: forStack(document, failed?.look.stack ?? call.stack) as ToolResult['document'],
    text: printed,
    isError:
      status !== undefined && status !== exitStatus.negative && status !== exitStatus.unreachable,
  };
}

/** The session of a call: its secrets are its own, and it reaches only what the server allows. */
export function toolSession(
  { path, flags }: AnyCommand,
  call: Pick<ToolCall, 'tokens' | 'stdin' | 'stack' | 'isQuiet' | 'signal' | 'onProgress'>,
  server: ToolServer,
  print: (text: string) => void,
): Session {
  const { tokens, stdin, stack, isQuiet: quiet = false, signal, onProgress } = call;
  const { signinCommand, program, commands } = server;
  const global = { ...server.global, ...forTools, quiet, stack: stack ?? server.global.stack };
  const runsCommand = tokens.includes('--signin');
  const line = {
    words: path.split(' '),
    rest: tokens,
    behind: runsCommand ? signinCommand : undefined,
  };
  const typed = { path, line, flags: { ...flags, ...globalFlags }, program };
  const write = (text: string): void => print(terminalText(text));
  const output = { isTerminal: false, columns: 80, write };
  const own: Partial<Context> = {
    stdin: { isTerminal: false, chunks: () => Readable.from([Buffer.from(stdin ?? '')]) },
    stdout: output,
    stderr: output,
    openTransport: limitedTransport(server.context.openTransport, server.limits),
    runChild: refuseCommand,
    ...(!runsCommand && { runWatched: refuseCommand }),
    signal,
    ...(onProgress && { onProgress }),
  };
  return new Session(contextWith(server.context, own), global, plainStyle, typed, commands);
}

/** Results are for the agent: nothing is asked, traced or shown beyond what is redacted. */
const forTools = {
  json: false,
  verbose: false,
  trace: false,
  noColor: true,
  noInput: true,
  showSecrets: false,
} as const;

async function refuseCommand(): Promise<never> {
  throw new AuthcliError('usage', 'Tools run no commands.');
}

/** Runs the command unless one of its URLs, also of the profile, is beyond the limits. */
function withinLimits({ run }: AnyCommand, limits: Limits): AnyCommand['run'] {
  return async (options: Readonly<Record<string, unknown>>, session: Session) => {
    const { url, signinUrl, authUrl } = options;
    for (const target of [url, signinUrl, authUrl]) {
      if (target !== undefined) refuseHost(new URL(String(target)), limits);
    }
    return run(options, session);
  };
}

/** Without the values that the command exists to print: an agent needs their diagnosis, not them. */
function hiddenIn(outcome: Outcome, hidden: readonly string[] = []): Outcome {
  if (hidden.length === 0) return outcome;
  const lines = outcome.lines.map((line) => (line instanceof Revealed ? redacted : line));
  const fields = mapJson(outcome.fields, (name, item) =>
    hidden.includes(name) && item != null ? redacted : undefined,
  );
  return { ...outcome, lines, fields: fields as Outcome['fields'] };
}

/** The document with the calls of one language alone, where it has that language. */
function forStack(value: unknown, stack: Stack | undefined): unknown {
  if (stack === undefined) return value;
  return mapJson(value, (name, item) =>
    name === 'calls' && isJsonObject(item) && item[stack] !== undefined
      ? { [stack]: item[stack] }
      : undefined,
  );
}

/** The value with the properties that `change` returns; where it returns undefined, what is in them is mapped. */
function mapJson(value: unknown, change: (name: string, item: unknown) => unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => mapJson(item, change));
  if (!isJsonObject(value) || value instanceof Revealed) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [
      name,
      change(name, item) ?? mapJson(item, change),
    ]),
  );
}
