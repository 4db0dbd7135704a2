import { once } from 'node:events';
import { generateKeyPairLike } from '../../client/key-pair.ts';
import type { Cipher } from '../../crypto/cipher.ts';
import { readableResponse } from '../../emulator/http.ts';
import { startServer } from '../../emulator/server.ts';
import { AuthcliError } from '../../errors.ts';
import { Feed } from '../../page/feed.ts';
import type { PageServer } from '../../page/server.ts';
import { watchedPassage } from '../../page/watched.ts';
import { callbackUrl, isLoopbackHost } from '../../protocol/endpoints.ts';
import type { KnownUser } from '../../protocol/user.ts';
import { fields } from '../../reports/human.ts';
import { fileError } from '../../state/files.ts';
import { settingNamed } from '../../state/settings.ts';
import { counted, escapeControls, matchesGlob, withoutEnd } from '../../text.ts';
import {
  type CapturedExchange,
  isCallback,
  secretsOf,
  titleOf,
  toExchange,
} from '../../traffic/capture.ts';
import { Findings } from '../../traffic/findings.ts';
import type { Judgement } from '../../traffic/judge.ts';
import { substituteKeys } from '../../traffic/key-substitution.ts';
import { Learner, type Lesson } from '../../traffic/learn.ts';
import { recordingWriter } from '../../traffic/recording.ts';
import { type RelayedExchange, type RelayedSide, startRelay } from '../../traffic/relay.ts';
import { checkedAuthUrl, cipherFlag } from '../args/flags.ts';
import { flag, type OptionsOf } from '../args/options.ts';
import { appFlags, networkFlags } from '../args/shared-flags.ts';
import { integer } from '../args/values.ts';
import { defineCommand, type Outcome } from '../command.ts';
import { emulateFlags, localUrl } from '../emulate/emulation.ts';
import { exitStatus } from '../exit-status.ts';
import { type Failure, usage } from '../failure.ts';
import { openNetwork, recogniseLanguage, transportOptions } from '../network.ts';
import { cannotWrite, checkWritable, openOutput, writeAll } from '../process/output-file.ts';
import type { Session } from '../session.ts';
import { findUser } from '../simulate/known-user.ts';
import { exchangeLine } from '../terminal/exchange-line.ts';
import { columnsOf } from '../terminal/style.ts';
import { type OpenedTls, openTls, tlsFlags, trustOwnAuthority } from '../tls/open-tls.ts';
import { departureFields, departureLines, lessonFields, saveLessons } from './learn.ts';

const { ca, cert, certKey, insecure, proxy, resolve, har } = networkFlags;

const flags = {
  to: flag('--to <url>', "your application's callback URL: callbacks are forwarded there", {
    parse: callbackUrl,
    setting: 'url',
  }),
  authUrl: flag(
    '--auth-url <url>',
    "the real service's address: token and authenticate are forwarded there",
    { parse: (text) => new URL(checkedAuthUrl(text)), setting: 'auth-url' },
  ),
  host: flag('--host <address>', 'the address to listen on', {
    fallback: '127.0.0.1',
    input: 'word',
  }),
  port: flag('--port <n>', 'the port for callbacks; 0 picks a free one', {
    fallback: '0',
    parse: integer(0, 65_535),
  }),
  authPort: flag(
    '--auth-port <n>',
    "the port for the application's calls to the service; 0 picks a free one",
    { fallback: '0', parse: integer(0, 65_535) },
  ),
  decrypt: flag(
    '--decrypt',
    'read the encrypted parts, with the keys of the stored users, and key pairs of its own in place of public_key',
  ),
  only: flag('--only <glob...>', 'with --decrypt: only users whose ptn_cd matches', {
    input: 'word',
  }),
  cipher: cipherFlag,
  ...tlsFlags,
  ui: emulateFlags.ui,
  saveSettings: flag('--save-settings', 'store the settings that were learned for certain'),
  record: flag('--record <file>', 'append every exchange to a recording', {
    input: 'path',
    group: 'output',
  }),
  timeout: {
    ...networkFlags.timeout,
    about: 'time limit for a connection to the other side; requests have none',
  },
  ca,
  cert,
  certKey,
  insecure,
  proxy,
  resolve,
  har,
  ...appFlags,
} as const;

type Options = OptionsOf<typeof flags>;

