import { operationOf, type SignupOutcome } from '../../client/signup.ts';
import { defaultCipher, formatCipher } from '../../crypto/cipher.ts';
import type { SignupOrder } from '../../emulator/control.ts';
import {
  type EmulatedSide,
  type RunningEmulation,
  startEmulation,
} from '../../emulator/emulator.ts';
import { type ListedFault, listed } from '../../emulator/faults/points.ts';
import { chosenCodeForm, similarFaults } from '../../emulator/faults/switchboard.ts';
import { isTlsFault } from '../../emulator/faults/tls.ts';
import { openly } from '../../emulator/journal.ts';
import { AuthcliError, hasCode } from '../../errors.ts';
import { type DecodedField, decodeExchange } from '../../page/decoded.ts';
import type { Watched } from '../../page/feed.ts';
import { watchedCall, watchedSignup } from '../../page/watched.ts';
import { authenticatePath, isLoopbackHost, tokenPath } from '../../protocol/endpoints.ts';
import { defaultClientId } from '../../protocol/user.ts';
import { callReport, durationOf } from '../../reports/exchange.ts';
import { fields, marks, padEnd, plainStyle, table, wrapCommand } from '../../reports/human.ts';
import { redacted } from '../../reports/redact.ts';
import { escapeControls } from '../../text.ts';
import { flag, type OptionsOf } from '../args/options.ts';
import { duration, integer } from '../args/values.ts';
import type { Outcome } from '../command.ts';
import { cannotRun, usage } from '../failure.ts';
import type { Session } from '../session.ts';
import { exchangeLine } from '../terminal/exchange-line.ts';
import { columnsOf } from '../terminal/style.ts';
import { type OpenedTls, openTls, tlsFlags } from '../tls/open-tls.ts';
import type { WatchPage } from './emulate-page.ts';

export const emulateFlags = {
  host: flag('--host <address>', 'the address to listen on', {
    fallback: '127.0.0.1',
    input: 'word',
  }),
  port: flag('--port <n>', 'the port; 0 picks a free one', {
    fallback: '0',
    parse: integer(0, 65_535),
  }),
  fault: flag(
    '--fault <name...>',
    'respond with this fault; code=CODE:MESSAGE responds with that code',
    { input: 'word' },
  ),
  listFaults: flag('--list-faults', 'list the available faults and exit'),
  ...tlsFlags,
  latency: flag('--latency <duration>', 'delay each response by DURATION', { parse: duration }),
  ui: flag('--ui', 'serve a page on loopback that shows the exchanges; its address is printed'),
  uiToken: flag(
    '--ui-token <text>',
    "the secret part of the page's address, to keep it across runs (default: a new one)",
    { references: true, parse: pageToken },
  ),
} as const;

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

/** Runs a sign-up that a control path orders, while the emulator listens at `url`. */
export type SignUp = (
  order: SignupOrder,
  running: {
    readonly url: string;
    readonly tls: OpenedTls | undefined;
    readonly onOutcome: (outcome: SignupOutcome) => void;
  },
) => Promise<Readonly<Record<string, unknown>>>;

/** The list of --list-faults. */
export function faultList(catalogue: readonly ListedFault[], { style, context }: Session): Outcome {
  const faults = catalogue.map(listed);
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
  const { context, childCommand } = session;
  const { signal } = context;
  const { host } = emulation.options;
  const tls = await openTls(emulation.options, session);
  const { server, page } = await listen(emulation, tls, session);
  session.atEnd(() => page?.close());
  session.atEnd(() => server.close());
  if (!isLoopbackHost(host))
    session.warn(
      `the emulator listens on ${host}, where other machines can reach it; it is for tests only`,
    );
  const pageUrl = await page?.open(server);
  if (pageUrl !== undefined && !session.global.json) session.aside(`watch it at ${pageUrl}`);
  const [command, ...args] = childCommand;
  const { url } = server;
  if (command !== undefined) {
    const env = { ...emulation.childEnv(url), ...tls?.environment };
    const child = { command, args, env, signal, streams: 'inherited' } as const;
    const { status: exitStatus } = await context.runChild(child).catch((error: unknown) => {
      throw cannotRun(command, error);
    });
    return { fields: {}, lines: [], exitStatus };
  }
  const { side } = emulation.side;
  const shown = { ...(pageUrl && { ui_url: pageUrl }), ...(tls && { tls: tls.event }) };
  const lines = startLines(emulation, url, tls, pageUrl, session);
  session.emit({ event: 'listening', url, side, ...shown }, lines.join('\n'));
  await new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason));
  });
  return { fields: {}, lines: [] };
}

