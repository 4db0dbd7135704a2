import type { Row } from './wire.ts';

export type RowFilter = (row: Row) => boolean;

/** The prefixes of a search, and the fields that they search. */
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
 * Reads a search: a row has to contain every word, in any case. `user:` and the other prefixes
 * search one field, `is:failed` and the other states select a kind, `-` in front excludes, quotes
 * enclose spaces.
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
  if (field !== undefined) return (row) => field(row).some((text) => contains(text, wanted));
  const whole = prefix === '' ? wanted : `${prefix}:${wanted}`;
  return (row) =>
    Object.values(fields).some((read) => read(row).some((text) => contains(text, whole)));
}

function contains(text: string | null, wanted: string): boolean {
  return text?.toLowerCase().includes(wanted) ?? false;
}

/** Of a scrolled list, in pixels. */
interface View {
  readonly top: number;
  readonly height: number;
  readonly rowHeight: number;
}

/** Rows that are drawn above and below the visible ones, so that scrolling meets no gaps. */
const margin = 8;

/** The rows to draw in a list of `count` rows: from `first` up to but excluding `end`. */
export function visibleRows(count: number, { top, height, rowHeight }: View) {
  const first = Math.max(0, Math.min(count, Math.floor(top / rowHeight) - margin));
  const end = Math.min(count, Math.ceil((top + height) / rowHeight) + margin);
  return { first, end: Math.max(first, end) };
}

/** Where to scroll to so that the whole row is visible; undefined if it is. */
export function scrollTo(index: number, { top, height, rowHeight }: View): number | undefined {
  const start = index * rowHeight;
  if (start < top) return start;
  const end = start + rowHeight;
  return end > top + height ? end - height : undefined;
}
