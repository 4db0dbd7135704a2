import { escapeControls } from '../text.ts';
import type { Given } from './args/command-line.ts';
import { readOptions } from './args/read-options.ts';
import type { CommandDefinition, Outcome } from './command.ts';
import type { Context } from './context.ts';
import { type Failure, failureOf } from './failure.ts';
import type { Session } from './session.ts';
import { remarkColumns, styleFor } from './terminal/style.ts';

interface RunOutcome extends Outcome {
  readonly thrown?: unknown;
}

/** The outcome, failures included; closings run in any case. */
export async function outcomeOfRun(
  definition: CommandDefinition,
  given: Given,
  session: Session,
): Promise<RunOutcome> {
  let outcome: RunOutcome;
  try {
    const stopped = whenStopped(session.context);
    const options = await Promise.race([readOptions(definition, given, session), stopped]);
    if (session.detail === 'verbose') noteOrigins(session);
    const run = definition.run(options, session);
    outcome = await (definition.endsWithSignal ? run : Promise.race([run, stopped]));
  } catch (error) {
    outcome = failed(error);
  }
  await session.warnOfState();
  if (outcome.failure !== undefined) session.input.fileNameRemarks().forEach(session.note);
  try {
    await session.finish();
  } catch (error) {
    outcome = outcome.failure === undefined ? { ...outcome, ...failed(error) } : outcome;
  }
  return outcome;
}

/** Under --verbose: which values are used, and where each came from. */
function noteOrigins({ origins, note }: Session): void {
  for (const { name, value, source } of origins.values()) {
    note(escapeControls(`--${name} ${value} (${source})`));
  }
}

function failed(error: unknown): RunOutcome {
  return { fields: {}, lines: [], failure: failureOf(error), thrown: error };
}

/** Rejects on SIGINT or SIGTERM, after commands that stop by themselves could return their outcome. */
function whenStopped({ signal }: Context): Promise<never> {
  return new Promise((_, reject) => {
    const end = (): void => {
      setImmediate(() => reject(signal.reason));
    };
    if (signal.aborted) end();
    else signal.addEventListener('abort', end);
  });
}

/** How a failure is printed, and the command line that leads on from it. */
export async function howFailed(failure: Failure, session: Session) {
  const { stderr, env } = session.context;
  const style = await styleFor(stderr, env, session.global.noColor);
  if (failure.calls !== undefined) await session.readStack();
  const look = session.failureLook(style, remarkColumns(stderr));
  return { look, next: await session.next(failure) };
}
