import { once } from 'node:events';
import { type FileHandle, open } from 'node:fs/promises';
import { resolve } from 'node:path';
import { hideUserInformation } from '../../app/hide-user-information.ts';
import type { Exchange } from '../../client/exchange.ts';
import { AuthcliError } from '../../errors.ts';
import type { LearnedSetting } from '../../page/wire.ts';
import type { KnownUser } from '../../protocol/user.ts';
import { type CapturedExchange, secretsOf, titleOf } from '../../relay/capture.ts';
import { Findings } from '../../relay/findings.ts';
import type { Judgement } from '../../relay/judge.ts';
import { toExchange } from '../../relay/judged-exchange.ts';
import { KeySubstitution } from '../../relay/key-substitution.ts';
import { Learner } from '../../relay/learn.ts';
import type { Lesson } from '../../relay/lessons/lesson.ts';
import { RecordingWriter } from '../../relay/recording.ts';
import { type RelayedExchange, type RelayedSide, startRelay } from '../../relay/relay.ts';
import { fields, fitLine } from '../../reports/human.ts';
import { fileError } from '../../state/files.ts';
import { settingNamed } from '../../state/settings.ts';
import { counted, escapeControls, matchesGlob } from '../../text.ts';
import type { Outcome } from '../command.ts';
import { localUrl } from '../emulate/emulation.ts';
import { exitStatus } from '../exit-status.ts';
import type { Failure } from '../failure.ts';
import { openNetwork, transportOptions } from '../network.ts';
import { cannotWrite, checkWritable } from '../process/output-file.ts';
import type { Session } from '../session.ts';
import { findUser } from '../simulate/known-user.ts';
import { exchangeLine } from '../terminal/exchange-line.ts';
import { columnsOf } from '../terminal/style.ts';
import { type OpenedTls, openTls, trustOwnAuthority } from '../tls/open-tls.ts';
import { tlsEvent, tlsRows, trustText } from '../tls/tls-lines.ts';
import { departureFields, departureLines, saveLessons } from '../traffic/lessons.ts';
import { checkOptions, type RelayFlagOptions, warnOf } from './relay-flags.ts';
import type { RelayPage } from './relay-page.ts';

/** One run of the relay, from its start to the signal that ends it. */
export class RelayRun {
  readonly #options: RelayFlagOptions;
  readonly #session: Session;
  readonly #lines: RelayLines;
  readonly #learning = new Learning();
  #page: RelayPage | undefined;
  #recording: RecordingFile | undefined;
  #record: ((exchange: Exchange) => void) | undefined;
  /** Whose keys were read: signin, decrypt and the emulators can use them. */
  readonly #users = new Map<string, KnownUser>();
  readonly #findings = new Findings();
  #exchanges = 0;
  #failed = 0;
  #firstFailure: Failure | undefined;

  constructor(options: RelayFlagOptions, session: Session) {
    checkOptions(options);
    this.#options = options;
    this.#session = session;
    this.#lines = new RelayLines(session);
  }

