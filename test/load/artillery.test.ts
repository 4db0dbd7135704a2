import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { pathToFileURL } from 'node:url';
import { exportPrivateKey } from '../../src/crypto/rsa-key.ts';
import { AuthcliError } from '../../src/errors.ts';
import { readArtilleryReport } from '../../src/load/artillery-report.ts';
import { createSignups } from '../../src/load/library.ts';
import { application, keyPairs, serve } from '../conformance/support.ts';
import { violations } from '../support/json-schema.ts';
import { run } from '../support/run.ts';

const folder = mkdtempSync(join(tmpdir(), 'authcli-artillery-'));
const environment = { configFile: join(folder, 'config.json'), cwd: folder };
after(() => rmSync(folder, { recursive: true, force: true }));

interface Processor {
  signUp(user: object, events: { emit(...counted: unknown[]): void }): Promise<void>;
}

describe('an exported load', () => {
  it('signs users up as Artillery calls it, and counts what came of it', async () => {
    const endpoint = await serve(application());
    const out = join(folder, 'right');
    const exported = await run(
      [
        'load',
        'export',
        '--out',
        out,
        '--url',
        endpoint.url.href,
        '--key-pairs',
        '1',
        '--ramp-up',
        '5s',
        '--header',
        'X-Key: abc',
      ],
      environment,
    );
    assert.equal(exported.status, 0, exported.stderr);
    assert.deepEqual(readdirSync(out).sort(), [
      'README.md',
      'artillery.yml',
      'key-pairs.json',
      'processor.mjs',
      'settings.json',
    ]);
    assert.equal(statSync(join(out, 'key-pairs.json')).mode & 0o777, 0o600);
    assert.match(
      readFileSync(join(out, 'artillery.yml'), 'utf8'),
      /rampTo: 50[\s\S]*duration: 60\n\s+arrivalRate: 50/,
    );
    assert.match(
      readFileSync(join(out, 'README.md'), 'utf8'),
      /every key that comes\nback is decrypted and checked\.[\s\S]*run-fargate[\s\S]*run-lambda[\s\S]*run-aci/,
    );
    const { signUp } = (await import(pathToFileURL(join(out, 'processor.mjs')).href)) as Processor;
    const counted: unknown[][] = [];
    const events = { emit: (...what: unknown[]) => counted.push(what) };
    await Promise.all([1, 2, 3].map(() => signUp({ vars: { target: endpoint.url.href } }, events)));
    await endpoint.close();
    assert.equal(endpoint.requests.length, 6);
    assert.equal(endpoint.requests[0]?.headers['x-key'], 'abc');
    const names = counted.map(([kind, name]) => `${kind} ${name}`).sort();
    assert.deepEqual(
      [...new Set(names)],
      [
        'counter authcli.succeeded',
        'histogram authcli.key_exchange_ms',
        'histogram authcli.latency_ms',
        'histogram authcli.registration_ms',
      ],
    );
    assert.equal(names.length, 12);
  });

  it('throws the diagnosis of a sign-up that fails', async () => {
    const endpoint = await serve(application('oaep-sha1'));
    const out = join(folder, 'wrong');
    await run(
      ['load', 'export', '--out', out, '--url', endpoint.url.href, '--key-pairs', '1'],
      environment,
    );
    const { signUp } = (await import(pathToFileURL(join(out, 'processor.mjs')).href)) as Processor;
    const counted: unknown[] = [];
    const failing = signUp({}, { emit: (_kind, name) => counted.push(name) });
    await assert.rejects(failing, { code: 'oaep-sha1', message: /OAEP \(SHA-1/ });
    await endpoint.close();
    assert.deepEqual(counted, ['authcli.failed', 'authcli.error.oaep-sha1']);
  });

  it('overwrites nothing', async () => {
    const argv = [
      'load',
      'export',
      '--out',
      'twice',
      '--url',
      'http://localhost:8080/',
      '--key-pairs',
      '1',
    ];
    assert.equal((await run(argv, environment)).status, 0);
    const again = await run(argv, environment);
    assert.equal(again.status, 2);
    assert.match(again.stderr, /already exists/);
  });
});

describe('sign-ups as a library', () => {
  it('are made one at a time, or as many as wanted', async () => {
    const endpoint = await serve(application());
    const pem = exportPrivateKey(await keyPairs.usual());
    const signups = createSignups({ url: endpoint.url.href, keyPairs: [pem], userInfo: null });
    const results = await Promise.all([signups.run(), signups.run(), signups.run()]);
    results.push(await signups.run());
    signups.close();
    await endpoint.close();
    assert.ok(
      results.every(({ ok, stepsMs, latencyMs }) => ok && stepsMs.length === 2 && latencyMs > 0),
    );
    assert.equal(
      new Set(endpoint.requests.map(({ body }) => JSON.parse(Buffer.from(body).toString()).ptn_cd))
        .size,
      4,
    );
  });

  it('are refused where they can’t be made', () => {
    assert.throws(() => createSignups({ url: 'localhost', keyPairs: [] }), { code: 'usage' });
    assert.throws(() => createSignups({ url: 'http://localhost/', keyPairs: ['x'] }), {
      code: 'usage',
    });
  });
});

const summary = {
  count: 56,
  min: 3.9,
  max: 311.4,
  mean: 47.5,
  p50: 16,
  median: 16,
  p75: 30,
  p90: 118,
  p95: 278.7,
  p99: 301.9,
  p999: 301.9,
};
const period = (at: number, succeeded: number, failed: number) => ({
  counters: {
    'authcli.succeeded': succeeded,
    'authcli.failed': failed,
    'authcli.error.timeout': failed,
    'vusers.created': succeeded + failed,
  },
  rates: {},
  firstMetricAt: at,
  lastMetricAt: at + 10_000,
  period: String(at),
  summaries: { 'authcli.latency_ms': summary, 'authcli.key_exchange_ms': summary },
  histograms: {},
});
const begun = Date.UTC(2026, 0, 2);
const report = JSON.stringify({
  aggregate: { ...period(begun, 56, 4), lastMetricAt: begun + 20_000 },
  intermediate: [period(begun, 26, 4), period(begun + 10_000, 30, 0)],
});

describe('a report of Artillery', () => {
  it('becomes the result of a load', () => {
    const result = readArtilleryReport(report);
    assert.deepEqual(
      [result.succeeded, result.failed, result.durationMs, result.perSecond],
      [56, 4, 20_000, 2.8],
    );
    assert.deepEqual(
      [result.latency.p50, result.latency.p99, result.latency.max],
      [16, 301.9, 311.4],
    );
    assert.deepEqual(
      result.errors.map(({ code, count }) => [code, count]),
      [['timeout', 4]],
    );
    assert.deepEqual(
      result.timeline.map(({ atMs, succeeded }) => [atMs, succeeded]),
      [
        [0, 26],
        [10_000, 30],
      ],
    );
    assert.equal(result.startedAt, '2026-01-02T00:00:00.000Z');
  });

  it('is shown, judged and written like one', async () => {
    const file = join(folder, 'report.json');
    const page = join(folder, 'page.html');
    writeFileSync(file, report);
    const argv = ['load', 'import', file, '--json', '--report', `html=${page}`];
    const failing = await run(argv, environment);
    const json = JSON.parse(failing.stdout) as Record<string, unknown>;
    const schema = JSON.parse(readFileSync('schemas/load-1.json', 'utf8'));
    assert.deepEqual(violations(json, schema), []);
    assert.deepEqual(
      [failing.status, json.ok, json.attempted, json.errors],
      [1, false, 60, { timeout: 4 }],
    );
    assert.match(readFileSync(page, 'utf8'), /56 of 60 sign-ups succeeded/);
    assert.equal((await run([...argv, '--max-errors', '10%'], environment)).status, 0);
    assert.equal(
      (await run([...argv, '--max-errors', '10%', '--max-p99', '300ms'], environment)).status,
      1,
    );
  });

  const wrong: Readonly<Record<string, RegExp>> = {
    'no JSON': /It is not JSON/,
    '[]': /no "aggregate"/,
    null: /no "aggregate"/,
    '{"aggregate":{"counters":{"vusers.created":5}}}': /no sign-ups of authcli/,
    '{"aggregate":{"firstMetricAt":1e300,"counters":{"authcli.succeeded":1}}}':
      /number 1e\+300, which/,
    '{"aggregate":{"counters":{"authcli.succeeded":1e400}}}': /number Infinity, which/,
    [`{"aggregate":{},"intermediate":[${'{},'.repeat(100_000)}{}]}`]:
      /100001 periods; at most 100000/,
    [`{"aggregate":${'['.repeat(100_000)}${']'.repeat(100_000)}}`]: /It is not JSON/,
  };
  for (const [text, message] of Object.entries(wrong)) {
    it(`is refused: ${text.slice(0, 80)}`, () => {
      assert.throws(
        () => readArtilleryReport(text),
        (error) => {
          assert.ok(error instanceof AuthcliError);
          assert.equal(error.code, 'usage');
          assert.match(error.message, message);
          assert.notEqual(error.hint, '');
          return true;
        },
      );
    });
  }
});
