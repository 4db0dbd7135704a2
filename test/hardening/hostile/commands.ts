import { type Ending, peer } from './response.ts';

/** What a command is started with. */
export interface Files {
  readonly privateKeyFile: string;
  readonly configFile: string;
}

/** A command that receives responses. */
export interface ReceivingCommand {
  readonly name: string;
  readonly argv: (url: string, files: Files) => readonly string[];
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

export const secretKey = 'a-secret-key-of-the-trials';
const user = ['--ptn-cd', peer.user];
const unsaved = [...user, '--no-save'];
const account = ['--client-id', 'shop', '--secret-key', secretKey];
const passcode = ['--key', peer.key, '--expect-passcode', peer.passcode];
const checks = ['answers-success', 'response-shape'].map((id) => `--check=key-exchange/${id}`);
const few = ['--signups', '2', '--concurrency', '1', '--workers', '1'];

/** Of every command, what names the peer, whether it makes key pairs, and what else it is given. */
const rows: readonly [string, string, readonly string[], ReceivingCommand['mayEnd']][] = [
  ['simulate-signup', '--private-key --url', unsaved, exactly],
  ['simulate-key-exchange', '--private-key --url', unsaved, exactly],
  ['simulate-registration', '--url', [...unsaved, '--key', peer.key], exactly],
  ['token', '--auth-url', [...account, '--ptn-token', 'pt-1'], exactly],
  [
    'authenticate',
    '--auth-url',
    [...account, '--acs-token', 'at-1', ...user, ...passcode],
    exactly,
  ],
  [
    'signin',
    '--auth-url',
    [...account, '--ptn-token', 'pt-1', ...passcode, '--expire-time-zone', 'Asia/Seoul'],
    exactly,
  ],
  ['verify', '--url', checks, atLeast],
  ['cipher probe', '--private-key --url', ['--limit', '2'], atLeast],
  ['load', '--private-key --url', few, atLeast],
  ['doctor', '--url', [], connectionAlone],
];

/** Every command that receives something from a peer. */
export const commands: readonly ReceivingCommand[] = rows.map(([name, flags, more, mayEnd]) => ({
  name,
  argv: (url, { privateKeyFile }) => [
    ...name.split(' '),
    ...flags.split(' ').flatMap((flag) => [flag, flag === '--private-key' ? privateKeyFile : url]),
    ...more,
  ],
  mayEnd,
}));
