import { getCiphers, getFips, X509Certificate } from 'node:crypto';
import { existsSync, mkdtempSync, rmdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { algorithms } from '../../crypto/cipher.ts';
import { type DoctorCheck, fine, odd, wrong } from '../../diagnosis/doctor.ts';
import { hasCode } from '../../errors.ts';
import { withFileErrors } from '../../state/files.ts';
import { type Settings, settingDefinitions } from '../../state/settings.ts';
import type { State } from '../../state/state.ts';
import { counted } from '../../text.ts';
import { InputReader, isReference } from '../args/input.ts';
import type { Session } from '../session.ts';
import { dateOf } from '../tls/tls-lines.ts';

/** Examines what needs no network: local state, Node, OpenSSL, proxy variables. */
export async function examineLocally(session: Session): Promise<readonly DoctorCheck[]> {
  return [
    ...(await examineState(session)),
    ...(await examineReferences(session)),
    examineNode(session),
    examineOpenSsl(session),
    examineProxy(session),
  ];
}

async function examineState(session: Session): Promise<readonly DoctorCheck[]> {
  try {
    const state = await session.state();
    const check = examineFiles(state);
    const unwritable = examineFolder(state);
    const modes = examineModes(state);
    return [check, ...unwritable, modes, ...examineLocalCa(state, session.context.now())];
  } catch (error) {
    if (!hasCode(error, 'config')) throw error;
    const { code, message, hint } = error;
    return [wrong('config-file', { code, message, hint })];
  }
}

/** Whether the references of the profile (`env:NAME`, `file:PATH`, `cmd:COMMAND`) lead to their secrets. */
async function examineReferences(session: Session): Promise<readonly DoctorCheck[]> {
  const settings = await session
    .state()
    .then((state) => state.settings.list())
    .catch(() => ({})); // reported as config-file
  const references = referencesOf(settings);
  const checks = references.map(async ([name, value]) => {
    const id = `reference/${name}`;
    const source = `the setting ${name}`;
    const exposed: DoctorCheck[] = [];
    const input = new InputReader(session.context, session.global.maxInput, (problem, fix) =>
      exposed.push(odd(id, problem, fix)),
    );
    try {
      const text = await input.followReference(value, source);
      session.secrets.add(text);
      if (text !== '') return exposed[0] ?? fine(id, `The reference of ${source} is resolved.`);
      return wrong(id, { code: 'usage', message: `${source}: the secret is empty.`, hint: '' });
    } catch (error) {
      if (!hasCode(error, 'usage')) throw error;
      return wrong(id, { code: error.code, message: error.message, hint: error.hint });
    }
  });
  return Promise.all(checks);
}

function referencesOf(settings: Settings): readonly (readonly [name: string, value: string])[] {
  const { 'secret-key': secretKey = '', headers = [] } = settings;
  const all = [
    ['secret-key', secretKey],
    ...headers.map((line) => [
      `headers ${line.replace(/:.*$/s, '')}`,
      line.replace(/^[^:]*:\s*/, ''),
    ]),
  ] as const;
  return all.flatMap(([name = '', value = '']) =>
    isReference(value) ? [[name, value] as const] : [],
  );
}

function examineFiles(state: State): DoctorCheck {
  const set = Object.keys(state.settings.list()).length;
  const users = state.users.list().length;
  const { configFile, profile } = state;
  return existsSync(configFile)
    ? fine(
        'config-file',
        `${configFile}, profile ${profile}: ${set} of ${settingDefinitions.length} settings set, ${counted(users, 'user')} known.`,
      )
    : fine('config-file', `${configFile} does not exist yet; it is created with the first change.`);
}

/** The folder that has, or will have, the stored files; nothing if it can be written. */
function examineFolder({ configFile }: State): readonly DoctorCheck[] {
  let folder = dirname(configFile);
  while (!existsSync(folder)) folder = dirname(folder);
  try {
    withFileErrors('write in', folder, () =>
      rmdirSync(mkdtempSync(join(folder, '.authcli-doctor-'))),
    );
    return [];
  } catch (error) {
    if (!hasCode(error, 'config')) throw error;
    return [wrong('config-folder', { code: error.code, message: error.message, hint: error.hint })];
  }
}

function examineModes({ warnings }: State): DoctorCheck {
  return warnings.length === 0
    ? fine('permissions', 'Stored files are readable only by you.')
    : odd(
        'permissions',
        warnings.join(' '),
        'Run chmod 600 on the files and 700 on their folders. If others use this machine, treat the stored secrets as compromised.',
      );
}

/** Only where --tls was used: a new CA is made by itself, but programs must be made to trust it. */
function examineLocalCa({ localTls }: State, now: number): readonly DoctorCheck[] {
  const stored = localTls.read();
  if (stored === undefined) return [];
  const end = Date.parse(new X509Certificate(stored.authority.certificate).validTo);
  const day = dateOf(end);
  if (end > now) return [fine('local-ca', `The local CA of --tls is valid until ${day}.`)];
  return [
    odd(
      'local-ca',
      `The local CA of --tls expired on ${day}.`,
      'The next run with --tls replaces it, and prints how to make your programs trust the new one.',
    ),
  ];
}

/** The oldest release that authcli is tested on. */
const oldestNode = [20, 19] as const;

function examineNode({ context }: Session): DoctorCheck {
  const { node } = context.platform;
  const [major = 0, minor = 0] = node.split('.').map(Number);
  const [oldestMajor, oldestMinor] = oldestNode;
  if (major < oldestMajor || (major === oldestMajor && minor < oldestMinor)) {
    return wrong('node', {
      code: 'usage',
      message: `Node ${node} is too old for authcli.`,
      hint: `Install Node ${oldestMajor}.${oldestMinor} or later.`,
    });
  }
  const isShortLived = major % 2 === 1;
  return isShortLived
    ? odd(
        'node',
        `Node ${node} belongs to a release line without long-term support.`,
        'Use an even-numbered release: authcli is tested on those.',
      )
    : fine('node', `Node ${node}.`);
}

/** Some builds of OpenSSL lack ciphers, and FIPS mode forbids some. */
function examineOpenSsl({ context }: Session): DoctorCheck {
  const { openssl } = context.platform;
  const known = new Set(getCiphers());
  const missing = algorithms.filter(({ name }) => !known.has(name));
  if (getFips() === 1 || missing.length > 0) {
    const names = missing.map(({ name }) => name).join(', ');
    return odd(
      'openssl',
      `OpenSSL ${openssl}${getFips() === 1 ? ' in FIPS mode' : ''} lacks ${names || 'MD5 and SHA-1 keys'}.`,
      "Payloads in these ciphers can't be decrypted here; use a Node build with its bundled OpenSSL.",
    );
  }
  return fine('openssl', `OpenSSL ${openssl}, with every cipher of the notation.`);
}

const proxyVariables = ['http_proxy', 'https_proxy', 'no_proxy'] as const;

function examineProxy({ context: { env } }: Session): DoctorCheck {
  const set = proxyVariables.flatMap((name) =>
    [name, name.toUpperCase()].filter((variable) => (env[variable] ?? '') !== ''),
  );
  const differing = proxyVariables.filter((name) => {
    const [small, large] = [env[name] ?? '', env[name.toUpperCase()] ?? ''];
    return small !== '' && large !== '' && small !== large;
  });
  if (differing.length > 0) {
    return odd(
      'proxy-variables',
      `${differing.join(', ')} and its upper-case form differ; the lower-case one is used.`,
      'Set only one of them, or both to the same value.',
    );
  }
  return set.length === 0
    ? fine('proxy-variables', 'No proxy is set.')
    : fine('proxy-variables', `Set: ${set.join(', ')}.`);
}
