import { type ErrorCode, isConnectionCode } from '../errors.ts';

/** The exit statuses that scripts rely on. */
export const exitStatus = {
  done: 0,
  negative: 1,
  usage: 2,
  unreachable: 3,
  config: 4,
  internal: 70,
  interrupted: 130,
  terminated: 143,
} as const;

/** Of codes without a status of their own, those of the connection are 3, all others 1. */
export function exitStatusOf(code: ErrorCode): number {
  const own: Partial<Record<string, number>> = exitStatus;
  return own[code] ?? (isConnectionCode(code) ? exitStatus.unreachable : exitStatus.negative);
}

/** Where several apply, the status of the lowest rank counts. */
export function rankOf(status: number): number {
  const { internal, usage, config, negative, unreachable } = exitStatus;
  const order: readonly number[] = [internal, usage, config, negative, unreachable];
  return order.indexOf(status);
}

type Meanings = readonly (readonly [number, string])[];

/** What `authcli help exit-codes` and the docs print. */
export const exitStatusMeanings: Meanings = [
  [exitStatus.done, 'success; the other side conforms'],
  [exitStatus.negative, 'the other side responded, but the response is wrong or negative'],
  [exitStatus.usage, 'usage: an invalid flag or value, or a missing setting'],
  [exitStatus.unreachable, 'the other side could not be reached or did not respond'],
  [exitStatus.config, 'local state: the config file cannot be read, locked or written'],
  [exitStatus.internal, 'a bug in authcli'],
  [exitStatus.interrupted, 'interrupted (Ctrl-C)'],
  [exitStatus.terminated, 'terminated (SIGTERM)'],
];

const withoutOtherSide: Readonly<Record<number, string>> = {
  [exitStatus.done]: 'success',
  [exitStatus.negative]: 'a negative result: not found, not readable, or worse than before',
};

/** The same for a command that contacts nobody, and so can't fail to reach the other side. */
export const localStatusMeanings: Meanings = exitStatusMeanings
  .filter(([status]) => status !== exitStatus.unreachable)
  .map(([status, meaning]) => [status, withoutOtherSide[status] ?? meaning]);
