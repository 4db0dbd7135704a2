import type { Benchmark, Comparison, LeftOut } from './measure.ts';

const heading = ['', 'ratio', 'goal', 'met', 'spread', 'CPU', 'to that of'];

/** Rows of cells as a table in Markdown. */
export function table(rows: readonly (readonly string[])[]): string {
  const cells = [heading, ...rows];
  const widths = heading.map((_, column) =>
    Math.max(...cells.map((line) => line[column]?.length ?? 0)),
  );
  const lines = cells.map(
    (line) => `| ${line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`,
  );
  const rule = `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`;
  return [lines[0], rule, ...lines.slice(1)].join('\n');
}

/** The row of a benchmark and what it came to. */
export function cellsOf({ name, goal, against }: Benchmark, result: Comparison | LeftOut) {
  const atMost = goal && 'atMost' in goal ? goal.atMost : Number.POSITIVE_INFINITY;
  const atLeast = goal && 'atLeast' in goal ? goal.atLeast : 0;
  const wanted = goal && (atLeast > 0 ? `≥ ${atLeast}` : `≤ ${atMost}`);
  if ('leftOut' in result) return [name, '', wanted ?? '', '', '', result.leftOut, against];
  const { ratio, spread, ms, againstMs, cost } = result;
  const met = ratio <= atMost && ratio >= atLeast ? 'yes' : 'no';
  return [
    ...[name, ratio.toFixed(2)],
    ...(wanted === undefined ? ['', ''] : [wanted, met]),
    spread.map((value) => value.toFixed(2)).join(' to '),
    cost ?? time(ms),
    cost === undefined ? `${against} (${time(againstMs)})` : against,
  ];
}

function time(ms: number): string {
  return ms < 5 ? `${(ms * 1000).toFixed(0)} us` : `${ms.toFixed(0)} ms`;
}
