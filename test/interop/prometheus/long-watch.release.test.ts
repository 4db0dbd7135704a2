import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { describe, it } from 'node:test';
import { expectedOf, faultsOf, type Sample, watchFor } from '../../monitor/long-watch.ts';

/** The samples of each text as Prometheus's own client for Python reads them. */
function parsed(samples: readonly Sample[]): readonly Readonly<Record<string, number>>[] {
  const script = 'test/interop/prometheus/samples.py';
  const input = JSON.stringify(samples.map(({ metrics }) => metrics));
  return JSON.parse(execFileSync('python3', [script], { input, encoding: 'utf8' }));
}

describe('verify --every over 1,000 runs of an application that breaks and recovers', () => {
  it('reports each change once, in memory that does not grow, with metrics that Prometheus reads', async () => {
    const runs = 1000;
    const watch = await watchFor(runs, 4);
    assert.deepEqual(faultsOf(watch, runs), []);
    const scrapes = parsed(watch.samples);
    assert.equal(scrapes.length, 4);
    for (const [index, found] of scrapes.entries()) {
      const { run = 0 } = watch.samples[index] ?? {};
      const { changed, passed, failed, unreachable } = expectedOf(run);
      assert.equal(found['authcli_runs_total{status=passed}'], passed);
      assert.equal(found['authcli_runs_total{status=failed}'], failed);
      assert.equal(found['authcli_runs_total{status=unreachable}'], unreachable);
      assert.equal(found['authcli_runs_total{status=error}'], 0);
      assert.equal(found.authcli_changes_total, changed.length);
      assert.equal(found.authcli_on_change_failures_total, 0);
      assert.equal(found.authcli_run_duration_seconds_count, run);
      assert.ok((found.authcli_last_success_timestamp_seconds ?? 0) > Date.UTC(2027, 0, 31) / 1000);
    }
  });
});
