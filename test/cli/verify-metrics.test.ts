import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { parser } from '@prometheus-io/lezer-promql';
import { parse as parseYaml } from 'yaml';
import { createMetrics, serveMetrics } from '../../src/cli/verify/metrics.ts';
import type { VerifyDocument } from '../../src/conformance/document.ts';
import { fixture } from '../support/fixtures.ts';

const now = Date.UTC(2027, 0, 31);
const exchange = { operation: 'key-exchange', intent: 'right', http_status: 200, duration_ms: 30 };
const valid_to = new Date(now + 10.5 * 86_400_000).toISOString();
const wrong = { ...exchange, intent: 'wrong' };
const lost = { ...exchange, http_status: null };

/** Of a report, what is measured. */
const document = {
  duration_ms: 1500,
  summary: { passed: 1, failed: 1, warned: 0, skipped: 0 },
  checks: [
    { id: 'key-exchange/wraps-key', level: 'must', status: 'failed', exchanges: [exchange] },
    { id: 'protocol/"\\\n', level: 'should', status: 'passed', exchanges: [wrong, lost] },
  ],
  controls: [{ exchanges: [exchange] }],
  certificate: { subject: 'app.test', issuer: 'CA', valid_to },
} as unknown as VerifyDocument;

function measured() {
  let time = now;
  const metrics = createMetrics('1.2.3', () => time);
  metrics.addRun('passed', document);
  time += 60_000;
  metrics.addRun('failed', document);
  time += 60_000;
  metrics.addRun('error');
  time = now;
  metrics.skipped.inc(2);
  metrics.changes.inc();
  metrics.failedHandovers.inc();
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
  it('are of the last run, and of all since the start', async () => {
    const lines = (await measured().registry.metrics()).split('\n');
    const samples = lines.filter((line) => /^authcli_(?!.*_bucket)/.test(line));
    const shown = samples.map((line) => `${line.slice('authcli_'.length)}\n`);
    assert.equal(shown.join(''), fixture('metrics.txt'));
  });

  it('are what the dashboard and the alert rules of the examples ask for', async () => {
    const text = await measured().registry.metrics();
    const served = new Set([...text.matchAll(/^(authcli_\w+)[{ ]/gm)].map(([, name]) => name));
    const rules = parseYaml(readFileSync('examples/monitoring/alerts.yaml', 'utf8'));
    const dashboard = JSON.parse(readFileSync('examples/monitoring/dashboard.json', 'utf8'));
    const targets = dashboard.panels.flatMap((panel: { targets: unknown[] }) => panel.targets);
    const queries: readonly { expr: string }[] = [...rules.groups[0].rules, ...targets];
    const asked = queries.flatMap(({ expr }) => metricsIn(expr));
    assert.ok(queries.length > 15 && asked.length >= queries.length);
    const missing = asked.filter((name) => !served.has(name));
    assert.deepEqual(missing, []);
  });

  it('have no sample of the endpoint before the first run: it would be an alarm', async () => {
    const text = await createMetrics('1', () => now).registry.metrics();
    assert.doesNotMatch(text, /^authcli_(?:endpoint_reachable|certificate_days_left)[{ ]/m);
  });

  it('are served at /metrics alone', async (context) => {
    const server = await serveMetrics(measured(), { host: '127.0.0.1', port: 0 });
    context.after(() => server.close());
    const response = await fetch(`${server.url}/metrics`);
    const type = /^application\/openmetrics-text; version=1\.0\.0/;
    assert.match(response.headers.get('content-type') ?? '', type);
    assert.match(await response.text(), /# EOF\n$/);
    assert.equal((await fetch(`${server.url}/`)).status, 404);
    assert.equal((await fetch(`${server.url}/metrics`, { method: 'POST' })).status, 405);
  });
});
