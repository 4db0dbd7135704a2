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

/** What is measured of the runs, in the text format of OpenMetrics 1.0; days left are those at the time of asking. */
export class Metrics {
  readonly #registry = new Registry<typeof Registry.OPENMETRICS_CONTENT_TYPE>();
  readonly #runs;
  readonly #skipped;
  readonly #checks;
  readonly #failing;
  readonly #addReachable: (value: number) => void;
  #reachable: Gauge | undefined;
  readonly #runSeconds;
  readonly #requestSeconds;
  readonly #lastRun;
  readonly #lastSuccess;
  readonly #changes;
  readonly #failedHandovers;
  #certificate: CertificateDocument | undefined;

  constructor({ version, now }: { readonly version: string; readonly now: () => number }) {
    this.#registry.setContentType(Registry.OPENMETRICS_CONTENT_TYPE);
    const registers = [this.#registry];
    const counter = <L extends string>(name: string, help: string, labelNames: readonly L[] = []) =>
      new Counter({ name: `authcli_${name}`, help, labelNames, registers });
    const gauge = <L extends string>(name: string, help: string, labelNames: readonly L[] = []) =>
      new Gauge({ name: `authcli_${name}`, help, labelNames, registers });
    this.#runs = counter('runs_total', 'Runs by how they ended.', ['status']);
    this.#skipped = counter(
      'runs_skipped_total',
      'Runs left out because the one before took too long.',
    );
    this.#checks = gauge('checks', 'Checks of the last run by status.', ['status']);
    this.#failing = gauge('check_failing', '1 if the check failed in the last run.', [
      'check',
      'level',
    ]);
    // Made with the first run: 0 would be an alarm.
    this.#addReachable = (value) => {
      this.#reachable ??= gauge(
        'endpoint_reachable',
        '1 if the endpoint responded in the last run.',
      );
      this.#reachable.set(value);
    };
    this.#runSeconds = new Histogram({
      name: 'authcli_run_duration_seconds',
      help: 'How long runs took.',
      buckets: runBuckets,
      registers,
    });
    this.#requestSeconds = new Histogram({
      name: 'authcli_request_duration_seconds',
      help: 'How long valid requests that got a response took.',
      labelNames: ['operation'],
      buckets: requestBuckets,
      registers,
    });
    this.#lastRun = gauge('last_run_timestamp_seconds', 'When the last run ended.');
    this.#lastSuccess = gauge(
      'last_success_timestamp_seconds',
      'When the last run that passed ended; 0 before the first.',
    );
    this.#changes = counter('changes_total', 'Runs with a change that was reported.');
    this.#failedHandovers = counter(
      'on_change_failures_total',
      'How often the command of --on-change failed.',
    );
    gauge('build_info', 'The release that runs.', ['version']).set({ version }, 1);
    // Without a certificate there is no sample: 0 would be an alarm.
    const days = new Gauge({
      name: 'authcli_certificate_days_left',
      help: 'Days until a certificate of the chain expires.',
      registers,
      labelNames: ['subject'],
      collect: () => {
        days.reset();
        const { subject, valid_to: end } = this.#certificate ?? {};
        if (subject === undefined || end === undefined) return;
        days.set({ subject }, (Date.parse(end) - now()) / dayMs);
      },
    });
    for (const status of runStatuses) this.#runs.inc({ status }, 0);
  }

  /** The value of the HTTP header. */
  get contentType(): string {
    return this.#registry.contentType;
  }

  text(): Promise<string> {
    return this.#registry.metrics();
  }

  addRun({ status, document, endedAt }: MeasuredRun): void {
    this.#runs.inc({ status });
    this.#lastRun.set(endedAt / 1000);
    if (status === 'passed') this.#lastSuccess.set(endedAt / 1000);
    if (document === undefined) return;
    this.#runSeconds.observe(document.duration_ms / 1000);
    this.#addReachable(document.unreachable === undefined ? 1 : 0);
    this.#certificate = document.certificate ?? this.#certificate;
    for (const one of checkStatuses) this.#checks.set({ status: one }, document.summary[one]);
    this.#failing.reset();
    for (const { id: check, level, status: found } of document.checks) {
      this.#failing.set({ check, level }, found === 'failed' ? 1 : 0);
    }
    for (const { operation, intent, http_status: http, duration_ms: ms } of exchangesIn(document)) {
      if (intent === 'right' && http !== null)
        this.#requestSeconds.observe({ operation }, ms / 1000);
    }
  }

  addSkipped(runs: number): void {
    this.#skipped.inc(runs);
  }

  addChange(): void {
    this.#changes.inc();
  }

  addFailedHandover(): void {
    this.#failedHandovers.inc();
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
