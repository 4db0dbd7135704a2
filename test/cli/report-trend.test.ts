import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { html, htmlPage } from '../../src/reports/html/markup.ts';
import { violations } from '../support/json-schema.ts';
import { run } from '../support/run.ts';

const folder = mkdtempSync(join(tmpdir(), 'authcli-report-trend-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const schema = JSON.parse(readFileSync('schemas/trend-1.json', 'utf8'));

const trend = (...argv: readonly string[]) =>
  run(['report', 'trend', ...argv], { configFile: join(folder, 'config.json'), cwd: folder });

type Status = 'passed' | 'failed' | 'warned' | 'skipped';

interface Kept {
  readonly target?: string;
  readonly interrupted?: boolean;
  readonly unreachable?: string;
  readonly ms?: number;
  readonly title?: string;
}

/** What --history keeps of a run: check `a/one` with a status, and `a/two`, which passes. */
function kept(minute: number, status: Status, more: Kept = {}): object {
  const { target = 'http://app.test/callback', interrupted = false, unreachable, ms = 10 } = more;
  const exchange = { operation: 'registration', intent: 'right', http_status: 200 };
  const exchanges = unreachable ? [] : [{ ...exchange, started_ms: 0, duration_ms: ms }];
  const check = { title: more.title ?? 'A title', exchanges };
  return {
    ok: status !== 'failed' && unreachable === undefined,
    schema: 'authcli/verify/1',
    target,
    interrupted,
    started_at: new Date(Date.UTC(2027, 0, 31, 6, minute)).toISOString(),
    duration_ms: 40,
    requests: 1,
    ...(unreachable && { unreachable: { code: unreachable, message: '', hint: '' } }),
    checks: [
      { ...check, id: 'a/one', status },
      { id: 'a/two', title: 'Another', status: 'passed', exchanges: [] },
    ],
    controls: [],
  };
}

function historyOf(name: string, reports: readonly unknown[]): string {
  mkdirSync(join(folder, name));
  for (const [index, report] of reports.entries()) {
    // The names are in another order than the runs.
    const file = join(folder, name, `${String(99 - index)}.json`);
    writeFileSync(file, typeof report === 'string' ? report : JSON.stringify(report));
  }
  return name;
}

describe('report trend', () => {
  it('counts runs, periods and checks, in the order of the runs', async () => {
    const name = historyOf('usual', [
      kept(0, 'passed'),
      kept(5, 'failed', { ms: 20 }),
      kept(10, 'failed', { ms: 30 }),
      kept(15, 'passed', { unreachable: 'refused' }),
      kept(20, 'passed', { ms: 40 }),
    ]);
    const { stdout, status } = await trend(name, '--json');
    assert.equal(status, 0);
    const document = JSON.parse(stdout);
    assert.deepEqual(violations(document, schema), []);
    assert.deepEqual(document.summary, { runs: 5, passed: 2, failed: 2, unreachable: 1 });
    assert.deepEqual(
      document.periods.map((period: { status: string; runs: number; failed: string[] }) => [
        period.status,
        period.runs,
        ...period.failed,
      ]),
      [
        ['passed', 1],
        ['failed', 2, 'a/one'],
        ['unreachable', 1],
        ['passed', 1],
      ],
    );
    const [one] = document.checks;
    assert.deepEqual([one.passed, one.failed, one.skipped, one.status], [2, 2, 1, 'passed']);
    assert.deepEqual(
      one.spans.map(({ runs }: { runs: number }) => runs),
      [1, 2, 1, 1],
    );
    assert.deepEqual(document.latency_ms.registration, { requests: 4, p50: 20, p95: 40, max: 40 });
  });

  it('reports what happened, and writes a page that loads nothing', async () => {
    const { stdout, stderr } = await trend(
      'usual',
      '--report',
      'html=a.html',
      '--report',
      'json=a.json',
    );
    assert.match(stdout, /✗ 2027-01-31T06:05:00Z {2}2 runs failed: a\/one\n/);
    assert.match(stdout, /1 run unreachable \(refused\)/);
    assert.match(
      stdout,
      /2 of 5 runs passed \(40%\), 2 failed, 1 unreachable\. The last run passed\./,
    );
    assert.equal(stderr, '');
    const page = readFileSync(join(folder, 'a.html'), 'utf8');
    for (const part of ['Runs over time', 'Checks over time', 'Latency over time', 'Periods'])
      assert.match(page, new RegExp(part));
    assert.doesNotMatch(page, /<script|<img|<link|NaN|undefined|src=|href="http/);
    const policy = /Content-Security-Policy" content="([^"]+)"/;
    const other = htmlPage({ title: '', body: html`` });
    assert.equal(policy.exec(page)?.[1], policy.exec(other)?.[1]);
    assert.deepEqual(
      violations(JSON.parse(readFileSync(join(folder, 'a.json'), 'utf8')), schema),
      [],
    );
  });

  it('draws thousands of runs in few bars', async () => {
    const runs = Array.from({ length: 90 }, (_, index) =>
      kept(index, index % 2 ? 'failed' : 'passed'),
    );
    const name = historyOf('many', runs);
    const { stdout } = await trend(name, '--report', 'html=many.html');
    assert.match(stdout, /70 earlier periods: --report html=FILE/);
    assert.match(stdout, /45 of 90 runs passed \(50%\)/);
  });

  it('takes one target, and names what it leaves out', async () => {
    const other = 'http://other.test/callback';
    const name = historyOf('mixed', [
      kept(0, 'passed', { target: other }),
      kept(5, 'passed'),
      kept(10, 'passed', { interrupted: true }),
      '{"schema":"authcli/verify/1","checks":[null],"started_at":"2027-01-31T06:00:00Z"}',
      'no JSON',
    ]);
    const { stdout } = await trend(name);
    assert.match(stdout, /^http:\/\/app\.test\/callback\n1 run /);
    assert.match(stdout, /Left out: 1 report of http:\/\/other\.test\/callback \(--target\)/);
    assert.match(stdout, /Left out: 1 interrupted run\./);
    assert.match(stdout, /Left out: 2 files without a report of verify\./);
    assert.match((await trend(name, '--target', other)).stdout, /^http:\/\/other\.test/);
    const wrong = await trend(name, '--target', 'http://wrong.test/');
    assert.equal(wrong.status, 2);
    assert.match(wrong.stderr, /--target http:\/\/other\.test\/callback/);
  });

  it('keeps text of a report text', async () => {
    const title = '<script>\u001b[2J</script>';
    const name = historyOf('hostile', [kept(0, 'failed', { title, target: title })]);
    const { stdout } = await trend(name, '--report', 'html=hostile.html');
    assert.doesNotMatch(stdout, /\p{Cc}(?<!\n)/u);
    assert.doesNotMatch(
      readFileSync(join(folder, 'hostile.html'), 'utf8'),
      /<script|\p{Cc}(?<!\n)/u,
    );
  });

  it('refuses a folder without reports', async () => {
    for (const name of ['missing', historyOf('empty', [])]) {
      const { status, stderr } = await trend(name);
      assert.equal(status, 2);
      assert.match(stderr, /--history/);
    }
  });
});
