/**
 * How many cases a test of the full run draws: `count`, times AUTHCLI_TEST_TIMES if it is set. They
 * follow from fixed seeds, so the same ones pass again: more are for a change of what they test.
 */
export function draws(count: number): number {
  return Math.round(count * Number(process.env.AUTHCLI_TEST_TIMES ?? 1));
}