export const relay = defineCommand({
  path: 'relay',
  about:
    'Forwards real traffic between the service and your application, and judges each exchange as it passes: callbacks go to --to, token and authenticate to --auth-url. Runs until it is stopped; then it exits with 0 if no relayed exchange was wrong, and with 1 otherwise.',
  flags,
  endsWithSignal: true,
  notes: [
    "Register the printed callback URL in place of your application's, and give the application the printed {auth_url}. Paths and queries are forwarded as they come; of the headers only Host is changed, to the host of the target.",
    "With --decrypt the service's public_key is replaced by one of the relay's own, in the same size and form, and each enc_partner_key is encrypted again for the service: both sides work as without it. It refuses to listen beyond loopback without --only.",
    'If the other side is unreachable, the caller gets HTTP 502 with the reason as JSON.',
  ],
  examples: {
    'between the service and an application on this machine':
      'authcli relay --to http://localhost:8080/callback --port 8090',
    'both directions, read and recorded':
      'authcli relay --to http://localhost:8080/callback --auth-url https://auth.example.com/api --decrypt --record session.jsonl',
    'learn the settings of the real service':
      'authcli relay --to http://localhost:8080/callback --decrypt --only "test-*" --save-settings',
  },
  run,
});

/** What the relay doesn't take of what a command that sends requests takes. */
const unused = { retry: 0, header: [], curl: false } as const;

/** Relays until a signal ends it. */
async function run(options: Options, session: Session): Promise<Outcome> {
  checkOptions(options);
  warnOf(options, session);
  const { host, to, authUrl, cipher, decrypt, only } = options;
  const { context } = session;
  const { signal } = context;
  const concerns = (ptnCd: string | undefined) =>
    only.length === 0 || (ptnCd !== undefined && only.some((glob) => matchesGlob(ptnCd, glob)));
  const learner = new Learner();
  let lessons: readonly Lesson[] = [];
  const findings = new Findings();
  /** Whose keys were read: signin, decrypt and the emulators can use them. Written once, as that takes long. */
  const users = new Map<string, KnownUser>();
  const counts: Counts = { exchanges: 0, failed: 0, doubts: [], isRecorded: true };

  const record = await openRecording(options.record, session);
  const network = await openNetwork({ ...options, ...unused }, session, to);

  const tls = await openTls({ ...options, fault: [] }, session);
  const feed = options.ui ? new Feed() : undefined;
  const sideOf = async (url: URL | undefined, port: number): Promise<RelayedSide | undefined> => {
    if (url === undefined) return undefined;
    const trusting = await trustOwnAuthority(options, url, session);
    const network = transportOptions({ ...trusting, ...unused }, session);
    return { upstream: await context.openUpstream(url, network), port };
  };
  const printExchange = exchangePrinter(session);
  const onExchange = async (seen: RelayedExchange): Promise<void> => {
    const { exchange, judgement: judged } = seen;
    const [first, ...others] = judged.ok ? [] : judged.diagnoses;
    const said = await network.explainLatest(first);
    const diagnoses = said === undefined ? judged.diagnoses : [said, ...others];
    const judgement = { ...judged, diagnoses };
    const relayed = { ...seen, judgement };
    if (exchange.response && isCallback(exchange)) recogniseLanguage(exchange.response, session);
    counts.exchanges += 1;
    if (!judgement.ok) {
      const { isStillWrong } = judgement;
      const failure = failureIn(judgement);
      if (isStillWrong && counts.doubts.length < mostDoubts)
        counts.doubts.push({ failure, isStillWrong });
      else {
        counts.failed += 1;
        counts.first ??= failure;
      }
    }
    hideSecrets(relayed, session);
    network.record(toExchange(exchange));
    if (counts.isRecorded) counts.isRecorded = await record(exchange);
    printExchange(relayed);
    for (const finding of judgement.findings) findings.add(finding, exchange);
    learner.observe(exchange);
    const before = lessons;
    lessons = learner.read().filter(({ value }) => value !== undefined);
    for (const lesson of lessons) {
      const known = before.find(({ setting }) => setting === lesson.setting);
      if (known?.value !== lesson.value || known?.confidence !== lesson.confidence)
        printLesson(lesson, session);
    }
    const user = decrypt ? userOf(relayed) : undefined;
    if (user !== undefined) users.set(user.ptnCd, user);
    feed?.add(watchedPassage(relayed));
  };
  const note = (text: string) => session.warnOnce(`--decrypt: ${text}`);
  const relay = await startRelay({
    host,
    tls: tls?.server,
    onTlsProblem: (problem) => session.warnOnce(`TLS: ${problem}`),
    callbacks: await sideOf(to, options.port),
    service: await sideOf(authUrl, options.authPort),
    substitution: decrypt ? substituteKeys({ generateKeyPairLike, concerns, note }) : undefined,
    cipher,
    now: context.now,
    findUser: async (ptnCd) => (decrypt && concerns(ptnCd) ? findUser(ptnCd, session) : undefined),
    onExchange,
  });
  try {
    const scheme = tls === undefined ? 'http' : 'https';
    const at = (port: number | undefined, path: string) =>
      port === undefined ? undefined : localUrl(host, { port, url: `${scheme}://relay` }) + path;
    const callbackUrl = to && at(relay.callbackPort, to.pathname + to.search);
    const authAddress = authUrl && at(relay.servicePort, withoutEnd(authUrl.pathname, '/'));
    const url = callbackUrl || authAddress || '';
    const uiUrl =
      feed && (await openPage({ url, feed, cipher, lessons: () => lessons }, tls, session));
    const rows = [
      ['callback URL', callbackUrl && `${callbackUrl}  forwards to ${to?.origin}`],
      ['auth URL', authAddress && `${authAddress}  forwards to ${authUrl?.origin}`],
      ...(tls?.rows ?? []),
    ] as const;
    const urls = { callback_url: callbackUrl ?? null, auth_url: authAddress ?? null };
    const more = { ...(uiUrl && { ui_url: uiUrl }), ...(tls && { tls: tls.event }) };
    const about = [...fields(rows, session.style), ...(tls?.trust ?? [])];
    const lines = ['relaying', ...about, '', 'Ctrl-C stops it.'];
    session.emit({ event: 'listening', ...urls, ...more }, lines.join('\n'));
    if (!signal.aborted) await once(signal, 'abort');
  } finally {
    await relay.close();
  }
  if (!(signal.reason instanceof AuthcliError)) throw signal.reason;
  if (users.size > 0) await (await session.state()).users.put(...users.values());
  if (options.saveSettings) {
    const saved = await saveLessons(lessons, session);
    if (saved.length > 0) session.note(`stored in the profile: ${saved.join(', ')}`);
  }
  const wrong = counts.doubts.filter(({ isStillWrong }) => isStillWrong());
  counts.failed += wrong.length;
  counts.first ??= wrong[0]?.failure;
  printSummary(counts, lessons, findings, session);
  return outcomeOf(counts, options, session);
}

