import { getCiphers, getFips } from 'node:crypto';
import { existsSync, mkdtempSync, rmdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Transport } from '../../client/exchange.ts';
import { algorithms } from '../../crypto/cipher.ts';
import { type DoctorCheck, fine, judgeWay, odd, wrong } from '../../diagnosis/doctor.ts';
import { hasCode } from '../../errors.ts';
import { tokenUrl } from '../../protocol/endpoints.ts';
import { marks, type Style } from '../../reports/human.ts';
import { withFileErrors } from '../../state/files.ts';
import { type Settings, settingNames } from '../../state/settings.ts';
import { counted, escapeControls } from '../../text.ts';
import { authUrlFlag, optionalUrlFlag } from '../args/flags.ts';
import { InputReader, isReference } from '../args/input.ts';
import { flag, type OptionsOf } from '../args/options.ts';
import { type NetworkOptions, networkFlags } from '../args/shared-flags.ts';
import { confirmation, defineCommand, type Line } from '../command.ts';
import { exitStatusOf, rankOf } from '../exit-status.ts';
import type { Failure } from '../failure.ts';
import { openNetwork, transportOptions, withProgress } from '../network.ts';
import type { Session } from '../session.ts';

const flags = {
  url: optionalUrlFlag,
  authUrl: flag('--auth-url <url>', authUrlFlag.about, { parse: tokenUrl, setting: 'auth-url' }),
  ...networkFlags,
} as const;

type Options = OptionsOf<typeof flags>;

export const doctor = defineCommand({
  path: 'doctor',
  about:
    'Checks the set-up and the connection to the configured endpoints: config file, permissions, Node and OpenSSL, proxy, DNS, IPv4 and IPv6, certificate, redirects, clocks. Each endpoint gets one OPTIONS request, which changes nothing and signs up no one.',
  flags,
  survives: ['config'],
  examples: {
    'the connection to your endpoint': 'authcli doctor --url http://localhost:8080/callback',
    'the problems, for a script': `authcli doctor --json | jq -r '.checks[] | select(.status != "ok") | .message'`,
  },
  run: async (options, session) => {
    const checks = [
      ...(await examineState(session)),
      ...(await examineReferences(session)),
      examineNode(session),
      examineOpenSsl(session),
      examineProxy(session),
      ...(await examineWays(options, session)),
    ];
    const noEndpoint = [
      'No endpoint is set, so no connection was checked. To set one:',
      `  ${marks.arrowOut} ${session.commandLine(['init'])}`,
    ];
    const hints = (options.url ?? options.authUrl) ? [] : noEndpoint;
    const count = (status: DoctorCheck['status']) =>
      checks.filter((check) => check.status === status).length;
    const summary = `${count('ok')} ok, ${counted(count('warning'), 'warning')}, ${counted(count('failure'), 'failure')}`;
    return {
      fields: {
        checks: checks.map(({ id, status, message, hint }) => ({ id, status, message, hint })),
      },
      lines: [
        ...checks.flatMap((check) => checkLines(check, session.style)),
        ...['', summary, ...hints].map(confirmation),
      ],
      failure: failureOf(checks),
    };
  },
});

async function examineState(session: Session): Promise<readonly DoctorCheck[]> {
  try {
    const { settings, users, configFile, profile, warnings } = await session.state();
    const set = Object.keys(settings.list()).length;
    const known = counted(users.list().length, 'user');
    const text = existsSync(configFile)
      ? `${configFile}, profile ${profile}: ${set} of ${settingNames.length} settings set, ${known} known.`
      : `${configFile} does not exist yet; it is created with the first change.`;
    const advice =
      'Run chmod 600 on the files and 700 on their folders. If others use this machine, treat the stored secrets as compromised.';
    return [
      fine('config-file', text),
      ...examineFolder(configFile),
      warnings.length === 0
        ? fine('permissions', 'Stored files are readable only by you.')
        : odd('permissions', warnings.join(' '), advice),
    ];
  } catch (error) {
    if (hasCode(error, 'config')) return [wrong('config-file', error)];
    throw error;
  }
}

/** The folder that has, or will have, the stored files; nothing if it can be written. */
function examineFolder(configFile: string): readonly DoctorCheck[] {
  let folder = dirname(configFile);
  while (!existsSync(folder)) folder = dirname(folder);
  try {
    withFileErrors('write in', folder, () =>
      rmdirSync(mkdtempSync(join(folder, '.authcli-doctor-'))),
    );
    return [];
  } catch (error) {
    if (!hasCode(error, 'config')) throw error;
    const hint =
      'Set AUTHCLI_CONFIG to a file in a folder that can be written; without one, nothing is stored.';
    return [wrong('config-folder', { code: 'config', message: error.message, hint })];
  }
}

/** Whether the references of the profile (`env:NAME`, `file:PATH`, `cmd:COMMAND`) lead to their secrets. */
async function examineReferences(session: Session): Promise<readonly DoctorCheck[]> {
  const settings: Settings = await session
    .state()
    .then((state) => state.settings.list())
    .catch(() => ({})); // reported as config-file
  const { 'secret-key': secretKey = '', headers = [] } = settings;
  const parts = headers.map((line) => /^([^:]*):\s*(.*)$/s.exec(line) ?? []);
  const all = [
    ['secret-key', secretKey],
    ...parts.map(([, name, value]) => [`headers ${name}`, value]),
  ];
  const references = all.filter(([, value = '']) => isReference(value));
  return Promise.all(
    references.map(([name = '', value = '']) => examineReference(name, value, session)),
  );
}

