import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { parser } from '@prometheus-io/lezer-promql';
import parsePrometheus from 'parse-prometheus-text-format';
import { parse as parseYaml } from 'yaml';
import { Metrics, serveMetrics } from '../../src/monitor/metrics.ts';
import type { VerifyDocument } from '../../src/reports/verify-document.ts';

const now = Date.UTC(2027, 0, 31);

const exchange = { operation: 'key-exchange', intent: 'right', http_status: 200, duration_ms: 30 };

/** Of a report, what is measured. */
const document = {
  duration_ms: 1500,
  summary: { passed: 1, failed: 1, warned: 0, skipped: 0 },
  checks: [
    { id: 'key-exchange/wraps-key', level: 'must', status: 'failed', exchanges: [exchange] },
    { id: 'protocol/"\\\n', level: 'should', status: 'passed', exchanges: [exchange] },
  ],
  controls: [],
  certificate: {
    subject: 'app.test',
    issuer: 'CA',
    valid_to: new Date(now + 10.5 * 86_400_000).toISOString(),
  },
} as unknown as VerifyDocument;

function measured(): Metrics {
  const metrics = new Metrics({ version: '1.2.3', now: () => now });
  metrics.addRun({ status: 'failed', document, endedAt: now });
  metrics.addRun({ status: 'passed', document, endedAt: now + 60_000 });
  metrics.addSkipped(2);
  metrics.addChange();
  metrics.addFailedHandover();
  return metrics;
}

/** Every metric that a PromQL expression names; throws for one that is not PromQL. */
function metricsIn(expression: string): readonly string[] {
  const names: string[] = [];
  parser.parse(expression).iterate({
    enter: ({ type, from, to }) => {
      assert.ok(!type.isError, `${expression} at ${from}`);
      if (type.name === 'VectorSelector') {
        names.push(/^\w+/.exec(expression.slice(from, to))?.[0] ?? '');
      }
    },
  });
  return names;
}

describe('metrics', () => {
  it('are read by a parser of Prometheus', async () => {
    const text = await measured().text();
    const found = new Map(parsePrometheus(text).map(({ name, metrics }) => [name, metrics]));
    assert.deepEqual(found.get('authcli_certificate_days_left'), [
      { labels: { subject: 'app.test' }, value: '10.5' },
    ]);
    const [success] = found.get('authcli_last_success_timestamp_seconds') ?? [];
    assert.equal(success?.value, String(now / 1000 + 60));
    const failing = found.get('authcli_check_failing')?.filter(({ value }) => value === '1');
    assert.ok(failing?.some(({ labels }) => labels?.check === 'key-exchange/wraps-key'));
  });

  it('have the frame of OpenMetrics: types before samples, _total on counters, EOF at the end', async () => {
    const text = await measured().text();
    const types = new Map(
      [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name = '', type = '']) => [name, type]),
    );
    const suffixes: Readonly<Record<string, RegExp>> = {
      counter: /^_total$/,
      gauge: /^$/,
      histogram: /^_(?:bucket|sum|count)$/,
    };
    const lines = text.trimEnd().split('\n');
    for (const line of lines.filter((one) => !one.startsWith('#'))) {
      const [name = ''] = /^[a-z_]+/.exec(line) ?? [];
      const family = [...types].find(
        ([base, type]) => name.startsWith(base) && suffixes[type]?.test(name.slice(base.length)),
      );
      assert.ok(family, line);
    }
    assert.equal(lines.at(-1), '# EOF');
    assert.match(measured().contentType, /^application\/openmetrics-text; version=1\.0\.0/);
  });

  it('are what the dashboard and the alert rules of the examples ask for', async () => {
    const text = await measured().text();
    const served = new Set([...text.matchAll(/^(authcli_\w+)[{ ]/gm)].map(([, name]) => name));
    const rules = parseYaml(readFileSync('examples/monitoring/alerts.yaml', 'utf8'));
    const dashboard = JSON.parse(readFileSync('examples/monitoring/dashboard.json', 'utf8'));
    const expressions: readonly string[] = [
      ...rules.groups[0].rules.map(({ expr }: { expr: string }) => expr),
      ...dashboard.panels.flatMap(({ targets }: { targets: { expr: string }[] }) =>
        targets.map(({ expr }) => expr),
      ),
    ];
    const asked = expressions.flatMap(metricsIn);
    assert.ok(expressions.length > 15 && asked.length >= expressions.length);
    const missing = asked.filter((name) => !served.has(name));
    assert.deepEqual(missing, []);
  });

  it('have no sample of the endpoint before the first run: it would be an alarm', async () => {
    const text = await new Metrics({ version: '1', now: () => now }).text();
    assert.doesNotMatch(text, /^authcli_(?:endpoint_reachable|certificate_days_left)[{ ]/m);
  });

  it('are served at /metrics alone', async (context) => {
    const server = await serveMetrics(measured(), { host: '127.0.0.1', port: 0 });
    context.after(() => server.close());
    const response = await fetch(`${server.url}/metrics`);
    assert.match(response.headers.get('content-type') ?? '', /openmetrics-text/);
    assert.match(await response.text(), /# EOF\n$/);
    assert.equal((await fetch(`${server.url}/`)).status, 404);
    assert.equal((await fetch(`${server.url}/metrics`, { method: 'POST' })).status, 405);
  });
});