/**
 * Serves the page on a port of its own, on loopback only, whatever the relay listens on; returns its address. The
 * secrets in the feed are hidden already.
 */
async function openPage(
  relay: { url: string; feed: Feed; cipher: Cipher; lessons: () => readonly Lesson[] },
  tls: OpenedTls | undefined,
  session: Session,
): Promise<string> {
  const { url, feed, cipher, lessons } = relay;
  const { newPageServer } = await import('../emulate/emulate-page.ts');
  let page: PageServer | undefined;
  const server = await startServer({
    host: '127.0.0.1',
    port: 0,
    who: 'The page',
    tls: tls?.server,
    handle: async (request) => page?.respond(request) ?? readableResponse(404, { ok: false }),
  });
  session.atEnd(() => server.close());
  session.atEnd(() => feed.close());
  const learned = () =>
    lessons().map(({ setting, value = '', confidence, evidence }) => {
      return { setting, value, confidence, evidence };
    });
  page = await newPageServer(
    { origin: server.url, feed, learned, cipher, reveals: session.showsSecrets },
    { side: 'relay', url, about: '' },
    session,
  );
  if (!session.global.json) session.aside(`watch it at ${page.url}`);
  return page.url;
}

/** Payloads that are judged again at the end; further ones are not. */
const mostDoubts = 10_000;

interface Counts {
  exchanges: number;
  failed: number;
  first?: Failure | undefined;
  /** Payloads that were not decrypted when they passed; a later one may show the cipher. */
  readonly doubts: {
    readonly failure: Failure | undefined;
    readonly isStillWrong: () => boolean;
  }[];
  isRecorded: boolean;
}

