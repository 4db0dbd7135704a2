import { once } from 'node:events';
import { statSync } from 'node:fs';
import { connect } from 'node:net';
import { resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Exchange } from '../client/exchange.ts';
import { unbracket } from '../client/route.ts';
import { sentBy } from '../client/signup.ts';
import type { FailedCall } from '../conformance/context.ts';
import type { Cipher } from '../crypto/cipher.ts';
import { diagnoseErrorText, withoutWords } from '../diagnosis/callback-failure.ts';
import { stackOfCommand } from '../diagnosis/stack-of-command.ts';
import { type ReportedError, readReportedError } from '../diagnosis/stack-trace.ts';
import { AuthcliError, type Diagnosis, type DiagnosisCode, type Evidence } from '../errors.ts';
import { successCode } from '../protocol/response.ts';
import { excerptOf } from '../text.ts';
import { unreadable } from './args/input.ts';
import type { AppOptions } from './args/shared-flags.ts';
import type { Input } from './context.ts';
import { usage } from './failure.ts';
import { LogTail } from './process/log-tail.ts';
import type { Session } from './session.ts';

/** How long an application may take to start, without --wait. */
const usualStartMs = 120_000;
/** How long lines are waited for after a response that fails without words, and after a refusal. */
const settleMs = { opaque: 250, refused: 30 } as const;
/** What several exchanges have shown together: no log of one of them knows better. */
const ofSeveralExchanges: ReadonlySet<string> = new Set<DiagnosisCode>([
  'stale-key',
  'shared-state',
  'never-decrypts',
]);
/** Of a line that is shown. */
const shownCharacters = 300;

export interface StartOptions extends Partial<AppOptions> {
  /** Milliseconds. */
  readonly wait?: number | undefined;
}

/**
 * Starts the application of --app, and reads its log; both end with the run.
 * @param url waited for, if it is known
 * @throws AuthcliError `usage` for a log that can't be read, `refused` or `timeout` where the application doesn't start
 */
export async function openApplication(
  { app, appLog, wait = usualStartMs }: StartOptions,
  url: URL | undefined,
  session: Session,
): Promise<ApplicationLog> {
  const tail = appLog === '-' ? standardLog(session) : new LogTail();
  if (appLog !== undefined && appLog !== '-') await follow(appLog, tail, session);
  if (app !== undefined) await start({ app, wait }, url, tail, session);
  return new ApplicationLog(tail, session);
}

async function follow(file: string, tail: LogTail, session: Session): Promise<void> {
  const path = resolve(session.context.cwd, file);
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined) session.note(`--app-log: ${file} doesn't exist yet`);
  else if (!found.isFile())
    throw usage(`--app-log: ${file} is not a plain file.`, 'Pipe it: … | authcli … --app-log -');
  await tail.follow(path).catch((error: unknown) => {
    throw unreadable(file, error, '--app-log');
  });
}

/** Standard input can be read once in a process, and runs may be several. */
const standardLogs = new WeakMap<Input, LogTail>();

function standardLog({ context: { stdin }, input }: Session): LogTail {
  const known = standardLogs.get(stdin);
  if (known !== undefined) return known;
  input.claimStandardInput('--app-log');
  const tail = new LogTail();
  const take = tail.reader();
  const readAll = async () => {
    for await (const chunk of stdin.chunks()) take(chunk);
  };
  readAll().catch(() => {}); // destroyed on a signal
  standardLogs.set(stdin, tail);
  return tail;
}

/** Runs the command line through the shell, as npm does with scripts, in a process group that ends with the run. */
async function start(
  { app: line, wait: startMs }: { readonly app: string; readonly wait: number },
  url: URL | undefined,
  tail: LogTail,
  session: Session,
): Promise<void> {
  const { context } = session;
  session.recognised('command', stackOfCommand([line]));
  if (url !== undefined && (await listens(url)))
    throw usage(
      `Something listens at ${url.href} already, so --app was not started.`,
      'Stop it, or leave --app out to check what is running.',
    );
  context.signal.throwIfAborted();
  const stop = new AbortController();
  const ended = context.runChild({
    command: line,
    args: [],
    inShell: true,
    streams: 'captured',
    readers: { stdout: tail.reader(), stderr: tail.reader() },
    cwd: context.cwd,
    // Python keeps what it prints to a pipe until a buffer is full.
    env: { PYTHONUNBUFFERED: '1' },
    signal: stop.signal,
  });
  session.atEnd(async () => {
    stop.abort();
    await ended.catch(() => {});
  });
  const progress = session.progress(`Waiting for ${url?.href} of ${line}`);
  const waited = url === undefined ? true : waitForPort(url, startMs, stop.signal);
  const end = await Promise.race([waited, ended]).finally(() => progress.stop());
  // What it logs of these requests comes no later.
  if (end === true) return tail.settle(tail.position, settleMs.opaque);
  const how = end
    ? `ended with status ${end.status} before it listened`
    : `did not listen within ${startMs / 1000} s`;
  const error = reportedIn(tail.since(0), session);
  throw new AuthcliError(
    end ? 'refused' : 'timeout',
    `The application that --app starts ${how}${url ? ` at ${url.href}` : ''}.`,
    {
      hint: 'Check that the command keeps running, and listens at the port and the path of the URL.',
      data: { evidence: error && evidenceOf(error) },
    },
  );
}

/** Until something accepts connections there, or the time is over; whether it does. */
async function waitForPort(url: URL, startMs: number, signal: AbortSignal): Promise<boolean> {
  const end = performance.now() + startMs;
  while (performance.now() < end && !signal.aborted) {
    if (await listens(url)) return true;
    await delay(50);
  }
  return false;
}

