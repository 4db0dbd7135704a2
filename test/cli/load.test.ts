import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { AuthcliError } from '../../src/errors.ts';
import { violations } from '../support/json-schema.ts';
import type { RunEnvironment } from '../support/run.ts';
import { type RunningSide, startSide } from '../support/side.ts';
import { schemaOf, workspace } from './workspace.ts';

const { path, freshConfig, read, cli, cliJson } = workspace();
const nowhere = ['--url', 'http://127.0.0.1:9/'];

let application: RunningSide;
let to: readonly string[] = [];
before(async () => {
  application = await startSide(['app', '--client-id', 'shop'], { configFile: freshConfig() });
  to = ['load', '--client-id', 'shop', '--url', application.url];
});
after(async () => {
  await application.stop();
});

async function loadJson(argv: readonly string[], changes: Partial<RunEnvironment> = {}) {
  const result = await cliJson(argv, changes);
  assert.deepEqual(violations(result.json, schemaOf('load')), []);
  return result;
}

describe('load', () => {
  it('says how many signed up, how fast, and how long it took, in its reports too', async () => {
    const reports = ['--report', 'json=load.json', '--report', 'html=load.html'];
    const pace = ['--concurrency', '2', '--workers', '4'];
    const { status, stdout, json } = await loadJson([...to, '--signups', '8', ...pace, ...reports]);
    const { ok, attempted, succeeded, errors, latency_ms: latency } = json;
    assert.deepEqual([status, ok, attempted, succeeded, errors], [0, true, 8, 8, {}]);
    assert.ok(0 < latency.p50 && latency.p50 <= latency.p99 && json.signups_per_second > 0);
    assert.equal(read('load.json'), stdout);
    assert.match(read('load.html'), /^<!doctype html>[\s\S]*8 of 8 sign-ups succeeded/);
  });

  // One after the other: the next calls are those of the next three users.
  const slow = ['--signups', '10', '--concurrency', '1'];
  const missed = ['--signups', '5', '--max-p99', '1ms', '--max-errors', '0'];
  for (const [what, times, argv, expected] of [
    ['where sign-ups fail', 3, slow, [1, 'oaep-sha1', 3, '']],
    ['where that is allowed', 3, [...slow, '--max-errors', '30%'], [0, undefined, 3, 'true']],
    ['where a threshold is missed', 0, missed, [1, 'threshold-missed', 0, 'false,true']],
    ['where nothing responds', 0, [...nowhere, '--signups', '2'], [3, 'refused', 2, '']],
  ] as const) {
    it(`ends with status ${expected[0]} ${what}`, async () => {
      if (times > 0) await application.control('faults', { name: 'oaep-sha1', times });
      const line = argv.includes('--url') ? ['load'] : to;
      const { status, json } = await loadJson([...line, ...argv]);
      const kept = json.thresholds.map((threshold: { kept: boolean }) => threshold.kept);
      assert.deepEqual([status, json.error?.code, json.failed, kept.join()], expected);
      assert.equal(json.errors['oaep-sha1'], times || undefined);
    });
  }

  it('reports what ran when it is interrupted', async () => {
    const controller = new AbortController();
    const calls = async () => {
      const health = await fetch(new URL('/_authcli/health', application.url));
      return ((await health.json()) as { calls: number }).calls;
    };
    const already = await calls();
    const watch = setInterval(async () => {
      if ((await calls()) > already + 20)
        controller.abort(new AuthcliError('interrupted', 'Interrupted.'));
    }, 100);
    const argv = [...to, '--duration', '60s', '--report', 'html=interrupted.html'];
    const { status, json } = await loadJson(argv, { signal: controller.signal });
    clearInterval(watch);
    assert.deepEqual([status, json.error.code], [130, 'interrupted']);
    assert.ok(json.attempted > 0);
    assert.match(read('interrupted.html'), /The run was interrupted/);
  });

  it('shows people the figures, how it goes on a terminal, and one exchange where that is asked for', async () => {
    const shown = ['--curl', '--har', path('load.har')];
    const argv = [...to, '--duration', '1200ms', '--concurrency', '2', ...shown];
    const { stdout, stderr } = await cli(argv, { isTerminal: true, env: { NO_COLOR: '1' } });
    assert.match(stdout, /sign-ups\s+\d+ in [\s\S]*whole sign-up\s+\S+ ms/);
    assert.match(stdout, /✓ (\d+) of \1 sign-ups succeeded, each key unwrapped and checked\./);
    assert.match(stderr, /\d+ s, \d+\/s, p99 [\d.]+ ms, \d+ ended, 0 failed/);
    assert.equal(stderr.match(/curl /g)?.length, 2);
    assert.equal(JSON.parse(read('load.har')).log.entries.length, 2);
  });
});

const outside = ['--url', 'http://example.com/'];

describe('load refuses, before anything is sent,', () => {
  for (const [argv, message] of [
    [[], /load needs --url/],
    [outside, /example\.com is not this machine[\s\S]*--allow-host example\.com/],
    [[...outside, '--allow-host', 'example.org'], /--allow-host names example\.org/],
    [[...nowhere, '--rate', '0'], /is not a number above 0/],
    [[...nowhere, '--max-errors', '101%'], /neither a whole number nor a share/],
    [[...nowhere, '--retry', '1'], /Unknown option '--retry'/],
    [[...nowhere, '--cipher', 'aes-256-cbc?padding=none'], /whole blocks|16/],
  ] as const) {
    it(argv.join(' ') || 'a run without a URL', async () => {
      const { status, stderr } = await cli(['load', ...argv], { configFile: freshConfig() });
      assert.match(stderr, message);
      assert.equal(status, 2);
    });
  }
});