function checkOptions(options: Options): void {
  const { to, authUrl, decrypt, only, host } = options;
  if (to === undefined && authUrl === undefined) {
    throw usage(
      'The relay needs to know where to forward.',
      "Give --to with your application's callback URL, --auth-url with the service's address, or both.",
    );
  }
  if (only.length > 0 && !decrypt) {
    throw usage('--only has no effect without --decrypt.', 'Add --decrypt, or leave --only out.');
  }
  if (decrypt && only.length === 0 && !isLoopbackHost(host)) {
    throw usage(
      `--decrypt reads the data of every user, and ${host} can be reached from other machines.`,
      'Name your test users with --only, or listen on 127.0.0.1.',
    );
  }
}

function warnOf({ decrypt, only, host, record }: Options, session: Session): void {
  if (!isLoopbackHost(host)) {
    session.warn(`the relay listens on ${host}, where other machines can reach it`);
  }
  if (!decrypt) return;
  const whom = only.length === 0 ? 'every user' : `users that match ${only.join(', ')}`;
  const kept = record === undefined ? 'in the profile' : 'in the profile and the recording';
  session.warn(
    `--decrypt reads the keys, passcodes and user information of ${whom}, and keeps them ${kept}: use it for your own test users`,
  );
}

/** Before anything of the exchange is printed. */
function hideSecrets({ exchange, judgement }: RelayedExchange, { secrets }: Session): void {
  const { ptnCd, key, texts } = judgement;
  // First: shown only after it was hidden as a part of the user information, it would be looked for anew in everything.
  secrets.show(ptnCd);
  for (const secret of secretsOf(exchange)) secrets.addFromPeer(secret);
  if (key !== undefined) secrets.addFromPeer(key);
  for (const [field, text] of Object.entries(texts)) {
    if (field === 'ubifill') secrets.addUser({ userInfo: text });
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

/**
 * Opens a recording that grows by a line for each exchange, readable by its owner alone; what it returns resolves with
 * whether the line could be written. A full disk ends the recording, where its last line may be cut off, and not the relay.
 * @throws AuthcliError `usage` for a file that can't be written
 */
async function openRecording(
  path: string | undefined,
  session: Session,
): Promise<(exchange: CapturedExchange) => Promise<boolean>> {
  if (path === undefined) return async () => true;
  const { context, showsSecrets } = session;
  await checkWritable(path, '--record', session, 0o600);
  const writer = recordingWriter({
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
  return async (exchange) => {
    try {
      await writeAll(file, writer.line(exchange), session);
      return true;
    } catch (error) {
      const failure = fileError(error, 'write', path);
      if (!(failure instanceof AuthcliError)) throw failure;
      const where = `The recording ends before ${exchange.source}; the relay goes on.`;
      session.warn(`--record: ${failure.message} ${where} ${failure.hint}`.trim());
      return false;
    }
  };
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
    const facts = { at: startedAt, way, what: titleOf(exchange), durationMs, outcome } as const;
    const row = { ...facts, ptnCd, status, code, remarks: remarksOf(judgement) };
    const time = (at: number) => clock.format(at);
    session.emit(event, () =>
      exchangeLine(row, { style: session.style, width: columnsOf(stdout), time }),
    );
  };
}

/** For people, only what can be set is printed before the end. */
function printLesson(lesson: Lesson, session: Session): void {
  const { setting, value, confidence, evidence } = lesson;
  const { style, global } = session;
  if (!global.json && settingNamed(setting) === undefined) return;
  const text = escapeControls(`learned: ${setting} ${value} (${confidence}). ${evidence}`);
  session.emit({ event: 'learned', ...lessonFields(lesson) }, style.accent(text));
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
  { exchanges, failed, first, isRecorded }: Counts,
  { record }: Options,
  { global }: Session,
): Outcome {
  const done = { fields: {}, lines: [] };
  if (failed === 0 && isRecorded) return done;
  const status = failed > 0 ? exitStatus.negative : exitStatus.config;
  if (global.json) return { ...done, exitStatus: status };
  const message =
    failed === 0
      ? `The recording ${record} is incomplete.`
      : `${failed} of ${counted(exchanges, 'exchange')} had something wrong, the first: ${first?.message}`;
  const code = failed === 0 ? 'config' : 'protocol-error';
  return { ...done, failure: { code, hint: '', ...first, message, exitStatus: status } };
}

/** Each diagnosis, and the requirement of what has none. */
function remarksOf({ diagnoses, findings }: RelayedExchange['judgement']): readonly string[] {
  const others = findings.filter(({ fault }) => fault.diagnosis === undefined);
  return [
    ...diagnoses.map(({ code, message }) => `${code}: ${message}`),
    ...others.map(({ check, fault }) => `${check.id}: ${fault.observed}`),
  ];
}