async function listens({ protocol, hostname, port }: URL): Promise<boolean> {
  const usual = protocol === 'https:' ? 443 : 80;
  const socket = connect(Number(port) || usual, unbracket(hostname));
  try {
    await once(socket, 'connect', { signal: AbortSignal.timeout(1000) });
    return true;
  } catch {
    return false;
  } finally {
    socket.on('error', () => {}).destroy();
  }
}

/** What the log had from a request to shortly after its response. */
interface Excerpt {
  readonly lines: readonly string[];
  /** No other request was under way at the same time. */
  readonly isAlone: boolean;
}

/** The log of an application, as far as it belongs to exchanges that failed. */
export class ApplicationLog {
  readonly #tail: LogTail;
  readonly #session: Session;
  readonly #excerpts = new WeakMap<Exchange, Excerpt>();
  readonly #underWay = new Set<{ isAlone: boolean }>();
  #latest = 0;

  constructor(tail: LogTail, session: Session) {
    this.#tail = tail;
    this.#session = session;
  }

  /** Keeps what is logged of an exchange, if that fails. */
  async watch(send: () => Promise<Exchange>): Promise<Exchange> {
    await this.#tail.read();
    const from = this.#tail.position;
    const mine = { isAlone: this.#underWay.size === 0 };
    for (const other of this.#underWay) other.isAlone = false;
    this.#underWay.add(mine);
    try {
      const exchange = await send();
      const { response } = exchange;
      if (response && Buffer.from(response.body).includes(`"${successCode}"`)) return exchange;
      const isRefusal = response?.body[0] === 0x7b && response.status < 500;
      await this.#tail.settle(from, settleMs[isRefusal ? 'refused' : 'opaque']);
      this.#excerpts.set(exchange, { lines: this.#tail.since(from), isAlone: mine.isAlone });
      return exchange;
    } finally {
      this.#underWay.delete(mine);
    }
  }

  /** The diagnosis of a call that failed, with what the application itself reported of it. */
  explain(failed: Diagnosis, { operation, exchange }: FailedCall, cipher?: Cipher): Diagnosis {
    const { lines, isAlone } = this.#excerpts.get(exchange) ?? { lines: [], isAlone: true };
    const error = failed.evidence?.log === undefined ? reportedIn(lines, this.#session) : undefined;
    if (error === undefined || !(isAlone || error.isOnly)) return failed;
    return this.#withWords(failed, error, (wordless, texts) => {
      if (operation !== 'registration' && operation !== 'key-exchange') return wordless;
      const known = operation === 'registration' ? cipher : undefined;
      return diagnoseErrorText(wordless, { ...sentBy(exchange, operation, known), texts });
    });
  }

  /** The same for exchanges that others send: with what was logged since the last time, if that is one thing. */
  async explainLatest<D extends Diagnosis | undefined>(failed: D): Promise<D> {
    await this.#tail.settle(this.#latest, failed === undefined ? 0 : settleMs.opaque);
    const lines = this.#tail.since(this.#latest);
    this.#latest = this.#tail.position;
    const error = reportedIn(lines, this.#session);
    if (failed === undefined || !error?.isOnly) return failed;
    return { ...failed, ...this.#withWords(failed, error, (wordless) => wordless) };
  }

  /** The log says why, whatever the response says; but what an experiment proved has its own fix. */
  #withWords(
    failed: Diagnosis,
    error: ReportedError,
    read: (failed: Diagnosis, texts: readonly string[]) => Diagnosis,
  ): Diagnosis {
    const { source, words, stack, first } = error;
    this.#session.recognised('trace', stack);
    const evidence = evidenceOf(error);
    const withEvidence = (said: Diagnosis) => {
      return { ...said, evidence: { ...said.evidence, ...evidence } };
    };
    const { experiment, fitting_cipher: cipher, key_form: key } = failed.evidence ?? {};
    const isFound = (experiment ?? cipher ?? key) !== undefined && failed.confidence === 'certain';
    const isProven = isFound || ofSeveralExchanges.has(failed.code);
    const wordless = isProven ? failed : withoutWords(failed);
    const said = isProven ? failed : read(wordless, words);
    if (said.hint !== wordless.hint) return withEvidence(said);
    // A line that only speaks of a failure says no more than the response does.
    if (failed !== wordless && source === undefined) return withEvidence(failed);
    const at = source === undefined ? '' : ` at ${source}`;
    const quote = excerptOf(first, shownCharacters);
    const start = source === undefined ? 'Start with what its log says.' : `Start at ${source}.`;
    const isQuoted = said !== wordless;
    return withEvidence({
      ...said,
      ...(!isQuoted && { message: `${said.message} The application reports "${quote}"${at}.` }),
      ...(!isProven && { hint: start, calls: isQuoted ? said.calls : {}, confidence: undefined }),
    });
  }
}

/** What a log says of a failure, without secrets: half of one, after a cut, would not be found. */
function reportedIn(lines: readonly string[], session: Session): ReportedError | undefined {
  const error = readReportedError(lines);
  if (error === undefined) return undefined;
  const hidden = (text: string) => session.redactForeign(text);
  const { lines: shown, words, first } = error;
  return { ...error, lines: shown.map(hidden), words: words.map(hidden), first: hidden(first) };
}

function evidenceOf({ lines, source, stack }: ReportedError): Evidence {
  const log = lines.map((line) => excerptOf(line, shownCharacters));
  return { ...(source && { source }), ...(stack && { stack }), log };
}