/** Serves an emulated side; each exchange is printed. */
export async function listen(
  emulation: Emulation,
  tls: OpenedTls | undefined,
  session: Session,
): Promise<{ readonly server: RunningEmulation; readonly page?: WatchPage }> {
  const { side, signUp } = emulation;
  const { host, port, latency, fault, ui } = emulation.options;
  for (const name of fault) if (!isTlsFault(name)) switchOn(name, side);
  const print = exchangePrinter(side, session);
  let page: WatchPage | undefined;
  const onOutcome = (outcome: SignupOutcome): void => {
    if (outcome.key !== undefined) session.secrets.addFromPeer(outcome.key);
    watchedSignup(outcome).forEach((watched, index) => {
      print(callbackEvent(outcome, index), watched);
      page?.add(watched);
    });
  };
  if (ui) {
    const { watchPage } = await import('./emulate-page.ts');
    page = watchPage(emulation, session);
  }
  const server = await startEmulation(
    {
      ...side,
      signUp: (order) => signUp(order, { url: localUrl(host, server), tls, onOutcome }),
    },
    {
      host,
      port,
      latencyMs: latency,
      redaction: session.showsSecrets ? openly : session.secrets,
      onExchange: (entry, call) => {
        const watched = watchedCall(call, side.faults.catalogue, side.cipher);
        const texts = { request: entry.request.body, response: entry.answer.body };
        print({ event: 'exchange', ...entry }, watched, texts);
        page?.add(watched);
      },
      // A user file that can't be written; any other error is a bug.
      onError: (error) =>
        session.warn(
          error instanceof AuthcliError
            ? `${error.message} ${error.hint}`
            : 'the emulator failed to handle a request; this is a bug in authcli',
        ),
      tls: tls?.server,
      onTlsProblem: (problem) => session.warnOnce(`TLS: ${problem}`),
      page: (request) => page?.respond(request),
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
      { words },
    );
  }
}

/** What an emulator prints when it has started: its URLs, its settings, and what to try. */
function startLines(
  { side, options, callbackUrl }: Emulation,
  url: string,
  tls: OpenedTls | undefined,
  pageUrl: string | undefined,
  session: Session,
): readonly string[] {
  const { style, detail, context } = session;
  const listening = `listening on ${url}`;
  if (detail === 'quiet') return [listening];
  const endpoints =
    side.side === 'application'
      ? { callback: `${url}/callback` }
      : { token: url + tokenPath, authenticate: url + authenticatePath };
  const rows = [
    ...Object.entries(endpoints),
    ['client id', originOf('clientId', side.clientId, session)],
    ['cipher', originOf('cipher', formatCipher(side.cipher), session)],
    ['faults', options.fault.join(', ') || 'none'],
    ...(tls?.rows ?? []),
  ] as const;
  const width = columnsOf(context.stdout) - 2;
  const tried = triedLines(side, url, tls, callbackUrl, session);
  return [
    listening,
    ...fields(rows, style),
    '',
    'To try it:',
    ...tried.flatMap((line) => wrapCommand(line, width).map((part) => `  ${style.accent(part)}`)),
    ...(tls?.trust ?? []),
    '',
    `${pageUrl === undefined ? '--ui shows the requests in a browser. ' : ''}Ctrl-C stops it.`,
  ];
}

function originOf(option: string, value: string, { origins }: Session): string {
  const source = origins.get(option)?.source;
  return escapeControls(source === undefined ? value : `${value} (${source})`);
}

