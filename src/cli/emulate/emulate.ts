import {
  type EmulatedSide,
  journalRedaction,
  type RunningEmulation,
  startEmulation,
} from '../../app/emulation.ts';
import { encodeBase64Url } from '../../bytes.ts';
import type { SignupOutcome } from '../../client/signup.ts';
import type { Control, SignupOrder } from '../../emulator/control.ts';
import { chosenCodeForm } from '../../emulator/faults/chosen-code.ts';
import type { Fault } from '../../emulator/faults/points.ts';
import { similarFaults } from '../../emulator/faults/switchboard.ts';
import { isTlsFault } from '../../emulator/faults/tls.ts';
import type { EmulatorRequest } from '../../emulator/http.ts';
import { AuthcliError, hasCode } from '../../errors.ts';
import { isLoopbackHost } from '../../protocol/endpoints.ts';
import { table } from '../../reports/human.ts';
import { defaulted, list, type OptionsOf, optional, toggle } from '../args/options.ts';
import { duration, integer } from '../args/values.ts';
import type { Outcome } from '../command.ts';
import { cannotRun, usage } from '../failure.ts';
import type { Session } from '../session.ts';
import { columnsOf } from '../terminal/style.ts';
import { type OpenedTls, openTls } from '../tls/open-tls.ts';
import { tlsFlags } from '../tls/tls-flags.ts';
import { tlsEnvironment, tlsEvent } from '../tls/tls-lines.ts';
import { ExchangeLines } from './emulate-lines.ts';
import type { WatchPage } from './emulate-page.ts';
import { startLines } from './start-lines.ts';

export const emulateFlags = {
  host: defaulted('--host <address>', 'the address to listen on', '127.0.0.1', { input: 'word' }),
  port: defaulted('--port <n>', 'the port; 0 picks a free one', '0', { parse: integer(0, 65_535) }),
  fault: list(
    '--fault <name>',
    'respond with this fault; code=CODE:MESSAGE responds with that code',
    { input: 'word' },
  ),
  listFaults: toggle('--list-faults', 'list the available faults and exit'),
  ...tlsFlags,
  latency: optional('--latency <duration>', 'delay each response by DURATION', { parse: duration }),
  lenient: toggle('--lenient', 'accept a wrong Content-Type, and report it'),
  open: toggle('--open', 'serve the page of --ui, and open it in your browser'),
  ui: toggle('--ui', 'serve a page on loopback that shows the exchanges; its address is printed'),
  uiToken: optional(
    '--ui-token <text>',
    "the secret part of the page's address, to keep it across runs (default: a new one)",
    { references: true, parse: pageToken },
  ),
} as const;

/** The secret part of the page's address: the one that was given, or a new one. */
export function pageTokenOf(
  { uiToken }: Pick<OptionsOf<typeof emulateFlags>, 'uiToken'>,
  { context }: Session,
): string {
  return uiToken ?? encodeBase64Url(context.randomBytes(24));
}

/** Hard to guess, and valid in a URL. */
function pageToken(text: string): string {
  if (/^[\w-]{16,}$/.test(text)) return text;
  throw new AuthcliError('usage', 'it must be 16 or more characters of A-Z, a-z, 0-9, - and _.');
}

export interface Emulation {
  readonly side: EmulatedSide;
  readonly callbackUrl?: URL | undefined;
  readonly signUp: SignUp;
  readonly options: OptionsOf<typeof emulateFlags>;
  readonly childEnv: (url: string) => Readonly<Record<string, string>>;
}

/** Runs a sign-up that a control path or the page orders, while the emulator listens at `url`. */
export type SignUp = (
  order: SignupOrder,
  running: {
    readonly url: string;
    readonly tls: OpenedTls | undefined;
    readonly onOutcome: (outcome: SignupOutcome) => void;
  },
) => Promise<Readonly<Record<string, unknown>>>;

/** The list of --list-faults. */
export function faultList(
  catalogue: readonly Pick<Fault<never>, 'name' | 'title' | 'check' | 'diagnosis'>[],
  { style, context }: Session,
): Outcome {
  const faults = catalogue.map(({ name, title, check, diagnosis }) => ({
    name,
    title,
    ...(check !== undefined && { check }),
    diagnosis,
  }));
  return {
    fields: { faults },
    lines: table(
      ['FAULT', 'WHAT GOES WRONG', 'CHECK', 'DIAGNOSIS'],
      [
        ...faults.map(({ name, title, check, diagnosis }) => [name, title, check ?? '', diagnosis]),
        [chosenCodeForm.name, chosenCodeForm.title, '', 'code-not-success'],
      ],
      style,
      columnsOf(context.stdout),
    ),
  };
}

