import { getCiphers, getFips } from 'node:crypto';
import { existsSync } from 'node:fs';
import { algorithms } from '../crypto/cipher-algorithms.ts';
import { type DoctorCheck, fine, odd, wrong } from '../diagnosis/doctor.ts';
import { AuthcliError } from '../errors.ts';
import { settingDefinitions } from '../state/settings.ts';
import type { State } from '../state/state.ts';
import { hintOf } from './hints.ts';
import type { Session } from './session.ts';

/** What can be examined without a network: the config file and what belongs to it, Node, OpenSSL, the proxy variables. */
export async function examineLocally(session: Session): Promise<readonly DoctorCheck[]> {
  return [
    ...(await examineState(session)),
    examineNode(session),
    examineOpenSsl(session),
    examineProxy(session),
  ];
}

/** Sets damaged files aside, and says which. */
export async function mendLocally(session: Session): Promise<readonly DoctorCheck[]> {
  const mended = await (await session.state()).setDamagedAside();
  return mended.map(({ aside, problem }) => fine('mended', `${problem} It is kept as ${aside}.`));
}

async function examineState(session: Session): Promise<readonly DoctorCheck[]> {
  try {
    const state = await session.state();
    const check = examineFiles(state);
    return [check, examineModes(state)];
  } catch (error) {
    if (!(error instanceof AuthcliError) || error.code !== 'config') throw error;
    const { code, message } = error;
    return [wrong('config-file', { code, message, hint: hintOf(error) })];
  }
}

/** Reads everything that a command might read, users included. */
function examineFiles(state: State): DoctorCheck {
  const set = Object.keys(state.settings.list()).length;
  const users = state.users.list().length;
  const { configFile, profile } = state;
  return existsSync(configFile)
    ? fine(
        'config-file',
        `${configFile}, profile ${profile}: ${set} of ${settingDefinitions.length} settings set, ${users} users known.`,
      )
    : fine('config-file', `${configFile} is not there yet; it is made with the first change.`);
}

function examineModes({ warnings }: State): DoctorCheck {
  return warnings.length === 0
    ? fine('permissions', 'What is kept can be read by you alone.')
    : odd(
        'permissions',
        warnings.join(' '),
        'Run chmod 600 on the files and 700 on their folders. If others use this machine, take what was kept there for known to them.',
      );
}

/** The releases that authcli is tested on; the first is also the oldest that it runs on. */
const oldestNode = [20, 19] as const;

function examineNode({ context }: Session): DoctorCheck {
  const { node } = context.platform;
  const [major = 0, minor = 0] = node.split('.').map(Number);
  const [oldestMajor, oldestMinor] = oldestNode;
  if (major < oldestMajor || (major === oldestMajor && minor < oldestMinor)) {
    return wrong('node', {
      code: 'usage',
      message: `Node ${node} is older than authcli needs.`,
      hint: `Install Node ${oldestMajor}.${oldestMinor} or later.`,
    });
  }
  const isShortLived = major % 2 === 1;
  return isShortLived
    ? odd(
        'node',
        `Node ${node} is of a release line without long-term support.`,
        'Use an even one: authcli is tested on those.',
      )
    : fine('node', `Node ${node}.`);
}

/** Some builds of OpenSSL leave ciphers out, and the FIPS mode forbids some. */
function examineOpenSsl({ context }: Session): DoctorCheck {
  const { openssl } = context.platform;
  const known = new Set(getCiphers());
  const missing = algorithms.filter(({ name }) => !known.has(name));
  if (getFips() === 1 || missing.length > 0) {
    const names = missing.map(({ name }) => name).join(', ');
    return odd(
      'openssl',
      `OpenSSL ${openssl}${getFips() === 1 ? ' in FIPS mode' : ''} lacks ${names || 'MD5 and SHA-1 keys'}.`,
      'Payloads in these ciphers can not be read here; use a Node with its own OpenSSL.',
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
      `${differing.join(', ')} and the same in capitals differ; the small letters count.`,
      'Set one of them, or both alike.',
    );
  }
  return set.length === 0
    ? fine('proxy-variables', 'None is set.')
    : fine('proxy-variables', `Set: ${set.join(', ')}.`);
}