/** A sign-up and more with the settings of this side; a secret key that was typed is not shown, and has to be filled in. */
function triedLines(
  { side, clientId, cipher }: EmulatedSide,
  url: string,
  tls: OpenedTls | undefined,
  callbackUrl: URL | undefined,
  session: Session,
): readonly string[] {
  const notation = formatCipher(cipher);
  const client = clientId === defaultClientId ? [] : ['--client-id', clientId];
  const otherCipher = notation === formatCipher(defaultCipher) ? [] : ['--cipher', notation];
  const settings = [...client, ...otherCipher];
  const trust = tls === undefined ? [] : ['--ca', tls.authorityFile];
  if (side === 'application')
    return ['simulate-signup', 'verify'].map((name) =>
      session.commandLine([name, '--url', `${url}/callback`, ...trust, ...settings]),
    );
  const isTyped = session.origins.get('secretKey')?.source === '--secret-key';
  const account = [...(isTyped ? ['--secret-key', '…'] : []), ...client];
  const user = ['--ptn-cd', 'alice'];
  const callback = callbackUrl?.href ?? 'http://localhost:8080/callback';
  const service = ['--auth-url', url, ...trust, ...account];
  const issue = session.commandLine(['issue-ptn-token', ...user, ...account]);
  const signin = session.commandLine(['signin', '--ptn-token', '-', ...service]);
  return [
    session.commandLine(['simulate-signup', '--url', callback, ...user, ...settings]),
    `${issue} | ${signin}`,
  ];
}

/** Prints one line per exchange, its bodies and fields under --verbose, or a JSON object under --json. */
function exchangePrinter({ cipher, timeZone }: EmulatedSide, session: Session) {
  const { global, childCommand, context, showsSecrets } = session;
  const timeZoneHere = context.localTimeZone();
  const clock = new Intl.DateTimeFormat('en-GB', { timeZone: timeZoneHere, timeStyle: 'medium' });
  const time = (at: number) => clock.format(at);
  return (
    event: Readonly<Record<string, unknown>>,
    { row, request, response, key }: Watched,
    texts = { request: textOf(request.body), response: textOf(response?.body) },
  ): void => {
    const listed = listedRow(row);
    if (childCommand.length > 0) {
      // Standard output belongs to the command after `--`.
      const look = { style: plainStyle, width: Number.POSITIVE_INFINITY, time };
      if (global.verbose) session.note(exchangeLine(listed, look));
      return;
    }
    const look = { style: session.style, width: columnsOf(context.stdout), time };
    const lines = [exchangeLine(listed, look)];
    if (global.verbose && !global.json) {
      const { arrowIn, arrowOut } = marks;
      const [first, second] = row.way === 'in' ? [arrowIn, arrowOut] : [arrowOut, arrowIn];
      const bodies = { request: request.body, response: response?.body ?? new Uint8Array() };
      const decoded = decodeExchange({ ...bodies, key, cipher, timeZone });
      const shown = [`  ${first} ${texts.request}`, `  ${second} ${texts.response}`];
      lines.push(...[...shown, ...decodedLines(decoded, showsSecrets)].map(escapeControls));
    }
    session.emit(event, lines.join('\n'));
  };
}

function listedRow({ faults, diagnosis, remark, ...row }: Watched['row']) {
  const fault = faults.length === 0 ? '' : `fault ${faults.join(', ')}`;
  const why = row.way === 'out' ? [diagnosis, remark] : [diagnosis === null && fault, remark];
  return {
    ...row,
    outcome: row.outcome === 'none' && fault !== '' ? 'fault' : row.outcome,
    remarks: remark === null ? [] : [why.filter(Boolean).join(': ')],
  };
}

/** What --json prints of a callback that the emulated service sent. */
function callbackEvent({ steps, ptnCd, diagnosis: whole }: SignupOutcome, index: number) {
  const step = steps[index] as SignupOutcome['steps'][number];
  const { diagnosis = step === steps.at(-1) ? whole : undefined, ...report } = callReport(step);
  return {
    event: 'callback',
    sent_at: new Date(step.exchange.startedAt).toISOString(),
    duration_ms: durationOf(step),
    operation: operationOf(step),
    ptn_cd: ptnCd,
    ...report,
    ...(diagnosis && { diagnosis }),
  };
}

/** For example `partner_sp  Super Passcode: …`, secrets redacted. */
function decodedLines(decoded: readonly DecodedField[], showsSecrets: boolean): readonly string[] {
  const column = Math.max(0, ...decoded.map(({ field }) => field.length));
  return decoded.map(({ field, title, value, isSecret, note }) => {
    const shown = value !== null && isSecret && !showsSecrets ? redacted : value;
    const beside = note && (shown === null ? note : `(${note})`);
    return `    ${padEnd(field, column)}  ${title}: ${[shown, beside].filter(Boolean).join(' ')}`;
  });
}

function textOf(body: Uint8Array = new Uint8Array()): string {
  return Buffer.from(body).toString('utf8');
}