/** Listens until the run is stopped or the command after `--` ends. */
export async function emulate(emulation: Emulation, session: Session): Promise<Outcome> {
  const tls = await openTls(emulation.options, session);
  const { server, page } = await listen(emulation, tls, session);
  session.atEnd(() => page?.close());
  session.atEnd(() => server.close());
  warnOfOtherHosts(emulation.options.host, session);
  const pageUrl = page?.open(server);
  const { childCommand } = session;
  if (pageUrl !== undefined && !session.global.json) session.aside(`watch it at ${pageUrl}`);
  if (pageUrl !== undefined && emulation.options.open) openInBrowser(pageUrl, session);
  if (childCommand.length > 0) {
    const env = { ...emulation.childEnv(server.url), ...tlsEnvironment(tls, session) };
    return runChild(childCommand, env, session);
  }
  const { url } = server;
  const { side } = emulation.side;
  session.emit(
    {
      event: 'listening',
      url,
      side,
      ...(pageUrl && { ui_url: pageUrl }),
      ...(tls && { tls: tlsEvent(tls) }),
    },
    startLines(
      {
        side: emulation.side,
        url,
        faults: emulation.options.fault,
        callbackUrl: emulation.callbackUrl?.href,
        hasPage: page !== undefined,
        tls,
      },
      session,
    ).join('\n'),
  );
  await new Promise((_, reject) => {
    session.context.signal.addEventListener('abort', () => reject(session.context.signal.reason));
  });
  return { fields: {}, lines: [] };
}

/** What opens a URL in the browser, by platform. */
const openers: Readonly<Record<string, readonly [command: string, ...args: string[]]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

export function openInBrowser(url: string, { context, note }: Session): void {
  const [command, ...args] = openers[context.platform.os] ?? ['xdg-open'];
  context
    .firstLineOf(command, [...args, url])
    .catch(() => note(`${command} failed: open the page's address yourself`));
}

/** Serves an emulated side; each exchange is printed. */
export async function listen(
  emulation: Emulation,
  tls: OpenedTls | undefined,
  session: Session,
): Promise<{ readonly server: RunningEmulation; readonly page?: WatchPage }> {
  const { side, signUp } = emulation;
  const { host, port, latency, fault, open } = emulation.options;
  const ui = open || emulation.options.ui;
  for (const name of fault.filter((each) => !isTlsFault(each))) switchOn(name, side);
  const redaction = journalRedaction(session.showsSecrets, session.secrets);
  const lines = new ExchangeLines(session, side, redaction);
  let page: WatchPage | undefined;
  const onOutcome = (outcome: SignupOutcome): void => {
    lines.sent(outcome);
    page?.sent(outcome);
  };
  const openPage = async (control: Control) => {
    const { WatchPage } = await import('./emulate-page.ts');
    page = new WatchPage({ emulation, control, tls }, await session.context.pageHtml(), session);
    return (request: EmulatorRequest) => page?.respond(request);
  };
  const server = await startEmulation(
    {
      ...side,
      signUp: (order) => signUp(order, { url: localUrl(host, server), tls, onOutcome }),
    },
    {
      host,
      port,
      latencyMs: latency,
      redaction,
      onExchange: (entry, call) => {
        lines.received(entry, call);
        page?.received(call);
      },
      onError: (error) => warnOfFailure(error, session),
      tls: tls?.server,
      onTlsProblem: (problem) => session.warnOnce(`TLS: ${problem}`),
      ...(ui && { openPage }),
    },
    session.context,
  );
  return { server, page };
}

/** The address for this machine, where the emulator may listen on all addresses. */
export function localUrl(
  host: string,
  { port, url }: Pick<RunningEmulation, 'port' | 'url'>,
): string {
  const name = { '0.0.0.0': '127.0.0.1', '::': '::1' }[host] ?? host;
  return `${new URL(url).protocol}//${name.includes(':') ? `[${name}]` : name}:${port}`;
}

/** The error for an unknown fault names the command that lists them. */
function switchOn(name: string, { faults, side }: EmulatedSide): void {
  try {
    faults.switchOn({ name });
  } catch (error) {
    if (!hasCode(error, 'usage')) throw error;
    const similar = similarFaults(
      name,
      faults.catalogue.map((fault) => fault.name),
    ).join(', ');
    const words = ['emulate', side === 'service' ? 'service' : 'app', '--list-faults'];
    throw usage(
      error.message,
      `${similar && `Did you mean ${similar}? `}\`authcli ${words.join(' ')}\` lists all.`,
      { next: { words } },
    );
  }
}

/** A user file that can't be written is reported; any other error is a bug. */
function warnOfFailure(error: unknown, session: Session): void {
  session.warn(
    error instanceof AuthcliError
      ? `${error.message} ${error.hint}`
      : 'the emulator failed to handle a request; this is a bug in authcli',
  );
}

function warnOfOtherHosts(host: string, session: Session): void {
  if (isLoopbackHost(host)) return;
  session.warn(
    `the emulator listens on ${host}, where other machines can reach it; it is for tests only`,
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
      throw cannotRun(command, error);
    });
  return { fields: {}, lines: [], exitStatus: status };
}
