import { callLine } from '../diagnosis/diagnosis.ts';
import type { Stack } from '../errors.ts';
import type { LatencySummary, LoadResult, ThresholdVerdict } from '../load/run.ts';
import { escapeControls, roundTo } from '../text.ts';
import { callsOf, type FailureLook } from './failure-text.ts';
import { html, htmlPage, type Part } from './html.ts';
import { fields, marks, table, verdict } from './human.ts';

/** A load as published: the JSON of the command, and the source of the other reports. */
export type LoadDocument = ReturnType<typeof toLoadDocument>;

interface LoadFacts {
  readonly version: string;
  readonly url: string;
  /** "16 at the same time", "100 a second" */
  readonly pace: string;
  readonly thresholds: readonly ThresholdVerdict[];
  readonly notes: readonly string[];
  /** By all threads of this program. */
  readonly cpuMs: number;
  readonly peakMemoryBytes: number;
}

/** The document of a result; times are milliseconds with at most three decimals. */
export function toLoadDocument(result: LoadResult, facts: LoadFacts) {
  const { succeeded, failed, errors } = result;
  return {
    schema: 'authcli/load/1',
    version: facts.version,
    url: facts.url,
    started_at: result.startedAt,
    duration_ms: roundTo(3, result.durationMs),
    pace: facts.pace,
    attempted: succeeded + failed,
    succeeded,
    failed,
    unfinished: result.unfinished,
    not_started: result.notStarted,
    signups_per_second: roundTo(3, result.perSecond),
    latency_ms: latencyOf(result.latency),
    steps: ['key exchange', 'registration complete'].map((name, index) => ({
      name,
      latency_ms: latencyOf(result.steps[index] ?? result.latency),
    })),
    errors: Object.fromEntries(errors.map(({ code, count }) => [code, count])),
    diagnoses: errors,
    thresholds: facts.thresholds,
    workers: result.threads,
    busy: roundTo(3, result.busy),
    cpu_ms: roundTo(3, facts.cpuMs),
    memory_mb: roundTo(3, facts.peakMemoryBytes / 1_000_000),
    interrupted: result.interrupted,
    notes: facts.notes,
  };
}

const percentiles = ['p50', 'p90', 'p99', 'max'] as const;

function latencyOf({ p50, p90, p99, max }: LatencySummary) {
  return { p50: roundTo(3, p50), p90: roundTo(3, p90), p99: roundTo(3, p99), max: roundTo(3, max) };
}

/** Whether sign-ups were attempted, all thresholds met, and no more failed than allowed. */
function isGood({ attempted, failed, thresholds, interrupted }: LoadDocument): boolean {
  const isTolerated = thresholds.some(({ threshold }) => threshold.startsWith('errors'));
  const isMet = thresholds.every(({ kept }) => kept);
  return attempted > 0 && isMet && !interrupted && (failed === 0 || isTolerated);
}

function loadVerdict(document: LoadDocument): string {
  const { succeeded, attempted, thresholds, interrupted } = document;
  const missed = thresholds.filter(({ kept }) => !kept).length;
  const checked = succeeded > 0 ? ', each key unwrapped and checked' : '';
  const count = `${succeeded} of ${attempted} sign-ups succeeded${checked}`;
  if (interrupted) return `The run was interrupted: ${count}.`;
  if (missed > 0) return `${count}; ${missed} of ${thresholds.length} thresholds missed.`;
  return `${count}.`;
}

/** Whole numbers from a hundred on, else three significant digits. */
export function perSecond({ signups_per_second: rate }: Pick<LoadDocument, 'signups_per_second'>) {
  return rate >= 100 ? String(Math.round(rate)) : String(Number(rate.toPrecision(3)));
}

/** Rows of latencies, of the whole and of each call; none where nothing was measured. */
function latencyRows({ latency_ms, steps }: LoadDocument): string[][] {
  if (latency_ms.max === 0) return [];
  return [{ name: 'whole sign-up', latency_ms }, ...steps].map((row) => [
    row.name,
    ...percentiles.map((name) => `${milliseconds(row.latency_ms[name])} ms`),
  ]);
}

