import { fixtureRows } from '../../support/fixtures.ts';

/*
 * The shortest sequence that shows each fault which only sequences show. X is a key exchange and R a
 * registration, then the user; ` | ` is between requests at the same time. Without more, a request is
 * valid, with the latest key of its user; ␠ is a space in a user code.
 */
const rows = fixtureRows<readonly [name: string, ...rounds: string[]]>('fault-sequences.jsonl');
export const sequences: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  rows.map(([name, ...rounds]) => [name, rounds]),
);

/** The fewest requests that show a fault. */
export function fewestSteps(name: string): number {
  return (sequences[name] ?? []).flatMap((round) => round.split(' | ')).length;
}
