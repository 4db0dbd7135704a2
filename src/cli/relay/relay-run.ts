import { once } from 'node:events';
import { hideUserInformation, secretsOfUserInformation } from '../../app/hide-user-information.ts';
import type { Exchange } from '../../client/exchange.ts';
import { Secret } from '../../crypto/secret.ts';
import { AuthcliError } from '../../errors.ts';
import type { KnownUser } from '../../protocol/user.ts';
import { secretsOf } from '../../relay/capture.ts';
import { Findings } from '../../relay/findings.ts';
import type { Judgement } from '../../relay/judge.ts';
import { toExchange } from '../../relay/judged-exchange.ts';
import { KeySubstitution } from '../../relay/key-substitution.ts';
import { type RelayedExchange, type RelayedSide, startRelay } from '../../relay/relay.ts';
import { fields } from '../../reports/human.ts';
import { isVocabulary } from '../../reports/redact.ts';
import { settingNamed } from '../../state/settings.ts';
import { counted, escapeControls, matchesGlob } from '../../text.ts';
import type { Outcome } from '../command.ts';
import { localUrl } from '../emulate/emulate.ts';
import { exitStatus } from '../exit-status.ts';
import type { Failure } from '../failure.ts';
import { openNetwork, transportOptions } from '../network.ts';
import type { Session } from '../session.ts';
import { findUser } from '../simulate/known-user.ts';
import { type OpenedTls, openTls, trustOwnAuthority } from '../tls/open-tls.ts';
import { departureFields, departureLines } from '../traffic/departure-lines.ts';
import { saveLessons } from '../traffic/save-lessons.ts';
import { Learning } from './learning.ts';
import { RecordingFile } from './recording-file.ts';
import type { RelayFlagOptions } from './relay-flags.ts';
import { RelayLines } from './relay-lines.ts';
import { checkOptions, warnOf } from './relay-options.ts';
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
    // A user whose name is "code" would make the recorded JSON unreadable.
    const mayBeHidden = (value: string) => value !== ptnCd && !isVocabulary(value);
    // First: shown only after it was hidden as a part of the user information, it would be looked for anew in everything.
    secrets.show(ptnCd);
    for (const secret of secretsOf(exchange)) secrets.addFromPeer(secret);
    if (key !== undefined) secrets.addFromPeer(key);
    for (const [field, text] of Object.entries(texts)) {
      const isUserInfo = field === 'ubifill';
      if (isUserInfo) hideUserInformation(text, secrets);
      else secrets.addFromPeer(text);
      const values = isUserInfo
        ? secretsOfUserInformation(text).filter(mayBeHidden)
        : [text.reveal()];
      for (const value of values) this.#recording?.writer.hide(Secret.text(value));
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
