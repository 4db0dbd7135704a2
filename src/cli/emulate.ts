import type { SignupOutcome } from '../client/signup.ts';
import type { Cipher } from '../crypto/cipher.ts';
import type { Control, SignupOrder } from '../emulator/control.ts';
import type { FaultControl } from '../emulator/control-routes.ts';
import { createEmulator } from '../emulator/emulator.ts';
import type { Fault } from '../emulator/faults/points.ts';
import type { Environment, Handler } from '../emulator/handling.ts';
import { Journal, type Redact } from '../emulator/journal.ts';
import { type RunningServer, startServer } from '../emulator/server.ts';
import { AuthcliError } from '../errors.ts';
import { table } from '../reports/human.ts';
import { Redactor } from '../reports/redact.ts';
import type { Outcome } from './command.ts';
import { ExchangeLines, type LineSettings } from './emulate-lines.ts';
import type { WatchedEmulator, WatchPage } from './emulate-page.ts';
import { usage } from './hints.ts';
import { defaulted, list, type OptionsOf, optional, toggle } from './options.ts';
import type { Session } from './session.ts';
import { columnsOf } from './style.ts';
import { duration, integer } from './values.ts';

/** What both emulators take. */
export const emulateFlags = {
  host: defaulted('--host <address>', 'the address to listen on', '127.0.0.1', { input: 'word' }),
  port: defaulted('--port <n>', 'the port; 0 picks a free one', '0', { parse: integer(0, 65_535) }),
  fault: list('--fault <name>', 'answer wrongly in this way', { input: 'word' }),
  listFaults: toggle('--list-faults', 'list the faults there are, and stop'),
  latency: optional('--latency <duration>', 'answer so much later', { parse: duration }),
  ui: toggle('--ui', 'serve a page on loopback to watch exchanges in; its address is printed'),
  uiToken: optional(
    '--ui-token <text>',
    "what stands in the page's address, to keep it from run to run (default: a new one)",
    { references: true, parse: pageToken },
  ),
} as const;

/** Long enough not to be guessed, and fit for an address. */
function pageToken(text: string): string {
  if (/^[\w-]{16,}$/.test(text)) return text;
  throw new AuthcliError('usage', 'it is not 16 or more of A-Z, a-z, 0-9, - and _.');
}

/** One emulated side, ready to listen. */
export interface Emulation {
  readonly side: Control['side'];
  readonly handler: Handler;
  readonly faults: FaultControl;
  /** Shown by the control path `health`; no secrets. */
  readonly settings: Readonly<Record<string, unknown>>;
  readonly clientId: string;
  readonly cipher: Cipher;
  /** Where sign-ups go to. */
  readonly callbackUrl?: URL;
  /** Of `expire_dt`. */
  readonly timeZone?: string;
  /** Runs a sign-up towards the application, and tells of its callbacks. */
  readonly signUp?: SignUp;
  readonly options: OptionsOf<typeof emulateFlags>;
  /** Environment variables for the command behind `--`. */
  readonly childEnv: (url: string) => Readonly<Record<string, string>>;
}

/** A sign-up on request; `told` learns how it went, as soon as it is over. */
export type SignUp = (
  order: SignupOrder,
  told: (outcome: SignupOutcome) => void,
) => Promise<Readonly<Record<string, unknown>>>;

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
  { style, context }: Session,
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
      columnsOf(context.stdout),
    ),
  };
}

/** Listens until the run is stopped, or until the command behind `--` has ended. */
export async function emulate(emulation: Emulation, session: Session): Promise<Outcome> {
  const { server, page } = await listen(emulation, session);
  session.atEnd(() => page?.close());
  session.atEnd(() => server.close());
  warnOfOtherHosts(emulation.options.host, session);
  const pageUrl = page?.open(server);
  const { childCommand } = session;
  if (pageUrl !== undefined && !session.global.json) session.aside(`watch it at ${pageUrl}`);
  if (childCommand.length > 0)
    return runChild(childCommand, emulation.childEnv(server.url), session);
  const { url } = server;
  session.emit(
    { event: 'listening', url, side: emulation.side, ...(pageUrl && { ui_url: pageUrl }) },
    `listening on ${url}`,
  );
  await new Promise((_, reject) => {
    session.context.signal.addEventListener('abort', () => reject(session.context.signal.reason));
  });
  return { fields: {}, lines: [] };
}

interface Listening {
  readonly server: RunningServer;
  /** With --ui alone. */
  readonly page?: WatchPage;
}

async function listen(emulation: Emulation, session: Session): Promise<Listening> {
  const { side, handler, faults, settings, signUp } = emulation;
  const { host, port, latency, fault, ui } = emulation.options;
  for (const name of fault) switchOn(name, emulation);
  const journal = new Journal({ redact: journalRedaction(session) });
  const lines = new ExchangeLines(session, lineSettings(emulation, session));
  const told = (outcome: SignupOutcome): void => {
    lines.sent(outcome);
    page?.sent(outcome);
  };
  const control: Control = {
    side,
    journal,
    faults,
    settings,
    signUp: signUp && ((order) => signUp(order, told)),
  };
  const page = ui ? await preparePage({ emulation, control }, session) : undefined;
  const handle = createEmulator({
    handler,
    control,
    environment: emulatorEnvironment(session),
    latencyMs: latency,
    onExchange: (entry, call) => {
      lines.received(entry, call);
      page?.received(call);
    },
    page: page && ((request) => page.answer(request)),
  });
  const onError = (error: unknown): void => warnOfFailure(error, session);
  return { server: await startServer({ host, port, handle, onError }), page };
}

/** Rejects an unknown fault with the command that lists those there are. */
function switchOn(name: string, { faults, side }: Emulation): void {
  try {
    faults.switchOn({ name });
  } catch (error) {
    if (!(error instanceof AuthcliError) || error.code !== 'usage') throw error;
    const command = `authcli emulate ${side === 'service' ? 'service' : 'app'} --list-faults`;
    const near = error.hint.startsWith('Did you mean') ? `${error.hint} ` : '';
    throw usage(error.message, `${near}\`${command}\` lists all.`);
  }
}

/** The page is large, and loaded only where somebody watches. */
async function preparePage(watched: WatchedEmulator, session: Session): Promise<WatchPage> {
  const { WatchPage } = await import('./emulate-page.ts');
  return new WatchPage(watched, await session.context.pageHtml(), session);
}

function lineSettings({ cipher, timeZone, faults }: Emulation, session: Session): LineSettings {
  return {
    cipher,
    timeZone,
    faultTitles: new Map(faults.catalogue.map(({ name, title }) => [name, title])),
    redact: journalRedaction(session),
  };
}

/** A store of users that can't be written is the user's business; anything else is a bug. */
function warnOfFailure(error: unknown, session: Session): void {
  session.warn(
    error instanceof AuthcliError
      ? `${error.message} ${error.hint}`
      : 'the emulator failed to answer a request; this is a bug in authcli',
  );
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
