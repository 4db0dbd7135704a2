import type { Row } from './wire.ts';

/** Decides whether a row is shown. */
export type RowFilter = (row: Row) => boolean;

/** The words that a search may begin with, and what of a row they look at. */
const fields: Readonly<Record<string, (row: Row) => readonly (string | null)[]>> = {
  user: ({ ptnCd }) => [ptnCd],
  op: ({ what }) => [what],
  code: ({ code }) => [code],
  status: ({ status }) => [status === null ? null : String(status)],
  fault: ({ faults }) => faults,
  why: ({ diagnosis, remark }) => [diagnosis, remark],
};

const states: Readonly<Record<string, RowFilter>> = {
  failed: ({ outcome }) => outcome !== 'good',
  ok: ({ outcome }) => outcome === 'good',
  fault: ({ faults }) => faults.length > 0,
  in: ({ way }) => way === 'in',
  out: ({ way }) => way === 'out',
};

/**
 * Reads a search: words that all have to stand somewhere in a row, in any case; `user:`, `op:`,
 * `code:`, `status:`, `fault:` and `why:` look at one thing, `is:failed`, `is:ok`, `is:fault`,
 * `is:in` and `is:out` at the kind; `-` in front turns a word round. A word in quotes may hold spaces.
 */
export function parseSearch(text: string): RowFilter {
  const filters = [...text.matchAll(/(-?)((?:[a-z]+:)?)(?:"([^"]*)"?|(\S+))/gi)].map(
    ([, minus, prefix = '', quoted, plain = '']) => {
      const filter = wordFilter(prefix.slice(0, -1).toLowerCase(), quoted ?? plain);
      return minus === '' ? filter : (row: Row) => !filter(row);
    },
  );
  return (row) => filters.every((filter) => filter(row));
}

function wordFilter(prefix: string, word: string): RowFilter {
  const wanted = word.toLowerCase();
  const state = prefix === 'is' ? states[wanted] : undefined;
  if (state !== undefined) return state;
  const field = Object.hasOwn(fields, prefix) ? fields[prefix] : undefined;
  if (field !== undefined) return (row) => field(row).some((text) => holds(text, wanted));
  const whole = prefix === '' ? wanted : `${prefix}:${wanted}`;
  return (row) =>
    Object.values(fields).some((read) => read(row).some((text) => holds(text, whole)));
}

function holds(text: string | null, wanted: string): boolean {
  return text?.toLowerCase().includes(wanted) ?? false;
}
