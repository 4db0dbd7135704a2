import { setImmediate } from 'node:timers/promises';
import { type Exchange, type Headers, responseOf, type Transport } from '../client/exchange.ts';
import type { ProxyOptions, TransportOptions } from '../client/transport-options.ts';
import { Secret } from '../crypto/secret.ts';
import { recogniseStack } from '../diagnosis/error-text.ts';
import {
  carriesCredentials,
  credentialForms,
  secretsInMessage,
} from '../protocol/secret-fields.ts';
import { wrapCommand } from '../reports/human.ts';
import { jsonDocument } from '../reports/json.ts';
import type { ApplicationLog, StartOptions } from './application.ts';
import { isReference } from './args/input.ts';
import type { NetworkOptions } from './args/shared-flags.ts';
import { usage } from './failure.ts';
import { checkWritable, writeOutputFile } from './process/output-file.ts';
import type { Session } from './session.ts';
import { remarkColumns } from './terminal/style.ts';

/** A transport whose exchanges are shown at the end, and others beside them. */
export interface Network extends Transport {
  /** For an exchange that this program received; it can't be repeated with curl. */
  readonly record: (exchange: Exchange) => void;
  /** With what the application's log says of it, under --app or --app-log. */
  readonly explain: ApplicationLog['explain'];
  readonly explainLatest: ApplicationLog['explainLatest'];
}

/** How much of bodies is stored for the end of the run: peers choose how long they are, and callers how many. */
const mostRecordedBytes = 32 * 1024 * 1024;

/**
 * Opens a transport with the network flags. Exchanges are stored until the end of the run: --trace, --curl and
 * --har may show them only once all secrets are known.
 */
export async function openNetwork(
  options: NetworkOptions & StartOptions,
  session: Session,
  url?: URL,
): Promise<Network> {
  requireWholeIdentity(options);
  const exchanges: Exchange[] = [];
  const received = new Set<Exchange>();
  if (options.har !== undefined) await checkWritable(options.har, '--har', session, 0o600);
  if (options.insecure)
    session.warnOnce('--insecure: the certificate of the other side is not verified');
  const header = await resolveHeaders(options.header, session);
  const settings = transportOptions({ ...options, header }, session);
  const transport = await session.context.openTransport(settings);
  session.atEnd(() => transport.close());
  session.atEnd(() => showRecording(exchanges, received, options, session));
  const { app, appLog } = options;
  const isRecorded = session.global.trace || options.curl || options.har !== undefined;
  let recordedBytes = 0;
  const record = (exchange: Exchange) => {
    if (!isRecorded) return;
    recordedBytes += exchange.request.body.length + (exchange.response?.body.length ?? 0);
    if (recordedBytes <= mostRecordedBytes) exchanges.push(exchange);
    else session.warnOnce('--har, --trace and --curl have the first 32 MiB of bodies, and no more');
  };
  const { openApplication } = (app ?? appLog) ? await import('./application.ts') : {};
  const log = await openApplication?.(options, url, session);
  return {
    send: async (request, connection) => {
      const send = () => transport.send(request, connection);
      const exchange = await (log === undefined ? send() : log.watch(send));
      // Also where the response can't be read.
      const response = responseOf(exchange);
      for (const text of response ? secretsInMessage(response) : [])
        session.secrets.addFromPeer(text);
      if (exchange.response !== undefined) recogniseLanguage(exchange.response, session);
      record(exchange);
      return exchange;
    },
    record: (exchange) => {
      received.add(exchange);
      record(exchange);
    },
    explain: (failed, ...call) => log?.explain(failed, ...call) ?? failed,
    explainLatest: async (failed) => log?.explainLatest(failed) ?? failed,
    close: () => transport.close(),
  };
}

/** The language of an application by one of its responses: what the body quotes, then the headers. */
export function recogniseLanguage(
  { headers = [], body }: { readonly headers?: Headers; readonly body: Uint8Array },
  session: Session,
): void {
  session.recognised('trace', recogniseStack([], body));
  session.recognised('headers', recogniseStack(headers, new Uint8Array()));
}

function requireWholeIdentity({ cert, certKey }: NetworkOptions): void {
  if ((cert === undefined) === (certKey === undefined)) return;
  const [given, missing] = cert === undefined ? ['cert-key', 'cert'] : ['cert', 'cert-key'];
  throw usage(
    `--${given} needs --${missing}: a client certificate works only together with its private key.`,
    `Add --${missing} FILE, or run \`authcli config set ${missing} FILE\`.`,
  );
}

/** Few requests, whose curl lines --verbose shows too. */
export function withCurl<O extends NetworkOptions>(options: O, { detail }: Session): O {
  return { ...options, curl: options.curl || detail === 'verbose' };
}

/** Runs `work` with a transport and a progress line. */
export async function withNetwork<T>(
  options: NetworkOptions,
  progressText: string,
  session: Session,
  work: (transport: Transport) => Promise<T>,
): Promise<T> {
  const transport = await openNetwork(withCurl(options, session), session);
  return withProgress(progressText, session, () => work(transport));
}

