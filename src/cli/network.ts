import { resolve } from 'node:path';
import { carriesCredentials, credentialForms } from '../client/headers.ts';
import type { Exchange, Transport, TransportOptions } from '../client/transport.ts';
import { Secret } from '../crypto/secret.ts';
import { tokensInText } from '../protocol/tokens-in-text.ts';
import { jsonDocument } from '../reports/json.ts';
import { escapeControls } from '../text.ts';
import { textContent } from './content.ts';
import type { NetworkOptions } from './network-flags.ts';
import { cannotWrite } from './output-file.ts';
import type { Session } from './session.ts';
import { isReference } from './setting-values.ts';

/**
 * Opens the way out as the network flags say. Every exchange is kept until the end of the run:
 * only then all secrets of it are known, and --trace, --curl and --har may show it.
 */
export async function openNetwork(options: NetworkOptions, session: Session): Promise<Transport> {
  const exchanges: Exchange[] = [];
  if (options.har !== undefined) await checkWritable(options.har, session);
  if (options.insecure)
    session.warn('--insecure: the certificate of the other side is not verified');
  const header = await resolveHeaders(options.header, session);
  const transport = await session.context.openTransport({
    ...transportOptions({ ...options, header }, session),
    // A server that is the child of this run may wait for its connections to end.
    leavesIdle: session.childCommand.length === 0,
  });
  session.atEnd(() => transport.close());
  session.atEnd(() => showRecording(exchanges, options, session));
  return {
    send: async (request) => {
      const exchange = await transport.send(request);
      hideTokens(exchange, session);
      if (isRecorded(options, session)) exchanges.push(exchange);
      return exchange;
    },
    close: () => transport.close(),
  };
}

/** An access token is a secret also where the answer around it can't be read. */
function hideTokens({ answer, partial }: Exchange, { secrets }: Session): void {
  const { body } = answer ?? partial ?? {};
  if (body === undefined) return;
  for (const token of tokensInText(Buffer.from(body).toString())) secrets.add(token);
}

/** The options of the transport that the network flags and the environment say. */
export function transportOptions(
  options: NetworkOptions,
  { context, secrets }: Session,
): TransportOptions {
  const { env } = context;
  const http = Secret.optional(variable(env, 'http_proxy'));
  const https = Secret.optional(variable(env, 'https_proxy'));
  for (const proxy of [options.proxy, http, https]) secrets.add(passwordOf(proxy));
  return {
    timeoutMs: options.timeout,
    maxBodyBytes: options.maxBody,
    headers: options.header,
    ca: options.ca,
    cert: options.cert,
    certKey: options.certKey,
    insecure: options.insecure,
    proxy: {
      http: options.proxy ?? http,
      https: options.proxy ?? https,
      noProxy: variable(env, 'no_proxy'),
    },
    resolve: options.resolve,
    unixSocket: options.unixSocket && resolve(context.cwd, options.unixSocket),
    retries: options.retry,
    now: context.now,
    signal: context.stop,
  };
}

/** The headers with references followed (`X-Api-Key: env:API_KEY`), and what is secret in them hidden from now on. */
export async function resolveHeaders(
  headers: NetworkOptions['header'],
  { input, secrets }: Session,
): Promise<NetworkOptions['header']> {
  const resolved: (readonly [string, Secret])[] = [];
  for (const [name, given] of headers) {
    const value = given.reveal();
    const source = `--header ${name}`;
    const content = isReference(value)
      ? await input.resolve({ input: 'text', references: true }, value, source)
      : textContent(value);
    const hidden = isReference(value) || carriesCredentials(name);
    if (hidden) {
      const forms = credentialForms(content.text);
      for (const secret of forms) secrets.add(secret);
      const own = /^env:(\w+)$/.exec(value)?.[1];
      if (own !== undefined) secrets.nameVariable(content.text, own);
      else secrets.nameVariable(forms.at(-1) ?? '', variableOfHeader(name));
    }
    resolved.push([name, Secret.text(content.text)]);
  }
  return resolved;
}

/** What a pasted command line calls the secret of a header: `AUTHCLI_X_API_KEY`. */
function variableOfHeader(name: string): string {
  return `AUTHCLI_${name.toUpperCase().replace(/[^A-Z0-9]/g, '_')}`;
}

/** Proxy variables come in small letters and in capitals; as in curl, small letters win. */
function variable(env: Session['context']['env'], name: string): string | undefined {
  return env[name] || env[name.toUpperCase()];
}

/** The password in a proxy's URL. */
function passwordOf(proxy: Secret | undefined): string | undefined {
  const [, password] = /^[^/]*\/\/[^/@:]*:([^@]*)@/.exec(proxy?.reveal() ?? '') ?? [];
  return password;
}

function isRecorded(options: NetworkOptions, { global }: Session): boolean {
  return global.trace || global.debug || options.curl || options.har !== undefined;
}

async function showRecording(
  exchanges: readonly Exchange[],
  options: NetworkOptions,
  session: Session,
): Promise<void> {
  if (exchanges.length === 0 && options.har === undefined) return;
  const { toCurl, toHar, toWireText } = await import('../client/recording.ts');
  const { trace, debug } = session.global;
  const texts = trace || debug ? exchanges.map((exchange) => traceText(toWireText(exchange))) : [];
  for (const text of texts) {
    if (debug) session.report(text);
    else session.aside(text);
  }
  if (options.curl) showCurl(exchanges, toCurl, options, session);
  if (options.har === undefined) return;
  const har = toHar(exchanges, { version: session.context.version });
  await writeHar(
    options.har,
    jsonDocument(session.showsSecrets ? har : session.secrets.json(har)),
    session,
  );
}

type Recording = typeof import('../client/recording.ts');

/** Each request as a line for a shell; secrets stand in it as the variables that hold them. */
function showCurl(
  exchanges: readonly Exchange[],
  toCurl: Recording['toCurl'],
  { insecure, resolve, unixSocket }: NetworkOptions,
  session: Session,
): void {
  const references = session.showsSecrets ? [] : session.secrets.references;
  const lines = exchanges.map(({ request }) =>
    toCurl(request, { insecure, resolve, unixSocket, references }),
  );
  for (const line of lines) session.aside(escapeControls(line));
  const names = references.map(({ name }) => name).filter((name) => uses(lines, name));
  if (names.length > 0)
    session.note(`the curl lines read ${[...new Set(names)].join(', ')}: set them in your shell`);
}

function uses(lines: readonly string[], name: string): boolean {
  return lines.some((line) => line.includes(`"$${name}"`));
}

function traceText(wireText: string): string {
  return `${wireText.split('\n').map(escapeControls).join('\n')}\n`;
}

/** Finds out before anything is sent whether the file can be written. */
async function checkWritable(file: string, { context }: Session): Promise<void> {
  const { open } = await import('node:fs/promises');
  try {
    await (await open(resolve(context.cwd, file), 'a', 0o600)).close();
  } catch (error) {
    throw cannotWrite(file, '--har', error as NodeJS.ErrnoException);
  }
}

async function writeHar(file: string, text: string, { context }: Session): Promise<void> {
  const { writeFile } = await import('node:fs/promises');
  try {
    await writeFile(resolve(context.cwd, file), text, { mode: 0o600 });
  } catch (error) {
    throw cannotWrite(file, '--har', error as NodeJS.ErrnoException);
  }
}