  async run(): Promise<Outcome> {
    const { signal } = this.#session.context;
    const relay = await this.#start();
    try {
      if (!signal.aborted) await once(signal, 'abort');
    } finally {
      await relay.close();
    }
    const { reason } = signal;
    if (!(reason instanceof AuthcliError)) throw reason;
    if (this.#users.size > 0) {
      await (await this.#session.state()).users.importUsers([...this.#users.values()]);
    }
    if (this.#options.saveSettings) await this.#save();
    return this.#summary();
  }

  async #start() {
    const { host, decrypt, to, authUrl, cipher, record } = this.#options;
    const session = this.#session;
    warnOf(this.#options, session);
    if (record !== undefined) this.#recording = await RecordingFile.open(record, session);
    const network = { ...this.#options, ...unused };
    this.#record = (await openNetwork(network, session)).record;
    const { now } = session.context;
    const tls = await openTls({ ...this.#options, fault: [] }, session);
    this.#page = await this.#newPage(tls);
    const relay = await startRelay({
      host,
      tls: tls?.server,
      onTlsProblem: (problem) => session.warnOnce(`TLS: ${problem}`),
      callbacks: await this.#side(to, 'callback'),
      service: await this.#side(authUrl, 'service'),
      substitution: decrypt ? await this.#substitution() : undefined,
      cipher,
      now,
      findUser: async (ptnCd) =>
        decrypt && this.#concerns(ptnCd) ? findUser(ptnCd, session) : undefined,
      onExchange: (exchange) => this.#onExchange(exchange),
    });
    const { callbackPort, servicePort } = relay;
    const scheme = tls === undefined ? 'http' : 'https';
    const at = (port: number) => localUrl(host, { port, url: `${scheme}://relay` });
    const addresses = {
      callbackUrl: to && callbackPort ? `${at(callbackPort)}${to.pathname}${to.search}` : undefined,
      authUrl:
        authUrl && servicePort
          ? `${at(servicePort)}${authUrl.pathname.replace(/\/+$/, '')}`
          : undefined,
    };
    const uiUrl = await this.#page?.open(addresses, this.#learning).catch(async (error) => {
      await relay.close();
      throw error;
    });
    this.#lines.listening({ to, service: authUrl, ...addresses, uiUrl, tls });
    return relay;
  }

  async #newPage(tls: OpenedTls | undefined): Promise<RelayPage | undefined> {
    if (!this.#options.ui && !this.#options.open) return undefined;
    const { RelayPage } = await import('./relay-page.ts');
    return new RelayPage(this.#options, tls, this.#session);
  }

  async #side(
    url: URL | undefined,
    direction: RelayedExchange['direction'],
  ): Promise<RelayedSide | undefined> {
    if (url === undefined) return undefined;
    const session = this.#session;
    const { port, authPort } = this.#options;
    const trusting = await trustOwnAuthority(this.#options, url, session);
    const options = transportOptions({ ...trusting, ...unused }, session);
    const upstream = await session.context.openUpstream(url, options);
    return { upstream, port: direction === 'callback' ? port : authPort };
  }

  async #substitution(): Promise<KeySubstitution> {
    const { generateKeyPairLike } = await import('../../client/key-pair.ts');
    return new KeySubstitution({
      generateKeyPairLike,
      concerns: (ptnCd) => this.#concerns(ptnCd),
      note: (text) => this.#session.warnOnce(`--decrypt: ${text}`),
    });
  }

  #concerns(ptnCd: string | undefined): boolean {
    const { only } = this.#options;
    if (only.length === 0) return true;
    return ptnCd !== undefined && only.some((pattern) => matchesGlob(ptnCd, pattern));
  }

  async #onExchange(relayed: RelayedExchange): Promise<void> {
    const { exchange, judgement } = relayed;
    this.#exchanges += 1;
    if (!judgement.ok) {
      this.#failed += 1;
      this.#firstFailure ??= failureIn(judgement);
    }
    this.#hide(relayed);
    this.#record?.(toExchange(exchange));
    await this.#recording?.add(exchange);
    this.#lines.exchange(relayed);
    this.#learn(relayed);
    if (this.#options.decrypt) this.#keep(relayed);
    this.#page?.add(relayed);
  }

  #learn({ exchange, judgement }: RelayedExchange): void {
    for (const finding of judgement.findings) this.#findings.add(finding, exchange.source);
    for (const lesson of this.#learning.observe(exchange)) {
      this.#lines.learned(lesson, settingNamed(lesson.setting) !== undefined);
    }
  }

  /** Before anything of the exchange is printed. */
  #hide({ exchange, judgement }: RelayedExchange): void {
    const { secrets } = this.#session;
    const { ptnCd, key, texts } = judgement;
    // First: shown only after it was hidden as a part of the user information, it would be looked for anew in everything.
    secrets.show(ptnCd);
    for (const secret of secretsOf(exchange)) secrets.addFromPeer(secret);
    if (key !== undefined) secrets.addFromPeer(key);
    for (const [field, text] of Object.entries(texts)) {
      if (field === 'ubifill') hideUserInformation(text, secrets);
      else secrets.addFromPeer(text);
    }
  }

