import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { encodeUtf8 } from '../bytes.ts';
import { type RunningServer, startServer } from '../emulator/server.ts';
import { dayMs } from '../protocol/expiry.ts';
import type { RunStatus } from '../reports/run-line.ts';
import type { CertificateDocument } from '../reports/verify-diff.ts';
import type { VerifyDocument } from '../reports/verify-document.ts';

const runStatuses = ['passed', 'failed', 'unreachable', 'error'] as const;
const checkStatuses = ['passed', 'failed', 'warned', 'skipped'] as const;

/** Seconds: from a response on the same machine to the longest time limit that is usual. */
const requestBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const runBuckets = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];

export interface MeasuredRun {
  readonly status: Exclude<RunStatus, 'interrupted'>;
  /** Absent if the run could not be made. */
  readonly document?: VerifyDocument;
  readonly endedAt: number;
}

function instrumentsIn(registry: Registry<typeof Registry.OPENMETRICS_CONTENT_TYPE>) {
  const registers = [registry];
  const counter = <L extends string>(name: string, help: string, labelNames: readonly L[] = []) =>
    new Counter({ name: `authcli_${name}`, help, labelNames, registers });
  const gauge = <L extends string>(name: string, help: string, labelNames: readonly L[] = []) =>
    new Gauge({ name: `authcli_${name}`, help, labelNames, registers });
  const reachable = () =>
    gauge('endpoint_reachable', '1 if the endpoint responded in the last run.');
  let madeReachable: ReturnType<typeof reachable> | undefined;
  return {
    runs: counter('runs_total', 'Runs by how they ended.', ['status']),
    skipped: counter('runs_skipped_total', 'Runs left out because the one before took too long.'),
    checks: gauge('checks', 'Checks of the last run by status.', ['status']),
    failing: gauge('check_failing', '1 if the check failed in the last run.', ['check', 'level']),
    /** Made with the first run: 0 would be an alarm. */
    setReachable: (value: number) => {
      madeReachable ??= reachable();
      madeReachable.set(value);
    },
    runSeconds: new Histogram({
      name: 'authcli_run_duration_seconds',
      help: 'How long runs took.',
      buckets: runBuckets,
      registers,
    }),
    requestSeconds: new Histogram({
      name: 'authcli_request_duration_seconds',
      help: 'How long valid requests that got a response took.',
      labelNames: ['operation'],
      buckets: requestBuckets,
      registers,
    }),
    lastRun: gauge('last_run_timestamp_seconds', 'When the last run ended.'),
    lastSuccess: gauge(
      'last_success_timestamp_seconds',
      'When the last run that passed ended; 0 before the first.',
    ),
    changes: counter('changes_total', 'Runs with a change that was reported.'),
    failedHandovers: counter(
      'on_change_failures_total',
      'How often the command of --on-change failed.',
    ),
    build: gauge('build_info', 'The release that runs.', ['version']),
  };
}

/** What is measured of the runs, in the text format of OpenMetrics 1.0; days left are those at the time of asking. */
export class Metrics {
  readonly #registry = new Registry<typeof Registry.OPENMETRICS_CONTENT_TYPE>();
  readonly #made: ReturnType<typeof instrumentsIn>;
  #certificate: CertificateDocument | undefined;

  constructor({ version, now }: { readonly version: string; readonly now: () => number }) {
    this.#registry.setContentType(Registry.OPENMETRICS_CONTENT_TYPE);
    this.#made = instrumentsIn(this.#registry);
    this.#made.build.set({ version }, 1);
    // Without a certificate there is no sample: 0 would be an alarm.
    const days = new Gauge({
      name: 'authcli_certificate_days_left',
      help: 'Days until a certificate of the chain expires.',
      registers: [this.#registry],
      labelNames: ['subject'],
      collect: () => {
        days.reset();
        const { subject, valid_to: end } = this.#certificate ?? {};
        if (subject === undefined || end === undefined) return;
        days.set({ subject }, (Date.parse(end) - now()) / dayMs);
      },
    });
    for (const status of runStatuses) this.#made.runs.inc({ status }, 0);
  }

  /** The value of the HTTP header. */
  get contentType(): string {
    return this.#registry.contentType;
  }

  text(): Promise<string> {
    return this.#registry.metrics();
  }

  addRun({ status, document, endedAt }: MeasuredRun): void {
    const made = this.#made;
    made.runs.inc({ status });
    made.lastRun.set(endedAt / 1000);
    if (status === 'passed') made.lastSuccess.set(endedAt / 1000);
    if (document === undefined) return;
    made.runSeconds.observe(document.duration_ms / 1000);
    made.setReachable(document.unreachable === undefined ? 1 : 0);
    this.#certificate = document.certificate ?? this.#certificate;
    for (const one of checkStatuses) made.checks.set({ status: one }, document.summary[one]);
    made.failing.reset();
    for (const { id: check, level, status: found } of document.checks) {
      made.failing.set({ check, level }, found === 'failed' ? 1 : 0);
    }
    for (const { operation, intent, http_status: http, duration_ms: ms } of exchangesIn(document)) {
      if (intent === 'right' && http !== null)
        made.requestSeconds.observe({ operation }, ms / 1000);
    }
  }

  addSkipped(runs: number): void {
    this.#made.skipped.inc(runs);
  }

  addChange(): void {
    this.#made.changes.inc();
  }

  addFailedHandover(): void {
    this.#made.failedHandovers.inc();
  }
}

function exchangesIn({ checks, controls }: VerifyDocument) {
  return [...checks, ...controls].flatMap(({ exchanges }) => exchanges);
}

const plain = { 'content-type': 'text/plain; charset=utf-8' };

/**
 * Serves the metrics at /metrics.
 *
 * @throws AuthcliError `usage` where the address can't be bound
 */
export function serveMetrics(
  metrics: Metrics,
  place: { readonly host: string; readonly port: number },
): Promise<RunningServer> {
  return startServer({
    ...place,
    who: 'The server of the metrics',
    handle: async ({ method, path }) => {
      if (path !== '/metrics') {
        return { status: 404, headers: plain, body: encodeUtf8('The metrics are at /metrics.\n') };
      }
      if (method !== 'GET' && method !== 'HEAD') {
        return { status: 405, headers: { ...plain, allow: 'GET, HEAD' }, body: new Uint8Array() };
      }
      const headers = { 'content-type': metrics.contentType };
      return { status: 200, headers, body: encodeUtf8(await metrics.text()) };
    },
  });
}
