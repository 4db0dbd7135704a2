import { once } from 'node:events';
import { AuthcliError } from '../../errors.ts';
import type { KnownUser } from '../../protocol/user.ts';
import { userInformationTexts } from '../../protocol/user-info.ts';
import { type CapturedExchange, secretsOf, titleOf } from '../../relay/capture.ts';
import { Findings } from '../../relay/findings.ts';
import type { Judgement } from '../../relay/judge.ts';
import { toExchange } from '../../relay/judged-exchange.ts';
import { KeySubstitution } from '../../relay/key-substitution.ts';
import { Learner } from '../../relay/learn.ts';
import type { Lesson } from '../../relay/lessons/lesson.ts';
import { RecordingWriter } from '../../relay/recording.ts';
import { type RelayedExchange, type RelayedSide, startRelay } from '../../relay/relay.ts';
import { fields } from '../../reports/human.ts';
import { fileError } from '../../state/files.ts';
import { settingNamed } from '../../state/settings.ts';
import { counted, escapeControls, matchesGlob, withoutEnd } from '../../text.ts';
import type { Outcome } from '../command.ts';
import { localUrl } from '../emulate/emulation.ts';
import { exitStatus } from '../exit-status.ts';
import type { Failure } from '../failure.ts';
import { openNetwork, transportOptions } from '../network.ts';
import { cannotWrite, checkWritable, openOutput, writeAll } from '../process/output-file.ts';
import type { Session } from '../session.ts';
import { findUser } from '../simulate/known-user.ts';
import { exchangeLine } from '../terminal/exchange-line.ts';
import { columnsOf } from '../terminal/style.ts';
import { type OpenedTls, openTls, trustOwnAuthority } from '../tls/open-tls.ts';
import { tlsEvent, tlsRows, trustText } from '../tls/tls-lines.ts';
import { departureFields, departureLines, saveLessons } from '../traffic/lessons.ts';
import { checkOptions, type RelayFlagOptions, warnOf } from './relay-flags.ts';
import type { RelayPage } from './relay-page.ts';

/** What the relay doesn't take of what a command that sends requests takes. */
const unused = { retry: 0, header: [], curl: false } as const;

/** Relays until a signal ends it. */
export async function runRelay(options: RelayFlagOptions, session: Session): Promise<Outcome> {
  checkOptions(options);
  warnOf(options, session);
  const { host, to, authUrl, cipher, decrypt } = options;
  const { context } = session;
  const { now, signal } = context;
  const concerns = concernedBy(options);
  const learning = new Learning();
  const findings = new Findings();
  /** Whose keys were read: signin, decrypt and the emulators can use them. Written once, as that takes long. */
  const users = new Map<string, KnownUser>();
  const counts: Counts = { exchanges: 0, failed: 0 };

  const recording = await openRecording(options.record, session);
  const { record } = await openNetwork({ ...options, ...unused }, session);
  const tls = await openTls({ ...options, fault: [] }, session);
  const page = options.ui ? await newPage() : undefined;
  const sideOf = async (url: URL | undefined, port: number): Promise<RelayedSide | undefined> => {
    if (url === undefined) return undefined;
    const trusting = await trustOwnAuthority(options, url, session);
    const network = transportOptions({ ...trusting, ...unused }, session);
    return { upstream: await context.openUpstream(url, network), port };
  };
  const printExchange = exchangePrinter(session);
  const onExchange = async (relayed: RelayedExchange): Promise<void> => {
    const { exchange, judgement } = relayed;
    counts.exchanges += 1;
    if (!judgement.ok) {
      counts.failed += 1;
      counts.first ??= failureIn(judgement);
    }
    hideSecrets(relayed, session);
    record(toExchange(exchange));
    await recording?.add(exchange);
    printExchange(relayed);
    for (const finding of judgement.findings) findings.add(finding, exchange.source);
    for (const lesson of learning.observe(exchange)) printLesson(lesson, session);
    const user = decrypt ? userOf(relayed) : undefined;
    if (user !== undefined) users.set(user.ptnCd, user);
    page?.add(relayed);
  };
  const relay = await startRelay({
    host,
    tls: tls?.server,
    onTlsProblem: (problem) => session.warnOnce(`TLS: ${problem}`),
    callbacks: await sideOf(to, options.port),
    service: await sideOf(authUrl, options.authPort),
    substitution: decrypt ? await newSubstitution(concerns, session) : undefined,
    cipher,
    now,
    findUser: async (ptnCd) => (decrypt && concerns(ptnCd) ? findUser(ptnCd, session) : undefined),
    onExchange,
  });
  try {
    const { callbackPort, servicePort } = relay;
    const scheme = tls === undefined ? 'http' : 'https';
    const at = (port: number) => localUrl(host, { port, url: `${scheme}://relay` });
    const addresses: Addresses = {
      callbackUrl: to && callbackPort ? `${at(callbackPort)}${to.pathname}${to.search}` : undefined,
      authUrl:
        authUrl && servicePort
          ? `${at(servicePort)}${withoutEnd(authUrl.pathname, '/')}`
          : undefined,
    };
    const url = addresses.callbackUrl ?? addresses.authUrl ?? '';
    const uiUrl = await page?.open(url, learning, options, tls, session);
    printAddresses(addresses, { to, service: authUrl, uiUrl, tls }, session);
    if (!signal.aborted) await once(signal, 'abort');
  } finally {
    await relay.close();
  }
  if (!(signal.reason instanceof AuthcliError)) throw signal.reason;
  if (users.size > 0) await (await session.state()).users.importUsers([...users.values()]);
  if (options.saveSettings) {
    const saved = await saveLessons(learning.lessons, session);
    if (saved.length > 0) session.note(`stored in the profile: ${saved.join(', ')}`);
  }
  printSummary(counts, learning.lessons, findings, session);
  return outcomeOf(counts, recording?.isCutOff() ? options.record : undefined, session);
}

