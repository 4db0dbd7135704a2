import { AuthcliError, isConnectionCode, isDiagnosisCode } from '../errors.ts';
import { isJsonObject, type JsonObject, parseJsonText } from '../protocol/json.ts';
import type { LatencySummary, LoadError, LoadResult } from './result.ts';
import type { Moment } from './timeline.ts';

/** A part of Artillery's report: what it counted in a period, or altogether. */
interface Period {
  readonly counters: JsonObject;
  readonly summaries: JsonObject;
  readonly from: number;
  readonly to: number;
}

/**
 * The result of a load that Artillery ran with the exported scenario, from what `artillery run
 * --output` wrote.
 * @throws AuthcliError `usage` for anything else.
 */
export function readArtilleryReport(text: string): LoadResult {
  const { aggregate, intermediate } = parse(text);
  const whole = periodOf(aggregate);
  const succeeded = numberOf(whole.counters['authcli.succeeded']);
  const failed = numberOf(whole.counters['authcli.failed']);
  if (succeeded + failed === 0) {
    throw refused(
      'It has no sign-ups of authcli in it.',
      'Run the scenario that `authcli load export` wrote, with --output.',
    );
  }
  const durationMs = whole.to - whole.from;
  return {
    scenario: 'signup',
    startedAt: new Date(whole.from).toISOString(),
    durationMs,
    warmUp: { durationMs: 0, attempted: 0, failed: 0 },
    succeeded,
    failed,
    unfinished: 0,
    notStarted: numberOf(whole.counters['vusers.skipped']),
    responded: succeeded > 0 || !onlyConnections(whole.counters),
    perSecond: durationMs === 0 ? 0 : (succeeded * 1000) / durationMs,
    latency: summaryOf(whole, 'authcli.latency_ms'),
    steps: ['authcli.key_exchange_ms', 'authcli.registration_ms'].map((name) =>
      summaryOf(whole, name),
    ),
    bands: [],
    errors: errorsOf(whole.counters),
    examinedKeys: 0,
    weaknesses: [],
    timeline: timelineOf(intermediate.map(periodOf), whole.from),
    threads: 0,
    busy: 0,
    interrupted: false,
  };
}

function parse(text: string): { aggregate: JsonObject; intermediate: readonly JsonObject[] } {
  const value = parseJsonText(text);
  if (value === undefined) throw refused('It is not JSON.', howToMakeOne);
  const { aggregate, intermediate = [] } = (value ?? {}) as JsonObject;
  if (!isJsonObject(aggregate) || !Array.isArray(intermediate)) {
    throw refused('It has no "aggregate".', howToMakeOne);
  }
  if (intermediate.length > mostPeriods) {
    throw refused(
      `It has ${intermediate.length} periods; at most ${mostPeriods} are read.`,
      'Split the load, or run Artillery for less time: it writes a period every 10 s.',
    );
  }
  return { aggregate, intermediate: intermediate.filter(isJsonObject) };
}

/** Eleven days; each becomes a point of the charts. */
const mostPeriods = 100_000;

/** The latest time that a Date can represent (ECMA-262 21.4.1.1), and more than any count. */
const mostNumber = 8.64e15;

const howToMakeOne = 'Give what `artillery run --output report.json` writes.';

function refused(what: string, hint: string): AuthcliError {
  return new AuthcliError('usage', `This is not a report of Artillery. ${what}`, { hint });
}

function periodOf(report: JsonObject): Period {
  const { counters, summaries, firstMetricAt, lastMetricAt, firstCounterAt, lastCounterAt } =
    report;
  return {
    counters: isJsonObject(counters) ? counters : {},
    summaries: isJsonObject(summaries) ? summaries : {},
    from: numberOf(firstMetricAt ?? firstCounterAt),
    to: numberOf(lastMetricAt ?? lastCounterAt),
  };
}

const errorPrefix = 'authcli.error.';

/** The most frequent first; their words are those of `explain`, since Artillery keeps none. */
function errorsOf(counters: JsonObject): readonly LoadError[] {
  return Object.entries(counters)
    .flatMap(([name, count]) => {
      const code = name.startsWith(errorPrefix) ? name.slice(errorPrefix.length) : '';
      if (!isDiagnosisCode(code)) return [];
      const message = `Counted by Artillery; \`authcli explain ${code}\` explains it.`;
      return [{ code, count: numberOf(count), message, hint: '', calls: {} }];
    })
    .sort((one, other) => other.count - one.count);
}

function onlyConnections(counters: JsonObject): boolean {
  return errorsOf(counters).every(({ code }) => isConnectionCode(code));
}

function summaryOf({ summaries }: Period, name: string): LatencySummary {
  const found = summaries[name];
  const of = (key: string): number => (isJsonObject(found) ? numberOf(found[key]) : 0);
  return {
    count: of('count'),
    min: of('min'),
    mean: of('mean'),
    p50: of('p50'),
    p75: of('p75'),
    p90: of('p90'),
    p95: of('p95'),
    p99: of('p99'),
    p999: of('p999'),
    max: of('max'),
  };
}

/** In the order of time, from the beginning of the run. */
function timelineOf(periods: readonly Period[], begun: number): readonly Moment[] {
  return periods
    .filter(({ to, from }) => to > from)
    .map((period) => {
      const { mean, max } = summaryOf(period, 'authcli.latency_ms');
      return {
        atMs: period.from - begun,
        durationMs: period.to - period.from,
        succeeded: numberOf(period.counters['authcli.succeeded']),
        failed: numberOf(period.counters['authcli.failed']),
        meanMs: mean,
        maxMs: max,
      };
    })
    .sort((one, other) => one.atMs - other.atMs);
}

/** What is not a number counts as 0. Throws `usage` for one that is neither a time nor a count. */
function numberOf(value: unknown): number {
  if (typeof value !== 'number') return 0;
  if (Math.abs(value) <= mostNumber) return value;
  throw refused(`It contains the number ${value}, which is out of range.`, howToMakeOne);
}
