import { escapeControls, ownProperty } from '../text.ts';
import type { SequenceStep } from './sequence.ts';
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
  const state = prefix === 'is' ? ownProperty(states, wanted) : undefined;
  if (state !== undefined) return state;
  const field = ownProperty(fields, prefix);
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

/** The rows of the page, the newest first, and those that match the search. */
export class RowList {
  readonly #limit: number;
  #filter: RowFilter = () => true;
  #all: readonly Row[] = [];
  #shown: readonly Row[] = [];

  /** @param limit how many rows are retained; older ones are dropped */
  constructor(limit: number) {
    this.#limit = limit;
  }

  get all(): readonly Row[] {
    return this.#all;
  }

  get shown(): readonly Row[] {
    return this.#shown;
  }

  /** Adds rows, each once, and drops those with an id below `from`. */
  add(rows: readonly Row[], from = 0): void {
    const known = new Set(this.#all.map(({ id }) => id));
    const fresh = rows.filter(({ id }) => !known.has(id) && id >= from);
    const all = [...this.#all.filter(({ id }) => id >= from), ...fresh];
    this.#all = all.sort((a, b) => b.id - a.id).slice(0, this.#limit);
    this.#shown = this.#all.filter(this.#filter);
  }

  search(filter: RowFilter): void {
    this.#filter = filter;
    this.add([]);
  }

  clear(): void {
    this.add([], Number.POSITIVE_INFINITY);
  }

  /** The shown row `steps` below the one with `id`; without an `id`, counted from above the first. */
  step(id: number | undefined, steps: number): Row | undefined {
    const at = this.#shown.findIndex((row) => row.id === id);
    const last = this.#shown.length - 1;
    return this.#shown[Math.min(last, Math.max(0, at + steps))];
  }

  /** At most `most` rows of the same user around the row with `id`, oldest first. */
  flowOf(id: number, most = 6): readonly Row[] {
    const row = this.#all.find((candidate) => candidate.id === id);
    if (row === undefined) return [];
    if (row.ptnCd === null) return [row];
    const same = this.#all.filter(({ ptnCd }) => ptnCd === row.ptnCd).reverse();
    const start = Math.max(0, Math.min(same.indexOf(row) - 3, same.length - most));
    return same.slice(start, start + most);
  }
}

export interface JsonToken {
  readonly kind: 'name' | 'string' | 'word' | 'mark' | 'masked' | 'text';
  readonly text: string;
}

/** A line of a body as it is shown. */
export interface JsonLine {
  readonly indent: number;
  readonly tokens: JsonToken[];
}

const masked = '"[redacted]"';

/**
 * A body for reading: JSON with a line for each member, unparsed so that repeated names and long
 * numbers stay; everything else line by line. Control characters are escaped.
 */
export function bodyLines(body: string): readonly JsonLine[] {
  if (isJson(body)) return formatted(body);
  return body
    .split(/\r\n|\n/)
    .map((line) => ({ indent: 0, tokens: [{ kind: 'text', text: escapeControls(line) }] }));
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function formatted(text: string): readonly JsonLine[] {
  const lines: JsonLine[] = [];
  let line: JsonLine = { indent: 0, tokens: [] };
  const breakLine = (indent: number): void => {
    if (line.tokens.length > 0) lines.push(line);
    line = { indent, tokens: [] };
  };
  let depth = 0;
  for (const { 0: piece, index } of text.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g)) {
    const rest = text.slice(index + piece.length);
    const closes = piece === '}' || piece === ']';
    const isEmpty = closes && /[[{]$/.test(line.tokens.at(-1)?.text ?? '');
    if (closes) depth -= 1;
    if (closes && !isEmpty) breakLine(depth);
    line.tokens.push(token(piece, rest));
    if (piece === '{' || piece === '[') depth += 1;
    const opens = (piece === '{' || piece === '[') && !/^\s*[}\]]/.test(rest);
    if (opens || piece === ',') breakLine(depth);
  }
  breakLine(0);
  return lines;
}

function token(piece: string, rest: string): JsonToken {
  const text = escapeControls(piece);
  if (piece === ':') return { kind: 'mark', text: ': ' };
  if (/^[{}[\],]$/.test(piece)) return { kind: 'mark', text };
  if (!piece.startsWith('"')) return { kind: 'word', text };
  if (piece === masked) return { kind: 'masked', text };
  return { kind: /^\s*:/.test(rest) ? 'name' : 'string', text };
}

/** A row of the list as a step of a diagram: the emulator is on the right, its peer on the left. */
export function stepOf(row: Row): SequenceStep {
  return {
    request: row.what,
    response: responseText(row),
    outcome: row.outcome,
    isFromRight: row.way === 'out',
  };
}

/** The diagram in words, for screen readers. */
export function describeSequence(
  steps: readonly SequenceStep[],
  [left, right]: readonly [left: string, right: string],
): string {
  return steps
    .map(({ request, response, isFromRight }, index) => {
      const [from, to] = isFromRight ? [right, left] : [left, right];
      return `${index + 1}. ${from} to ${to}: ${request}; response: ${response}`;
    })
    .join('. ');
}

/** "HTTP 200, code 0000, 3 ms", and why it is not as it should be. */
function responseText({ status, code, durationMs, outcome, diagnosis, faults }: Row): string {
  if (outcome === 'none') return 'no response';
  const why = [diagnosis ?? faults[0]].filter((name) => name !== undefined && name !== code);
  return [`HTTP ${status}`, `code ${code ?? 'none'}`, `${durationMs} ms`, ...why].join(', ');
}