/** Where the relay listens. */
interface Addresses {
  readonly callbackUrl: string | undefined;
  readonly authUrl: string | undefined;
}

/** What passed so far. */
interface Counts {
  exchanges: number;
  failed: number;
  first?: Failure | undefined;
}

/** Whether a user is one of --only; without it, all are. */
function concernedBy({ only }: RelayFlagOptions): (ptnCd: string | undefined) => boolean {
  return (ptnCd) =>
    only.length === 0 ||
    (ptnCd !== undefined && only.some((pattern) => matchesGlob(ptnCd, pattern)));
}

async function newPage(): Promise<RelayPage> {
  const { RelayPage } = await import('./relay-page.ts');
  return new RelayPage();
}

async function newSubstitution(
  concerns: (ptnCd: string | undefined) => boolean,
  session: Session,
): Promise<KeySubstitution> {
  const { generateKeyPairLike } = await import('../../client/key-pair.ts');
  const note = (text: string) => session.warnOnce(`--decrypt: ${text}`);
  return new KeySubstitution({ generateKeyPairLike, concerns, note });
}

/** Before anything of the exchange is printed. */
function hideSecrets({ exchange, judgement }: RelayedExchange, { secrets }: Session): void {
  const { ptnCd, key, texts } = judgement;
  // First: shown only after it was hidden as a part of the user information, it would be looked for anew in everything.
  secrets.show(ptnCd);
  for (const secret of secretsOf(exchange)) secrets.addFromPeer(secret);
  if (key !== undefined) secrets.addFromPeer(key);
  for (const [field, text] of Object.entries(texts)) {
    if (field === 'ubifill') secrets.addUserInfo(...userInformationTexts(text));
    else secrets.addFromPeer(text);
  }
}

/** The user as a right exchange shows them. */
function userOf({ exchange, judgement }: RelayedExchange): KnownUser | undefined {
  const { ptnCd, key, texts, ok } = judgement;
  if (ptnCd === undefined || key === undefined || !ok) return undefined;
  const { partner_sp: superPasscode, ubifill: userInfo } = texts;
  if (exchange.operation === 'key-exchange') return { ptnCd, key, state: 'known' };
  if (exchange.operation !== 'registration' || superPasscode === undefined) return undefined;
  const deliveredPasscode = superPasscode;
  return { ptnCd, key, superPasscode, deliveredPasscode, userInfo, state: 'registered' };
}