  /** For the profile, which is written once: that takes longer than an exchange. */
  #keep({ exchange, judgement }: RelayedExchange): void {
    const { operation } = exchange;
    const { ptnCd, key, texts, ok } = judgement;
    if (ptnCd === undefined || key === undefined || !ok) return;
    const { partner_sp: superPasscode, ubifill: userInfo } = texts;
    if (operation === 'key-exchange') this.#users.set(ptnCd, { ptnCd, key, state: 'known' });
    if (operation === 'registration' && superPasscode !== undefined) {
      const deliveredPasscode = superPasscode;
      const known = { ptnCd, key, superPasscode, deliveredPasscode, userInfo };
      this.#users.set(ptnCd, { ...known, state: 'registered' });
    }
  }

  /** Of a relay in which everything that passed was right. */
  #conclude(): Outcome {
    if (!this.#recording?.isCutOff) return { fields: {}, lines: [] };
    if (this.#session.global.json)
      return { fields: {}, lines: [], exitStatus: exitStatus.localState };
    const message = `The recording ${this.#options.record} is incomplete.`;
    return { fields: {}, lines: [], failure: { code: 'config', message, hint: '' } };
  }

  async #save(): Promise<void> {
    const saved = await saveLessons(this.#learning.lessons, this.#session);
    if (saved.length > 0) this.#session.note(`stored in the profile: ${saved.join(', ')}`);
  }

  #summary(): Outcome {
    const { style } = this.#session;
    const [exchanges, failed, first] = [this.#exchanges, this.#failed, this.#firstFailure];
    const { lessons } = this.#learning;
    const learned = Object.fromEntries(lessons.map(({ setting, value }) => [setting, value]));
    // what the wire looks like is for programs, and for learn
    const rows = lessons
      .filter(({ isOfWire }) => !isOfWire)
      .map(
        ({ setting, value, confidence }) =>
          [setting, escapeControls(`${value} (${confidence})`)] as const,
      );
    const text = [
      '',
      `${counted(exchanges, 'exchange')} relayed, ${failed} wrong`,
      ...(rows.length > 0 ? ['learned:', ...fields(rows, style)] : []),
    ];
    const { departures } = this.#findings;
    this.#session.emit(
      { event: 'summary', exchanges, failed, learned, departures: departureFields(departures) },
      [...text, ...departureLines(departures, this.#session)].join('\n'),
    );
    if (failed === 0) return this.#conclude();
    // the summary is the last line for programs
    if (this.#session.global.json)
      return { fields: {}, lines: [], exitStatus: exitStatus.negative };
    const message = `${failed} of ${counted(exchanges, 'exchange')} had something wrong, the first: ${first?.message}`;
    const failure = { code: 'protocol-error', hint: '', ...first, message } as const;
    return { fields: {}, lines: [], failure: { ...failure, exitStatus: exitStatus.negative } };
  }
}

/** What the relay doesn't take of what a command that sends requests takes. */
const unused = {
  retry: 0,
  header: [],
  curl: false,
} as const;

/** The first broken requirement, by its diagnosis where it has one. */
function failureIn({ findings, diagnoses: [first] }: Judgement): Failure | undefined {
  const broken = findings.find(({ check }) => check.level === 'must');
  if (broken === undefined || broken.fault.diagnosis !== undefined)
    return broken?.fault.diagnosis ?? first;
  const { check, fault } = broken;
  return { code: 'protocol-error', message: `${check.id}: ${fault.observed}`, hint: fault.fix };
}

/** A recording that grows by a line for each exchange. */
class RecordingFile {
  readonly #writer: RecordingWriter;
  readonly #path: string;
  readonly #file: FileHandle;
  readonly #session: Session;
  #isCutOff = false;

  private constructor(writer: RecordingWriter, path: string, file: FileHandle, session: Session) {
    this.#writer = writer;
    this.#path = path;
    this.#file = file;
    this.#session = session;
  }

  /** Set once it could not be written: what came after that is missing. */
  get isCutOff(): boolean {
    return this.#isCutOff;
  }

  /** Throws `usage` for a file that can't be written; the file is readable by its owner alone. */
  static async open(path: string, session: Session): Promise<RecordingFile> {
    const { context, showsSecrets } = session;
    await checkWritable(path, '--record', session, 0o600);
    const writer = new RecordingWriter({
      version: context.version,
      startedAt: context.now(),
      redactor: showsSecrets ? undefined : session.secrets,
    });
    const file = await open(resolve(context.cwd, path), 'a', 0o600);
    session.atEnd(() => file.close());
    await file.appendFile(writer.header).catch((error: NodeJS.ErrnoException) => {
      throw cannotWrite(path, '--record', error);
    });
    return new RecordingFile(writer, path, file, session);
  }

  /** A full disk ends the recording, where its last line may be cut off, and not the relay. */
  async add(exchange: CapturedExchange): Promise<void> {
    if (this.#isCutOff) return;
    try {
      await this.#file.appendFile(this.#writer.line(exchange));
    } catch (error) {
      const failure = fileError(error, 'write', this.#path);
      if (!(failure instanceof AuthcliError)) throw failure;
      this.#isCutOff = true;
      const where = `The recording ends before ${exchange.source}; the relay goes on.`;
      this.#session.warn(`--record: ${failure.message} ${where} ${failure.hint}`.trim());
    }
  }
}

/** Prints one line per exchange, or a JSON object under --json. */
class RelayLines {
  readonly #session: Session;
  readonly #clock: Intl.DateTimeFormat;

  constructor(session: Session) {
    this.#session = session;
    const timeZone = session.context.localTimeZone();
    this.#clock = new Intl.DateTimeFormat('en-GB', { timeZone, timeStyle: 'medium' });
  }

  listening(addresses: {
    readonly callbackUrl: string | undefined;
    readonly authUrl: string | undefined;
    readonly to: URL | undefined;
    readonly service: URL | undefined;
    readonly uiUrl: string | undefined;
    readonly tls: OpenedTls | undefined;
  }): void {
    const { callbackUrl, authUrl, to, service, uiUrl, tls } = addresses;
    const session = this.#session;
    const width = columnsOf(session.context.stdout);
    const rows: (readonly [string, string])[] = [];
    if (callbackUrl !== undefined) {
      rows.push(['callback URL', `${callbackUrl}  forwards to ${to?.origin}`]);
    }
    if (authUrl !== undefined)
      rows.push(['auth URL', `${authUrl}  forwards to ${service?.origin}`]);
    if (tls !== undefined) rows.push(...tlsRows(tls));
    const lines = fields(rows, session.style).flatMap((line) => fitLine(line, width));
    const event = {
      event: 'listening',
      callback_url: callbackUrl ?? null,
      auth_url: authUrl ?? null,
      ...(uiUrl !== undefined && { ui_url: uiUrl }),
      ...(tls && { tls: tlsEvent(tls) }),
    };
    this.#session.emit(
      event,
      ['relaying', ...lines, ...(tls ? trustText(tls, session) : []), '', 'Ctrl-C stops it.'].join(
        '\n',
      ),
    );
  }

  exchange(relayed: RelayedExchange): void {
    const { exchange, judgement, direction, status } = relayed;
    const { operation, startedAt = 0, durationMs = 0 } = exchange;
    const { ptnCd = exchange.ptnCd, code, diagnoses, ok, findings } = judgement;
    const duration = Math.round(durationMs * 10) / 10;
    const event = {
      event: 'exchange',
      operation,
      ptn_cd: ptnCd ?? null,
      http_status: status ?? null,
      code: code ?? null,
      duration_ms: duration,
      diagnoses,
      checks: findings.map(({ check }) => check.id),
      source: exchange.source,
    };
    const line = () =>
      exchangeLine(
        {
          at: startedAt,
          way: direction === 'callback' ? 'in' : 'out',
          what: titleOf(exchange),
          ptnCd,
          status,
          code,
          durationMs: duration,
          outcome: ok ? (findings.length > 0 ? 'fault' : 'good') : 'bad',
          remarks: remarksOf(judgement),
        },
        {
          style: this.#session.style,
          width: columnsOf(this.#session.context.stdout),
          time: (at) => this.#clock.format(at),
        },
      );
    this.#session.emit(event, line);
  }

  /** @param isSetting for people only these are printed before the end */
  learned(
    { setting, value, confidence, evidence, alternatives }: Lesson,
    isSetting: boolean,
  ): void {
    const event = {
      event: 'learned',
      setting,
      value,
      confidence,
      evidence,
      ...(alternatives && alternatives.length > 0 && { alternatives }),
    };
    if (this.#session.global.json || isSetting) {
      this.#session.emit(event, this.#lessonText({ setting, value, confidence, evidence }));
    }
  }

  #lessonText({ setting, value, confidence, evidence }: Omit<Lesson, 'alternatives'>): string {
    const { style, context } = this.#session;
    const text = escapeControls(`learned: ${setting} ${value} (${confidence}). ${evidence}`);
    return fitLine(text, columnsOf(context.stdout)).map(style.accent).join('\n');
  }
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

  /** The same for the page. */
  get shown(): readonly LearnedSetting[] {
    return this.#lessons.map(({ setting, value = '', confidence, evidence }) => ({
      ...{ setting, value, confidence, evidence },
    }));
  }
}