/** Runs `work` with a progress line. */
export function withProgress<T>(text: string, session: Session, work: () => Promise<T>) {
  const progress = session.progress(text);
  return work().finally(() => progress.stop());
}

/** The network flags and the proxy variables as options of a transport; passwords of proxies are hidden. */
export function transportOptions(options: NetworkOptions, session: Session): TransportOptions {
  const { context } = session;
  const { timeout, header, retry, ca, cert, certKey, insecure, resolve } = options;
  return {
    ca,
    cert,
    certKey: certKey?.reveal(),
    insecure,
    resolve,
    now: context.now,
    signal: context.signal,
    timeoutMs: timeout,
    headers: header.map(([name, value]) => [name, value.reveal()] as const),
    retries: retry,
    proxy: proxyOptions(options.proxy?.reveal(), session),
  };
}

/** --proxy, for every target; else the variables. As in curl, lower case wins. */
function proxyOptions(own: string | undefined, session: Session): ProxyOptions {
  const { context, secrets, origins } = session;
  const nameOf = (name: string) => [name, name.toUpperCase()].find((each) => context.env[each]);
  const textOf = (name = '') => context.env[name] || undefined;
  const sources = { http: nameOf('http_proxy'), https: nameOf('https_proxy') };
  const [http, https] = [textOf(sources.http), textOf(sources.https)];
  for (const proxy of [own, http, https]) secrets.add(passwordOf(proxy));
  const noProxy = textOf(nameOf('no_proxy'));
  if (own === undefined) return { http, https, sources, exceptsLoopback: true, noProxy };
  const { source } = origins.get('proxy') ?? {};
  return { http: own, https: own, sources: { http: source, https: source }, noProxy };
}

/** Follows the references in headers (`X-Api-Key: env:API_KEY`), and hides their secrets from now on. */
export async function resolveHeaders(
  headers: NetworkOptions['header'],
  { input, secrets }: Session,
): Promise<NetworkOptions['header']> {
  const resolved: (readonly [string, Secret])[] = [];
  for (const [name, given] of headers) {
    const value = given.reveal();
    const text = isReference(value)
      ? await input.followReference(value, `--header ${name}`)
      : value;
    if (isReference(value) || carriesCredentials(name)) {
      const forms = credentialForms(text);
      for (const secret of forms) secrets.add(secret);
      const own = /^env:(\w+)$/.exec(value)?.[1];
      if (own !== undefined) secrets.nameVariable(text, own);
      else {
        const variableName = `AUTHCLI_${name.toUpperCase().replace(/[^A-Z0-9]/g, '_')}`;
        secrets.nameVariable(forms.at(-1) ?? '', variableName);
      }
    }
    resolved.push([name, Secret.text(text)]);
  }
  return resolved;
}

function passwordOf(proxy = ''): string | undefined {
  const [, password] = /^[^/]*\/\/[^/@:]*:([^@]*)@/.exec(proxy) ?? [];
  return password;
}

async function showRecording(
  recorded: readonly Exchange[],
  received: ReadonlySet<Exchange>,
  options: NetworkOptions,
  session: Session,
): Promise<void> {
  if (recorded.length === 0 && options.har === undefined) return;
  const exchanges = recorded.toSorted((a, b) => a.startedAt - b.startedAt);
  const { toCurl, toHar, toWireText } = await import('../client/recording.ts');
  for (const exchange of session.global.trace ? exchanges : [])
    session.aside(session.redactForeign(`${toWireText(exchange)}\n`));
  const { insecure, resolve } = options;
  const references = session.showsSecrets ? [] : session.secrets.references;
  const sent = recorded.filter((exchange) => options.curl && !received.has(exchange));
  showCurl(
    sent.map(({ request }) => toCurl(request, { insecure, resolve, references })),
    session,
  );
  if (options.har === undefined) return;
  const { log } = toHar(exchanges, { version: session.context.version });
  const entries: unknown[] = [];
  for (const entry of log.entries) {
    entries.push(session.redactJson(entry));
    await setImmediate(); // a signal is noticed between two entries
  }
  const har = jsonDocument({ log: { ...session.redactJson({ ...log, entries: [] }), entries } });
  await writeOutputFile(options.har, har, '--har', session, { mode: 0o600 });
}

/** Prints each request as a curl command, with variables in place of secrets. */
function showCurl(lines: readonly string[], session: Session): void {
  const width = remarkColumns(session.context.stderr);
  const shown = lines.map((line) => session.redact(line));
  for (const line of shown) session.aside(wrapCommand(line, width).join('\n'));
  if (shown.some((line, index) => line !== lines[index]))
    session.note(
      '[redacted] in a curl command is a secret that no variable contains: write it there, or use --show-secrets',
    );
  const names = session.secrets.references
    .map(({ name }) => name)
    .filter((name) => lines.some((line) => line.includes(`"$${name}"`)));
  if (names.length > 0)
    session.note(
      `the curl commands use the variables ${[...new Set(names)].join(', ')}: set them in your shell`,
    );
}