/** The first broken requirement, by its diagnosis where it has one. */
function failureIn({ findings, diagnoses: [first] }: Judgement): Failure | undefined {
  const broken = findings.find(({ check }) => check.level === 'must');
  if (broken === undefined || broken.fault.diagnosis !== undefined)
    return broken?.fault.diagnosis ?? first;
  const { check, fault } = broken;
  return { code: 'protocol-error', message: `${check.id}: ${fault.observed}`, hint: fault.fix };
}

/** A recording that grows by a line for each exchange. */
interface Recording {
  readonly add: (exchange: CapturedExchange) => Promise<void>;
  /** Whether it could not be written: what came after that is missing. */
  readonly isCutOff: () => boolean;
}

/** Throws `usage` for a file that can't be written; the file is readable by its owner alone. */
async function openRecording(
  path: string | undefined,
  session: Session,
): Promise<Recording | undefined> {
  if (path === undefined) return undefined;
  const { context, showsSecrets } = session;
  await checkWritable(path, '--record', session, 0o600);
  const writer = new RecordingWriter({
    version: context.version,
    startedAt: context.now(),
    redactor: showsSecrets ? undefined : session.secrets,
  });
  const refuse = (error: NodeJS.ErrnoException): never => {
    context.signal.throwIfAborted();
    throw cannotWrite(path, '--record', error);
  };
  const file = await openOutput(path, 'a', 0o600, session).catch(refuse);
  session.atEnd(() => file.close());
  await writeAll(file, writer.header, session).catch(refuse);
  let isCutOff = false;
  return {
    isCutOff: () => isCutOff,
    /** A full disk ends the recording, where its last line may be cut off, and not the relay. */
    add: async (exchange) => {
      if (isCutOff) return;
      try {
        await writeAll(file, writer.line(exchange), session);
      } catch (error) {
        const failure = fileError(error, 'write', path);
        if (!(failure instanceof AuthcliError)) throw failure;
        isCutOff = true;
        const where = `The recording ends before ${exchange.source}; the relay goes on.`;
        session.warn(`--record: ${failure.message} ${where} ${failure.hint}`.trim());
      }
    },
  };
}

function printAddresses(
  { callbackUrl, authUrl }: Addresses,
  started: {
    readonly to: URL | undefined;
    readonly service: URL | undefined;
    readonly uiUrl: string | undefined;
    readonly tls: OpenedTls | undefined;
  },
  session: Session,
): void {
  const { to, service, uiUrl, tls } = started;
  const rows = [
    ['callback URL', callbackUrl && `${callbackUrl}  forwards to ${to?.origin}`],
    ['auth URL', authUrl && `${authUrl}  forwards to ${service?.origin}`],
    ...(tls === undefined ? [] : tlsRows(tls)),
  ] as const;
  const lines = fields(rows, session.style);
  const trust = tls === undefined ? [] : trustText(tls, session);
  session.emit(
    {
      event: 'listening',
      callback_url: callbackUrl ?? null,
      auth_url: authUrl ?? null,
      ...(uiUrl !== undefined && { ui_url: uiUrl }),
      ...(tls && { tls: tlsEvent(tls) }),
    },
    ['relaying', ...lines, ...trust, '', 'Ctrl-C stops it.'].join('\n'),
  );
}

/** Prints one line per exchange, or a JSON object under --json. */
function exchangePrinter(session: Session): (relayed: RelayedExchange) => void {
  const { localTimeZone, stdout } = session.context;
  const timeZone = localTimeZone();
  const clock = new Intl.DateTimeFormat('en-GB', { timeZone, timeStyle: 'medium' });
  return ({ exchange, judgement, direction, status }) => {
    const { operation, source, startedAt = 0, durationMs: exactMs = 0 } = exchange;
    const { ptnCd = exchange.ptnCd, code, diagnoses, ok, findings } = judgement;
    const durationMs = Math.round(exactMs * 10) / 10;
    const event = {
      event: 'exchange',
      operation,
      ptn_cd: ptnCd ?? null,
      http_status: status ?? null,
      code: code ?? null,
      duration_ms: durationMs,
      diagnoses,
      checks: findings.map(({ check }) => check.id),
      source,
    };
    const way = direction === 'callback' ? 'in' : 'out';
    const outcome = ok ? (findings.length > 0 ? 'fault' : 'good') : 'bad';
    const remarks = remarksOf(judgement);
    const shown = { at: startedAt, way, what: titleOf(exchange), ptnCd, status, code } as const;
    const look = { style: session.style, width: columnsOf(stdout) };
    session.emit(event, () =>
      exchangeLine(
        { ...shown, durationMs, outcome, remarks },
        { ...look, time: (at) => clock.format(at) },
      ),
    );
  };
}