/** Whole numbers from a hundred on, else with decimals. */
function milliseconds(ms: number): string {
  return ms >= 100 ? String(Math.round(ms)) : ms.toFixed(ms >= 10 ? 1 : 2);
}

/** A load for people, without the fix of the code for which it is printed below the report. */
export function loadLines(document: LoadDocument, look: FailureLook, fixedBelow?: string) {
  const { style, width } = look;
  const { url, pace, attempted, succeeded, failed, duration_ms: ms } = document;
  const parts = failed === 0 ? '' : ` (${succeeded} succeeded, ${failed} failed)`;
  const counted = `${attempted} in ${Math.round(ms / 100) / 10} s${parts}`;
  const rows = latencyRows(document);
  return [
    `Load of ${style.bold(escapeControls(url))}: ${pace}`,
    '',
    ...fields([['sign-ups', counted] as const, ['per second', perSecond(document)]], style),
    ...(rows.length === 0
      ? []
      : ['', ...table(['latency', ...percentiles], rows, style, width - 2)]
    ).map((line) => (line === '' ? '' : `  ${line}`)),
    ...document.diagnoses.flatMap(({ code, count, message, hint, calls }) => [
      '',
      `  ${style.bad(marks.bad)} ${count} × ${style.bold(code)}: ${escapeControls(message)}`,
      ...(code === fixedBelow ? [] : [hint, ...callsOf(calls, look).map((line) => `  ${line}`)])
        .filter((line) => line !== '')
        .map((line) => `    ${escapeControls(line)}`),
    ]),
    ...document.thresholds.flatMap(({ threshold, kept, observed }, index) => [
      ...(index === 0 ? [''] : []),
      `  ${verdict(kept, `${threshold}: ${observed}`, style)}`,
    ]),
    ...document.notes.flatMap((note) => ['', style.warn(escapeControls(note))]),
    '',
    verdict(isGood(document), loadVerdict(document), style),
  ];
}

/** A load as one HTML file without scripts, which loads nothing; secrets are redacted before. */
export function loadHtml(document: LoadDocument, stack?: Stack): string {
  const { workers, attempted, thresholds, diagnoses } = document;
  const busy = `${workers}, the busiest one ${Math.round(document.busy * 100)}% busy`;
  const rows = latencyRows(document);
  const row = (cells: readonly string[]): Part =>
    html`<tr>${cells.map((cell) => html`<td>${cell}</td>`)}</tr>
`;
  return htmlPage({
    command: 'load',
    startedAt: document.started_at,
    verdict: loadVerdict(document),
    tone: isGood(document) ? 'passed' : 'failed',
    target: document.url,
    remarks: document.notes,
    facts: [
      ['Rate', `${perSecond(document)} sign-ups per second`],
      ['Duration', `${milliseconds(document.duration_ms)} ms`],
      ['Pace', document.pace],
      ['Workers', busy],
      ['authcli', document.version],
    ],
    body: [
      thresholds.map(
        ({ threshold, kept, observed }) =>
          html`<article class="is-${kept ? 'passed' : 'failed'}"><p>${threshold}: ${kept ? 'met' : 'missed'}</p><p class="muted">observed: ${observed}</p></article>
`,
      ),
      diagnoses.map(
        ({ code, count, message, hint, calls }) => html`<article class="is-failed">
<h2>${code}: ${count} of ${attempted}</h2>
<p>${message}</p>
<p>${hint}</p>
${stack && calls[stack] && html`<pre><code>${callLine(stack, calls[stack])}</code></pre>`}
</article>
`,
      ),
      rows.length > 0 &&
        html`<h2>Latency</h2>
<table><caption>Of requests that succeeded or timed out</caption>
${[['', ...percentiles], ...rows].map(row)}</table>`,
    ],
  });
}
