import { connectionCodes, type ErrorCode } from '../errors.ts';

/** The exit statuses that scripts rely on. This table is the only place that knows them. */
export const exitStatus = {
  done: 0,
  negative: 1,
  usage: 2,
  unreachable: 3,
  localState: 4,
  bug: 70,
  interrupted: 130,
  terminated: 143,
} as const;

const own: Partial<Record<ErrorCode, number>> = {
  usage: exitStatus.usage,
  config: exitStatus.localState,
  interrupted: exitStatus.interrupted,
  terminated: exitStatus.terminated,
  internal: exitStatus.bug,
};

const connection: ReadonlySet<string> = new Set(connectionCodes);

/** The exit status of a run that ended with this code: connection codes are 3, other diagnoses 1. */
export function exitStatusOf(code: ErrorCode): number {
  return own[code] ?? (connection.has(code) ? exitStatus.unreachable : exitStatus.negative);
}

/** What `authcli help exit-codes` and the docs print. */
export const exitStatusMeanings: readonly (readonly [number, string])[] = [
  [exitStatus.done, 'done; the other side conforms'],
  [exitStatus.negative, 'the other side answered, and the answer is wrong or negative'],
  [exitStatus.usage, 'usage: a bad flag or value, or a setting that is missing'],
  [exitStatus.unreachable, 'the other side could not be reached or did not answer'],
  [exitStatus.localState, 'local state: the config file cannot be read, locked or written'],
  [exitStatus.bug, 'a bug in authcli'],
  [exitStatus.interrupted, 'interrupted (Ctrl-C)'],
  [exitStatus.terminated, 'terminated (SIGTERM)'],
];