/** For people, only what can be set is printed before the end. */
function printLesson(lesson: Lesson, session: Session): void {
  const { setting, value, confidence, evidence, alternatives } = lesson;
  const { style, global } = session;
  if (!global.json && settingNamed(setting) === undefined) return;
  const text = escapeControls(`learned: ${setting} ${value} (${confidence}). ${evidence}`);
  session.emit(
    {
      ...{ event: 'learned', setting, value, confidence, evidence },
      ...(alternatives && alternatives.length > 0 && { alternatives }),
    },
    style.accent(text),
  );
}

function printSummary(
  { exchanges, failed }: Counts,
  lessons: readonly Lesson[],
  { departures }: Findings,
  session: Session,
): void {
  const learned = Object.fromEntries(lessons.map(({ setting, value }) => [setting, value]));
  // What the wire looks like is for programs, and for learn.
  const rows = lessons
    .filter(({ isOfWire }) => !isOfWire)
    .map((each) => [each.setting, escapeControls(`${each.value} (${each.confidence})`)] as const);
  const text = [
    '',
    `${counted(exchanges, 'exchange')} relayed, ${failed} wrong`,
    ...(rows.length > 0 ? ['learned:', ...fields(rows, session.style)] : []),
    ...departureLines(departures, session),
  ];
  session.emit(
    { event: 'summary', exchanges, failed, learned, departures: departureFields(departures) },
    text.join('\n'),
  );
}

/** For programs the summary is the last line: only the exit status follows. */
function outcomeOf(
  { exchanges, failed, first }: Counts,
  incomplete: string | undefined,
  { global }: Session,
): Outcome {
  const done = { fields: {}, lines: [] };
  if (failed > 0) {
    if (global.json) return { ...done, exitStatus: exitStatus.negative };
    const message = `${failed} of ${counted(exchanges, 'exchange')} had something wrong, the first: ${first?.message}`;
    const failure = { code: 'protocol-error', hint: '', ...first, message } as const;
    return { ...done, failure: { ...failure, exitStatus: exitStatus.negative } };
  }
  if (incomplete === undefined) return done;
  if (global.json) return { ...done, exitStatus: exitStatus.localState };
  const message = `The recording ${incomplete} is incomplete.`;
  return { ...done, failure: { code: 'config', message, hint: '' } };
}

/** Each diagnosis, and the requirement of what has none. */
function remarksOf({ diagnoses, findings }: RelayedExchange['judgement']): readonly string[] {
  const others = findings.filter(({ fault }) => fault.diagnosis === undefined);
  return [
    ...diagnoses.map(({ code, message }) => `${code}: ${message}`),
    ...others.map(({ check, fault }) => `${check.id}: ${fault.observed}`),
  ];
}

/** What traffic has taught so far, and what is new in it. */
export class Learning {
  readonly #learner = new Learner();
  readonly #known = new Map<string, string>();
  #lessons: readonly Lesson[] = [];

  /** The lessons that are new or different with this exchange. */
  observe(exchange: CapturedExchange): readonly Lesson[] {
    this.#learner.observe(exchange);
    this.#lessons = this.#learner
      .read()
      .filter(({ value, confidence }) => value !== undefined && confidence !== 'unknown');
    return this.#lessons.filter(({ setting, value, confidence }) => {
      const state = `${confidence} ${value}`;
      const isNew = this.#known.get(setting) !== state;
      this.#known.set(setting, state);
      return isNew;
    });
  }

  /** Everything that is known with a value. */
  get lessons(): readonly Lesson[] {
    return this.#lessons;
  }
}
