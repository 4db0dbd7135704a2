import type { Ending } from './response.ts';
import { peer } from './right-responses.ts';

/** What a command is started with. */
export interface RunEnvironment {
  readonly privateKeyFile: string;
  readonly configFile: string;
  readonly secretKey: string;
}

/** A command that receives responses. */
export interface ReceivingCommand {
  readonly name: string;
  readonly argv: (url: URL, environment: RunEnvironment) => readonly string[];
  /** How it may end on a response after which an operation ends as expected. */
  readonly mayEnd: (ending: Ending) => {
    readonly exits: readonly number[];
    readonly code?: string;
  };
}

const anything = [0, 1, 3];

/** The commands that send one operation or two and say what became of it. */
const exactly: ReceivingCommand['mayEnd'] = ({ exit, code }) => ({
  exits: exit === 'any' ? anything : code === undefined && exit === 1 ? [0, 1] : [exit],
  code,
});

/**
 * Those that judge more than the operation: an odd response may be too odd for them, and one that
 * broke off behind its head has shown that something responds.
 */
const atLeast: ReceivingCommand['mayEnd'] = ({ exit, code }) => ({
  exits: exit === 'any' ? anything : exit === 3 ? [1, 3] : code === undefined ? [0, 1] : [1],
  ...(exit === 3 && { code }),
});

/** What asks for no operation sees what is wrong with the connection, and passes over a body. */
const connectionAlone: ReceivingCommand['mayEnd'] = ({ exit, code }) => ({
  exits: exit === 'any' ? anything : exit === 3 ? [3] : [0, 1],
  ...(exit === 3 && { code }),
});

const bothChecks = (group: string, ...names: string[]) =>
  names.flatMap((name) => ['--check', `${group}/${name}`]);
const user = ['--ptn-cd', peer.user];
const known = ['--key', peer.key];
const pair = ({ privateKeyFile }: RunEnvironment) => ['--private-key', privateKeyFile];
const account = ({ secretKey }: RunEnvironment) => [
  '--client-id',
  'shop',
  '--secret-key',
  secretKey,
];
const passcode = [...known, '--expect-passcode', peer.passcode];

/** Every command that receives something from a peer. */
export const commands: readonly ReceivingCommand[] = [
  {
    name: 'simulate-signup',
    argv: (url, environment) => ['--url', url.href, ...pair(environment), ...user, '--no-save'],
    mayEnd: exactly,
  },
  {
    name: 'simulate-key-exchange',
    argv: (url, environment) => ['--url', url.href, ...pair(environment), ...user, '--no-save'],
    mayEnd: exactly,
  },
  {
    name: 'simulate-registration',
    argv: (url) => ['--url', url.href, ...user, ...known, '--no-save'],
    mayEnd: exactly,
  },
  {
    name: 'token',
    argv: (url, environment) => [
      '--auth-url',
      url.href,
      ...account(environment),
      '--ptn-token',
      'pt-1',
    ],
    mayEnd: exactly,
  },
  {
    name: 'authenticate',
    argv: (url, environment) => [
      ...['--auth-url', url.href, ...account(environment), '--acs-token', 'at-1'],
      ...[...user, ...passcode],
    ],
    mayEnd: exactly,
  },
  {
    name: 'signin',
    argv: (url, environment) => [
      ...['--auth-url', url.href, ...account(environment), '--ptn-token', 'pt-1', ...passcode],
      ...['--expire-time-zone', 'Asia/Seoul'],
    ],
    mayEnd: exactly,
  },
  {
    name: 'verify',
    argv: (url) => [
      '--url',
      url.href,
      ...bothChecks('key-exchange', 'answers-success', 'response-shape'),
    ],
    mayEnd: atLeast,
  },
  {
    name: 'cipher probe',
    argv: (url, environment) => ['--url', url.href, ...pair(environment), '--limit', '2'],
    mayEnd: atLeast,
  },
  {
    name: 'load',
    argv: (url, environment) => [
      ...['--url', url.href, ...pair(environment)],
      ...['--signups', '2', '--concurrency', '1', '--workers', '1'],
    ],
    mayEnd: atLeast,
  },
  {
    name: 'doctor',
    argv: (url) => ['--url', url.href],
    mayEnd: connectionAlone,
  },
];
