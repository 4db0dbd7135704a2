import { operationOf, type SignupOutcome } from '../../client/signup.ts';
import { defaultCipher } from '../../crypto/cipher.ts';
import { formatCipher } from '../../crypto/cipher-notation.ts';
import type { Secret } from '../../crypto/secret.ts';
import type { SignupOrder } from '../../emulator/control.ts';
import {
  type EmulatedSide,
  type RunningEmulation,
  startEmulation,
} from '../../emulator/emulator.ts';
import type { Fault } from '../../emulator/faults/points.ts';
import { chosenCodeForm, similarFaults } from '../../emulator/faults/switchboard.ts';
import { isTlsFault } from '../../emulator/faults/tls.ts';
import { type JournalEntry, openly, type RecordedCall } from '../../emulator/journal.ts';
import { AuthcliError, hasCode } from '../../errors.ts';
import { type DecodedField, decodeExchange } from '../../page/decoded.ts';
import { defaultClientId } from '../../protocol/defaults.ts';
import { authenticatePath, isLoopbackHost, tokenPath } from '../../protocol/endpoints.ts';
import { callReport, durationOf } from '../../reports/exchange.ts';
import {
  fields,
  marks,
  padEnd,
  plainStyle,
  type Style,
  table,
  wrapCommand,
} from '../../reports/human.ts';
import { redacted } from '../../reports/redact.ts';
import { escapeControls } from '../../text.ts';
import { emulatedSecretKey } from '../args/flags.ts';
import { isReference } from '../args/input.ts';
import { defaulted, list, type OptionsOf, optional, toggle } from '../args/options.ts';
import { duration, integer } from '../args/values.ts';
import type { Outcome } from '../command.ts';
import { cannotRun, usage } from '../failure.ts';
import type { Session } from '../session.ts';
import { exchangeLine, type ListedExchange } from '../terminal/exchange-line.ts';
import { columnsOf } from '../terminal/style.ts';
import { type OpenedTls, openTls } from '../tls/open-tls.ts';
import { tlsFlags } from '../tls/tls-flags.ts';
import { tlsEnvironment, tlsEvent, tlsRows, tlsWords, trustText } from '../tls/tls-lines.ts';
import type { WatchPage } from './emulate-page.ts';

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
  ui: toggle('--ui', 'serve a page on loopback that shows the exchanges; its address is printed'),
  uiToken: optional(
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
  const { host } = emulation.options;
  if (!isLoopbackHost(host))
    session.warn(
      `the emulator listens on ${host}, where other machines can reach it; it is for tests only`,
    );
  const pageUrl = await page?.open(server);
  if (pageUrl !== undefined && !session.global.json) session.aside(`watch it at ${pageUrl}`);
  const [command, ...args] = session.childCommand;
  if (command !== undefined) {
    const env = { ...emulation.childEnv(server.url), ...tlsEnvironment(tls, session) };
    const { context } = session;
    const child = { command, args, env, signal: context.signal };
    const status = await context.runChild(child).catch((error: unknown) => {
      throw cannotRun(command, error);
    });
    return { fields: {}, lines: [], exitStatus: status };
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

/** Serves an emulated side; each exchange is printed. */
export async function listen(
  emulation: Emulation,
  tls: OpenedTls | undefined,
  session: Session,
): Promise<{ readonly server: RunningEmulation; readonly page?: WatchPage }> {
  const { side, signUp } = emulation;
  const { host, port, latency, fault, ui } = emulation.options;
  for (const name of fault.filter((each) => !isTlsFault(each))) switchOn(name, side);
  const redaction = session.showsSecrets ? openly : session.secrets;
  const lines = new ExchangeLines(session, side);
  let page: WatchPage | undefined;
  const onOutcome = (outcome: SignupOutcome): void => {
    lines.sent(outcome);
    page?.sent(outcome);
  };
  if (ui) {
    const { WatchPage } = await import('./emulate-page.ts');
    page = new WatchPage(emulation, session);
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
      redaction,
      onExchange: (entry, call) => {
        lines.received(entry, call);
        page?.received(call);
      },
      onError: (error) => warnOfFailure(error, session),
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

/** A user file that can't be written is reported; any other error is a bug. */
function warnOfFailure(error: unknown, session: Session): void {
  session.warn(
    error instanceof AuthcliError
      ? `${error.message} ${error.hint}`
      : 'the emulator failed to handle a request; this is a bug in authcli',
  );
}

interface Started {
  readonly side: EmulatedSide;
  readonly url: string;
  readonly faults: readonly string[];
  readonly callbackUrl?: string | undefined;
  readonly hasPage: boolean;
  readonly tls?: OpenedTls | undefined;
}

/** What an emulator prints when it has started: its URLs, its settings, and what to try. */
function startLines(started: Started, session: Session): readonly string[] {
  const { side, url, faults, hasPage, tls } = started;
  const { style } = session;
  const width = columnsOf(session.context.stdout);
  const listening = `listening on ${url}`;
  if (session.detail === 'quiet') return [listening];
  const ui = hasPage ? [] : ['--ui shows the requests in a browser.'];
  return [
    listening,
    ...fields(
      [
        ...endpointsOf(started),
        ['client id', originOf('clientId', side.clientId, session)],
        ['cipher', originOf('cipher', formatCipher(side.cipher), session)],
        ['faults', faults.length === 0 ? 'none' : faults.join(', ')],
        ...(tls === undefined ? [] : tlsRows(tls)),
      ],
      style,
    ),
    '',
    'To try it:',
    ...triedCommands(started, session).flatMap((line) =>
      wrapCommand(line, width - 2).map((part) => `  ${style.accent(part)}`),
    ),
    ...(tls === undefined ? [] : trustText(tls, session)),
    '',
    [...ui, 'Ctrl-C stops it.'].join(' '),
  ];
}

function endpointsOf({ side, url }: Started): readonly (readonly [string, string])[] {
  return side.side === 'application'
    ? [['callback', `${url}/callback`]]
    : [
        ['token', url + tokenPath],
        ['authenticate', url + authenticatePath],
      ];
}

function originOf(option: string, value: string, { origins }: Session): string {
  const source = origins.get(option)?.source;
  return escapeControls(source === undefined ? value : `${value} (${source})`);
}

/** The secret key, or where it comes from: one that was typed is not shown, and has to be filled in. */
function secretWords({ origins }: Session): readonly string[] {
  const { source = 'default', value = '' } = origins.get('secretKey') ?? {};
  if (source === 'default') return ['--secret-key', emulatedSecretKey];
  // signin finds it where it was found here
  if (/^(?:AUTHCLI_SECRET_KEY$|profile )/.test(source)) return [];
  return ['--secret-key', isReference(value) ? value : '…'];
}

function triedCommands(started: Started, session: Session): readonly string[] {
  const { side, url, tls, callbackUrl = 'http://localhost:8080/callback' } = started;
  if (side.side === 'application') {
    const callback = ['--url', `${url}/callback`, ...tlsWords(tls), ...settingWords(side)];
    return ['simulate-signup', 'verify'].map((name) => session.commandLine([name, ...callback]));
  }
  const settings = clientWords(side.clientId);
  const secret = secretWords(session);
  // the same default as issue-ptn-token's
  const toIssue = secret.includes(emulatedSecretKey) ? [] : secret;
  const issue = session.commandLine([
    'issue-ptn-token',
    '--ptn-cd',
    'alice',
    ...toIssue,
    ...settings,
  ]);
  const words = ['signin', '--ptn-token', '-', '--auth-url', url, ...tlsWords(tls), ...secret];
  const signin = session.commandLine([...words, '--client-id', side.clientId]);
  const signup = signupLine(side, callbackUrl, session, ['--ptn-cd', 'alice']);
  return [signup, `${issue} | ${signin}`];
}

type Settings = Pick<EmulatedSide, 'clientId' | 'cipher'>;

/** A sign-up at an application with these settings. */
export function signupLine(
  settings: Settings,
  url: string,
  session: Session,
  more: readonly string[] = [],
): string {
  return session.commandLine(['simulate-signup', '--url', url, ...more, ...settingWords(settings)]);
}

/** The options of what differs from the defaults. */
function settingWords({ clientId, cipher }: Settings): readonly string[] {
  const notation = formatCipher(cipher);
  const other = notation === formatCipher(defaultCipher) ? [] : ['--cipher', notation];
  return [...clientWords(clientId), ...other];
}

function clientWords(clientId: string): readonly string[] {
  return clientId === defaultClientId ? [] : ['--client-id', clientId];
}

/** Prints one line per exchange, its fields under --verbose, or a JSON object under --json. */
class ExchangeLines {
  readonly #session: Session;
  readonly #side: EmulatedSide;
  #clock: Intl.DateTimeFormat | undefined;

  constructor(session: Session, side: EmulatedSide) {
    this.#session = session;
    this.#side = side;
  }

  received(entry: JournalEntry, call: RecordedCall): void {
    const { faults, diagnosis, answer } = entry;
    const listed: ListedExchange = {
      at: call.receivedAt,
      way: 'in',
      what: entry.operation ?? `${entry.request.method} ${entry.request.path}`,
      ptnCd: entry.ptn_cd,
      status: answer.status,
      code: entry.code,
      durationMs: entry.duration_ms,
      outcome: diagnosis !== undefined ? 'bad' : faults.length > 0 ? 'fault' : 'good',
      remarks: [
        ...(diagnosis === undefined ? [] : [diagnosis.message]),
        ...faults.map((name) => this.#faultRemark(name)),
        ...(answer.broken_off === undefined ? [] : [`broken off: ${answer.broken_off}`]),
      ],
    };
    const bodies = [
      `  ${marks.arrowIn} ${entry.request.body}`,
      `  ${marks.arrowOut} ${entry.answer.body}`,
    ];
    const { request } = call;
    const { key } = call.facts;
    const fields = { request: request.body, response: call.response.body, key };
    this.#print({ event: 'exchange', ...entry }, listed, () => [
      ...bodies,
      ...this.#decoded(fields),
    ]);
  }

  sent({ steps, ptnCd, key, diagnosis: whole }: SignupOutcome): void {
    for (const [index, step] of steps.entries()) {
      const { http_status, code, message, diagnosis: own } = callReport(step);
      const diagnosis = own ?? (index === steps.length - 1 ? whole : undefined);
      const { startedAt, request, response } = step.exchange;
      const operation = operationOf(step);
      const listed: ListedExchange = {
        at: startedAt,
        way: 'out',
        what: operation,
        ptnCd,
        status: http_status ?? undefined,
        code: code ?? undefined,
        durationMs: durationOf(step),
        outcome: diagnosis === undefined ? 'good' : 'bad',
        remarks: diagnosis === undefined ? [] : [`${diagnosis.code}: ${diagnosis.message}`],
      };
      const event = {
        event: 'callback',
        sent_at: new Date(startedAt).toISOString(),
        duration_ms: listed.durationMs,
        operation,
        ptn_cd: ptnCd,
        http_status,
        code,
        message,
        ...(diagnosis && { diagnosis }),
      };
      const body = response?.body ?? new Uint8Array();
      const bodies = [
        `  ${marks.arrowOut} ${textOf(request.body)}`,
        `  ${marks.arrowIn} ${textOf(body)}`,
      ];
      this.#print(event, listed, () => [
        ...bodies,
        ...this.#decoded({ request: request.body, response: body, key }),
      ]);
    }
  }

  /** On standard error where standard output belongs to the command after `--`. */
  #print(
    event: Readonly<Record<string, unknown>>,
    listed: ListedExchange,
    details: () => readonly string[],
  ): void {
    const { global, childCommand, context } = this.#session;
    if (childCommand.length > 0) {
      if (global.verbose)
        this.#session.note(this.#line(listed, Number.POSITIVE_INFINITY, plainStyle));
      return;
    }
    const more = global.verbose && !global.json ? details() : [];
    const line = this.#line(listed, columnsOf(context.stdout), this.#session.style);
    this.#session.emit(event, [line, ...more.map(escapeControls)].join('\n'));
  }

  #line(listed: ListedExchange, width: number, style: Style): string {
    return exchangeLine(listed, { style, width, time: (at) => this.#time(at) });
  }

  #faultRemark(name: string): string {
    const fault = this.#side.faults.catalogue.find((known) => known.name === name);
    return fault === undefined ? `fault ${name}` : `fault ${name}: ${fault.title}`;
  }

  #time(at: number): string {
    this.#clock ??= new Intl.DateTimeFormat('en-GB', {
      timeZone: this.#session.context.localTimeZone(),
      timeStyle: 'medium',
    });
    return this.#clock.format(at);
  }

  /** For example `partner_sp  Super Passcode: …`, secrets redacted. */
  #decoded(bodies: {
    readonly request: Uint8Array;
    readonly response: Uint8Array;
    readonly key?: Secret;
  }): readonly string[] {
    const { cipher, timeZone } = this.#side;
    const fields = decodeExchange({ ...bodies, cipher, timeZone });
    const column = Math.max(0, ...fields.map(({ field }) => field.length));
    return fields.map((field) => {
      const shown = escapeControls(this.#value(field));
      return `    ${padEnd(field.field, column)}  ${field.title}: ${shown}`;
    });
  }

  #value({ value, isSecret, note }: DecodedField): string {
    const isShown = !isSecret || this.#session.showsSecrets;
    const text = value === null ? undefined : isShown ? value : redacted;
    return [text, note && (text === undefined ? note : `(${note})`)].filter(Boolean).join(' ');
  }
}

function textOf(body: Uint8Array): string {
  return Buffer.from(body).toString('utf8');
}
