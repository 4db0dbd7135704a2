import type { Control } from '../emulator/control.ts';
import type { FaultControl } from '../emulator/control-routes.ts';
import { createEmulator } from '../emulator/emulator.ts';
import type { Fault } from '../emulator/faults/points.ts';
import type { Environment, Handler } from '../emulator/handling.ts';
import { Journal, type JournalEntry, type Redact } from '../emulator/journal.ts';
import { type RunningServer, startServer } from '../emulator/server.ts';
import { AuthcliError } from '../errors.ts';
import { marks, padEnd, table } from '../reports/human.ts';
import { Redactor } from '../reports/redact.ts';
import { escapeControls } from '../text.ts';
import type { Outcome } from './command.ts';
import { usage } from './hints.ts';
import { defaulted, list, type OptionsOf, optional, toggle } from './options.ts';
import type { Session } from './session.ts';
import { duration, integer } from './values.ts';

/** What both emulators take. */
export const emulateFlags = {
  host: defaulted('--host <address>', 'the address to listen on', '127.0.0.1', { input: 'word' }),
  port: defaulted('--port <n>', 'the port; 0 picks a free one', '0', { parse: integer(0, 65_535) }),
  fault: list('--fault <name>', 'answer wrongly in this way', { input: 'word' }),
  listFaults: toggle('--list-faults', 'list the faults there are, and stop'),
  latency: optional('--latency <duration>', 'answer so much later', { parse: duration }),
} as const;

/** One emulated side, ready to listen. */
export interface Emulation {
  readonly side: Control['side'];
  readonly handler: Handler;
  readonly faults: FaultControl;
  /** Shown by the control path `health`; no secrets. */
  readonly settings: Readonly<Record<string, unknown>>;
  readonly signUp?: Control['signUp'];
  readonly options: OptionsOf<typeof emulateFlags>;
  /** Environment variables for the command behind `--`. */
  readonly childEnv: (url: string) => Readonly<Record<string, string>>;
}

/** What an emulator takes of the world. */
export function emulatorEnvironment({ context }: Session): Environment {
  return { now: context.now, randomBytes: context.randomBytes };
}

/** Hides in a journal's entries what the session knows to be secret, and what the call itself says is. */
export function journalRedaction(session: Session): Redact {
  return (value, secrets) => {
    if (session.showsSecrets) return value;
    const redactor = new Redactor();
    for (const secret of secrets) redactor.add(secret);
    return session.secrets.json(redactor.json(value));
  };
}

/** What --list-faults prints: each fault, what it does, and the check and diagnosis that it must cause. */
export function faultList(
  catalogue: readonly Pick<Fault<never>, 'name' | 'title' | 'check' | 'diagnosis'>[],
  { style }: Session,
): Outcome {
  const faults = catalogue.map(({ name, title, check, diagnosis }) => ({
    name,
    title,
    check,
    diagnosis,
  }));
  return {
    fields: { faults },
    lines: table(
      ['FAULT', 'WHAT GOES WRONG', 'CHECK', 'DIAGNOSIS'],
      faults.map(({ name, title, check, diagnosis }) => [name, title, check, diagnosis]),
      style,
    ),
  };
}

/** Listens until the run is stopped, or until the command behind `--` has ended. */
export async function emulate(emulation: Emulation, session: Session): Promise<Outcome> {
  const server = await listen(emulation, session);
  session.atEnd(() => server.close());
  warnOfOtherHosts(emulation.options.host, session);
  const { childCommand } = session;
  if (childCommand.length > 0)
    return runChild(childCommand, emulation.childEnv(server.url), session);
  session.emit(
    { event: 'listening', url: server.url, side: emulation.side },
    `listening on ${server.url}`,
  );
  await new Promise((_, reject) => {
    session.context.signal.addEventListener('abort', () => reject(session.context.signal.reason));
  });
  return { fields: {}, lines: [] };
}

function listen(emulation: Emulation, session: Session): Promise<RunningServer> {
  const { side, handler, faults, settings, signUp } = emulation;
  const { host, port, latency, fault } = emulation.options;
  for (const name of fault) faults.switchOn({ name });
  const journal = new Journal({ redact: journalRedaction(session) });
  const handle = createEmulator({
    handler,
    control: { side, journal, faults, settings, signUp },
    environment: emulatorEnvironment(session),
    latencyMs: latency,
    onExchange: (entry) => reportExchange(entry, session),
  });
  return startServer({ host, port, handle, onError: (error) => warnOfFailure(error, session) });
}

/** A store of users that can't be written is the user's business; anything else is a bug. */
function warnOfFailure(error: unknown, session: Session): void {
  session.warn(
    error instanceof AuthcliError
      ? `${error.message} ${error.hint}`
      : 'the emulator failed to answer a request; this is a bug in authcli',
  );
}

/** One line an exchange: on standard output, or on standard error where that belongs to the command behind `--`. */
function reportExchange(entry: JournalEntry, session: Session): void {
  if (session.childCommand.length > 0) {
    if (session.global.verbose) session.note(exchangeLine(entry));
    return;
  }
  const details = session.global.verbose
    ? [
        `\n  ${marks.arrowIn} ${escapeControls(entry.request.body)}`,
        `\n  ${marks.arrowOut} ${escapeControls(entry.answer.body)}`,
      ]
    : [];
  session.emit({ event: 'exchange', ...entry }, exchangeLine(entry) + details.join(''));
}

function exchangeLine(entry: JournalEntry): string {
  const time = entry.received_at.slice(11, 19);
  const what = entry.operation ?? `${entry.request.method} ${entry.request.path}`;
  const faults = entry.faults.length === 0 ? '' : `  fault ${entry.faults.join(', ')}`;
  const { status } = entry.answer;
  return `${time}  ${padEnd(what, 13)} ${padEnd(escapeControls(entry.ptn_cd ?? '-'), 24)} ${status}  ${entry.code ?? '-'}  ${entry.duration_ms} ms${faults}`;
}

function warnOfOtherHosts(host: string, session: Session): void {
  if (/^(?:127\.|localhost$|::1$)/.test(host)) return;
  session.warn(
    `the emulator listens on ${host}, where other machines may reach it; it is made for tests alone`,
  );
}

async function runChild(
  [command = '', ...args]: readonly string[],
  env: Readonly<Record<string, string>>,
  session: Session,
): Promise<Outcome> {
  const { context } = session;
  const status = await context
    .runChild({ command, args, env, signal: context.signal })
    .catch((error: unknown) => {
      const code = (error as NodeJS.ErrnoException).code ?? 'unknown';
      throw usage(
        `The command ${JSON.stringify(command)} can't be run (${code}).`,
        'Is it installed, and on the PATH?',
      );
    });
  return { fields: {}, lines: [], exitStatus: status };
}
