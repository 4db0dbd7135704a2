import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { encodeUtf8 } from '../../bytes.ts';
import type { CertificateDocument, VerifyDocument } from '../../conformance/document.ts';
import { type RunningServer, startServer } from '../../emulator/server.ts';
import { dayMs } from '../../protocol/expiry.ts';
import type { RunStatus } from '../../reports/monitor.ts';

/** Seconds: from a response on the same machine to the longest time limit that is usual. */
const requestBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const runBuckets = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];

export type Metrics = ReturnType<typeof createMetrics>;

/** What is measured of the runs, in the text format of OpenMetrics 1.0; days left are those at the time of asking. */
export function createMetrics(version: string, now: () => number) {
  const registry = new Registry<typeof Registry.OPENMETRICS_CONTENT_TYPE>();
  registry.setContentType(Registry.OPENMETRICS_CONTENT_TYPE);
  const traits = (name: string, help: string, labelNames: readonly string[] = []) => ({
    name: `authcli_${name}`,
    help,
    labelNames,
    registers: [registry],
  });
  const counter = (...given: Parameters<typeof traits>) => new Counter(traits(...given));
  const gauge = (...given: Parameters<typeof traits>) => new Gauge(traits(...given));
  const runs = counter('runs_total', 'Runs by how they ended.', ['status']);
  for (const status of ['passed', 'failed', 'unreachable', 'error']) runs.inc({ status }, 0);
  const skipped = counter('runs_skipped_total', 'Runs left out: the one before took too long.');
  const checks = gauge('checks', 'Checks of the last run by status.', ['status']);
  const failing = gauge('check_failing', '1 if it failed in the last run.', ['check', 'level']);
  const runSeconds = new Histogram({
    ...traits('run_duration_seconds', 'How long runs took.'),
    buckets: runBuckets,
  });
  const requestSeconds = new Histogram({
    ...traits('request_duration_seconds', 'How long valid requests that got a response took.', [
      'operation',
    ]),
    buckets: requestBuckets,
  });
  const lastRun = gauge('last_run_timestamp_seconds', 'When the last run ended.');
  const lastSuccess = gauge(
    'last_success_timestamp_seconds',
    'When the last run that passed ended; 0 before the first.',
  );
  const changes = counter('changes_total', 'Runs with a change that was reported.');
  const failedHandovers = counter('on_change_failures_total', 'Failures of --on-change.');
  gauge('build_info', 'The release that runs.', ['version']).set({ version }, 1);
  let certificate: CertificateDocument | undefined;
  // Without a certificate there is no sample: 0 would be an alarm.
  const daysLeft = new Gauge({
    ...traits('certificate_days_left', 'Days until a certificate of the chain expires.', [
      'subject',
    ]),
    collect: () => {
      daysLeft.reset();
      if (certificate === undefined) return;
      const { subject, valid_to: end } = certificate;
      daysLeft.set({ subject }, (Date.parse(end) - now()) / dayMs);
    },
  });
  // Registered with the first run, for the same reason.
  const reachable = new Gauge({
    ...traits('endpoint_reachable', '1 if the endpoint responded in the last run.'),
    registers: [],
  });
  return {
    registry,
    skipped,
    changes,
    failedHandovers,
    /** A run has ended; without a document it could not be made. */
    addRun: (status: Exclude<RunStatus, 'interrupted'>, document?: VerifyDocument): void => {
      const endedAt = now() / 1000;
      runs.inc({ status });
      lastRun.set(endedAt);
      if (status === 'passed') lastSuccess.set(endedAt);
      if (document === undefined) return;
      runSeconds.observe(document.duration_ms / 1000);
      registry.registerMetric(reachable);
      reachable.set(document.unreachable === undefined ? 1 : 0);
      certificate = document.certificate ?? certificate;
      for (const [one, count] of Object.entries(document.summary))
        checks.set({ status: one }, count);
      failing.reset();
      for (const { id: check, level, status: found } of document.checks)
        failing.set({ check, level }, found === 'failed' ? 1 : 0);
      const all = [...document.checks, ...document.controls];
      const exchanges = all.flatMap((check) => check.exchanges);
      for (const { operation, intent, http_status: http, duration_ms: ms } of exchanges) {
        if (intent === 'right' && http !== null) requestSeconds.observe({ operation }, ms / 1000);
      }
    },
  };
}

const plain = { 'content-type': 'text/plain; charset=utf-8' };

/**
 * Serves the metrics at /metrics.
 *
 * @throws AuthcliError `usage` where the address can't be bound
 */
export function serveMetrics(
  { registry }: Pick<Metrics, 'registry'>,
  place: { readonly host: string; readonly port: number },
): Promise<RunningServer> {
  return startServer({
    ...place,
    who: 'The server of the metrics',
    handle: async ({ method, path }) => {
      if (path !== '/metrics')
        return { status: 404, headers: plain, body: encodeUtf8('The metrics are at /metrics.\n') };
      if (method !== 'GET' && method !== 'HEAD')
        return { status: 405, headers: { ...plain, allow: 'GET, HEAD' }, body: new Uint8Array() };
      const headers = { 'content-type': registry.contentType };
      return { status: 200, headers, body: encodeUtf8(await registry.metrics()) };
    },
  });
}
