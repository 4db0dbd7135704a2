import type { Benchmark, Comparison, LeftOut } from './measure.ts';

/** One benchmark and what it came to, as it is written to JSON. */
export type Row = {
  readonly name: string;
  readonly against: string;
  readonly goal?: Benchmark['goal'];
  readonly met?: boolean;
} & (Comparison | LeftOut);

export function row({ name, against, goal }: Benchmark, result: Comparison | LeftOut): Row {
  if ('leftOut' in result) return { name, against, goal, ...result };
  if (goal === undefined) return { name, against, ...result };
  const met = 'atMost' in goal ? result.ratio <= goal.atMost : result.ratio >= goal.atLeast;
  return { name, against, goal, met, ...result };
}

/** The rows as a table in Markdown. */
export function table(rows: readonly Row[]): string {
  const heading = ['', 'ratio', 'goal', 'met', 'spread', 'CPU', 'to that of'];
  const cells = [heading, ...rows.map(cellsOf)];
  const widths = heading.map((_, column) =>
    Math.max(...cells.map((line) => line[column]?.length ?? 0)),
  );
  const lines = cells.map(
    (line) => `| ${line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`,
  );
  const rule = `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`;
  return [lines[0], rule, ...lines.slice(1)].join('\n');
}

function cellsOf(result: Row): readonly string[] {
  const { name, goal, against } = result;
  const wanted = wantedText(goal);
  if ('leftOut' in result) return [name, '', wanted, '', '', result.leftOut, against];
  const { ratio, spread, ms, againstMs, met, cost } = result;
  return [
    name,
    ratio.toFixed(2),
    wanted,
    met === undefined ? '' : met ? 'yes' : 'no',
    spread.map((value) => value.toFixed(2)).join(' to '),
    cost ?? time(ms),
    cost === undefined ? `${against} (${time(againstMs)})` : against,
  ];
}

function wantedText(goal: Benchmark['goal']): string {
  if (goal === undefined) return '';
  return 'atMost' in goal ? `≤ ${goal.atMost}` : `≥ ${goal.atLeast}`;
}

function time(ms: number): string {
  return ms < 5 ? `${(ms * 1000).toFixed(0)} us` : `${ms.toFixed(0)} ms`;
}