/** Whether the reference of a setting leads to a secret. */
export async function examineReference(name: string, value: string, session: Session) {
  const id = `reference/${name}`;
  const source = `the setting ${name}`;
  const exposed: DoctorCheck[] = [];
  const input = new InputReader(session.context, (problem, fix) =>
    exposed.push(odd(id, problem, fix)),
  );
  try {
    const text = await input.followReference(value, source);
    session.secrets.add(text);
    if (text !== '') return exposed[0] ?? fine(id, `The reference of ${source} is resolved.`);
    return wrong(id, { code: 'usage', message: `${source}: the secret is empty.`, hint: '' });
  } catch (error) {
    if (hasCode(error, 'usage')) return wrong(id, error);
    throw error;
  }
}

function examineNode({ context }: Session): DoctorCheck {
  const { node } = context.platform;
  const [major = 0, minor = 0] = node.split('.').map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return fine('node', `Node ${node}.`);
  const message = `Node ${node} is too old for authcli.`;
  return wrong('node', { code: 'usage', message, hint: 'Install Node 20.19 or later.' });
}

/** Some builds of OpenSSL lack ciphers, and FIPS mode forbids some. */
function examineOpenSsl({ context }: Session): DoctorCheck {
  const { openssl } = context.platform;
  const known = getCiphers();
  const missing = algorithms.map(({ name }) => name).filter((name) => !known.includes(name));
  const isFips = getFips() === 1;
  if (!isFips && missing.length === 0)
    return fine('openssl', `OpenSSL ${openssl}, with every cipher of the notation.`);
  return odd(
    'openssl',
    `OpenSSL ${openssl}${isFips ? ' in FIPS mode' : ''} lacks ${missing.join(', ') || 'MD5 and SHA-1 keys'}.`,
    "Payloads in these ciphers can't be decrypted here; use a Node build with its bundled OpenSSL.",
  );
}

const proxyVariables = ['http_proxy', 'https_proxy', 'no_proxy'] as const;

function examineProxy({ context: { env } }: Session): DoctorCheck {
  const id = 'proxy-variables';
  const names = proxyVariables.flatMap((name) => [name, name.toUpperCase()]);
  const set = names.filter((name) => env[name]);
  const differing = proxyVariables.filter((name) => {
    const [small, large] = [env[name], env[name.toUpperCase()]];
    return small && large && small !== large;
  });
  if (differing.length > 0) {
    const message = `${differing.join(', ')} and its upper-case form differ; the lower-case one is used.`;
    return odd(id, message, 'Set only one of them, or both to the same value.');
  }
  return fine(id, set.length === 0 ? 'No proxy is set.' : `Set: ${set.join(', ')}.`);
}

async function examineWays(options: Options, session: Session): Promise<readonly DoctorCheck[]> {
  const { url: callback, authUrl: service } = options;
  if (callback === undefined && service === undefined) return [];
  const transport = await openNetwork(options, session).catch((error: unknown) => {
    // Options that no request can be sent with.
    if (hasCode(error, 'usage')) return wrong('network-options', error);
    throw error;
  });
  if ('status' in transport) return [transport];
  const checks: DoctorCheck[] = [];
  for (const [name, url] of Object.entries({ url: callback, 'auth-url': service })) {
    if (url === undefined) continue;
    const found = await withProgress(`Checking the connection to ${url.host}`, session, () =>
      examineWay(url, options, transport, session),
    );
    checks.push(...found.map((check) => ({ ...check, id: `${name}/${check.id}` })));
  }
  return checks;
}

/** What is on the way to an endpoint. */
export async function examineWay(
  url: URL,
  options: NetworkOptions,
  transport: Transport,
  session: Session,
): Promise<readonly DoctorCheck[]> {
  const { surveyWay } = await import('../../client/survey.ts');
  const settings = transportOptions(options, session);
  return judgeWay(await surveyWay(url, settings, transport), session.context.now());
}

function checkLines({ id, status, message, hint }: DoctorCheck, style: Style): readonly Line[] {
  const mark = {
    ok: style.good(marks.good),
    warning: style.warn('!'),
    failure: style.bad(marks.bad),
  }[status];
  const label = status === 'ok' ? '' : `${status}: `;
  const line = `${mark} ${style.bold(id)}  ${label}${escapeControls(message)}`;
  if (status === 'ok') return [confirmation(line)];
  return hint === '' ? [line] : [line, `    ${marks.arrowOut} ${escapeControls(hint)}`];
}

function failureOf(checks: readonly DoctorCheck[]): Failure | undefined {
  const failures = checks.flatMap(({ id, code, message, hint }) =>
    code === undefined ? [] : [{ code, message: `${id}: ${message}`, hint }],
  );
  const rank = ({ code }: Failure): number => rankOf(exitStatusOf(code));
  const [first] = failures.toSorted((left, right) => rank(left) - rank(right));
  return first && { ...first, sumsUp: true };
}
