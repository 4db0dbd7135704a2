import assert from 'node:assert/strict';
import { readdirSync, rmSync } from 'node:fs';
import { describe, it } from 'node:test';
import { application } from '../conformance/support.ts';
import { violations } from '../support/json-schema.ts';
import { verifierIn } from '../support/verifier.ts';
import { schemaOf, workspace } from './workspace.ts';

/*
 * One run of verify beside another: failures that are known, what failed last time, and what came
 * between two reports.
 */

const { folder, path, save, read, cli } = workspace();
const { verify, withEndpoint, verifyApplication } = verifierIn(folder);

describe('verify --expect', () => {
  const wrapsKey = { check: 'key-exchange/wraps-*', reason: 'the module is replaced in May' };
  const document = (entry: object) =>
    JSON.stringify({ schema: 'authcli/expect/1', known_failures: [entry] });
  const argv = ['--check', 'key-exchange', '--expect', 'expect.json', '--json'];

  it('exits 0 where every failure is known, in the UTF-16 of Windows PowerShell too', async () => {
    save('expect.json', Buffer.from(`\ufeff${document(wrapsKey)}`, 'utf16le'));
    const { status, stdout } = await verifyApplication(['oaep-sha1'], argv);
    const { checks, summary } = JSON.parse(stdout);
    assert.deepEqual([status, summary.failed, checks[2].known], [0, 1, wrapsKey]);
  });

  it('exits 1 for one that no longer fails, and for one whose day is over', async () => {
    save('expect.json', document(wrapsKey));
    const passed = await verifyApplication([], argv);
    const { error, stale } = JSON.parse(passed.stdout);
    assert.deepEqual([passed.status, error.code, stale], [1, 'checks-failed', [wrapsKey]]);
    save('expect.json', document({ ...wrapsKey, until: '2025-12-31' }));
    const late = await verifyApplication(['oaep-sha1'], argv);
    assert.deepEqual([late.status, JSON.parse(late.stdout).expired.length], [1, 1]);
  });

  it('is written by --update-expect, with what was found as the reason', async () => {
    rmSync(path('expect.json'));
    const { status, stderr } = await verifyApplication(['oaep-sha1'], [...argv, '--update-expect']);
    assert.equal(status, 0);
    assert.match(stderr, /expect\.json lists 1 known failure/);
    const written = JSON.parse(read('expect.json'));
    const reason = 'Found on 2026-01-02: oaep-sha1';
    assert.deepEqual(written.known_failures, [{ check: 'key-exchange/wraps-key', reason }]);
    assert.deepEqual(violations(written, schemaOf('expect')), []);
    assert.equal((await verifyApplication(['oaep-sha1'], argv)).status, 0);
  });
});

describe('report diff', () => {
  const diff = (...argv: readonly string[]) => cli(['report', 'diff', ...argv]);

  it('reports what broke, and exits 1 for it', async () => {
    const check = ['--check', 'key-exchange', '--report'];
    await verifyApplication([], [...check, 'json=good.json']);
    await verifyApplication(['hex'], [...check, 'json=bad-run.json']);
    const broke = await diff('good.json', 'bad-run.json', '--json');
    const document = JSON.parse(broke.stdout);
    assert.equal(broke.status, 1);
    assert.equal(document.error.message, '1 check broke: key-exchange/wraps-key.');
    assert.equal(document.error.next, 'authcli explain key-exchange/wraps-key');
    const [{ id, diagnosis_after: after }, ...others] = document.broke;
    assert.deepEqual([id, after, others], ['key-exchange/wraps-key', 'hex', []]);
    const fixed = await diff('bad-run.json', 'good.json', '--json');
    assert.deepEqual([fixed.status, JSON.parse(fixed.stdout).fixed.length], [0, 1]);
    assert.equal(fixed.stderr, '');
    save('cut.json', JSON.stringify({ ...JSON.parse(read('good.json')), interrupted: true }));
    const { stderr } = await diff('bad-run.json', 'cut.json');
    assert.match(stderr, /^warning: The later run was interrupted: \d+ checks? did not run\.\n$/);
  });

  for (const text of ['x', '{"checks":[]}', '{"schema":"authcli/verify/1","checks":[1]}']) {
    it(`refuses ${text}`, async () => {
      save('wrong.json', text);
      const { status, stderr } = await diff('wrong.json', 'wrong.json');
      assert.equal(status, 2);
      assert.match(stderr, /^error: wrong\.json: It is not a /);
    });
  }
});

describe('verify --failed', () => {
  const ran = (stdout: string) =>
    [...stdout.matchAll(/^ {2}[✓✗!·] (\S+) /gm)].map(([, id]) => id ?? '');

  it('runs what failed last time at this URL, until it passes', async () => {
    let app = application('oaep-sha1', 'accepts-unknown-user');
    const configFile = path('failed.json');
    const [wrapsKey, unknownUser] = ['key-exchange/wraps-key', 'registration/rejects-unknown-user'];
    await withEndpoint(
      (request) => app(request),
      async ({ url }) => {
        const run = (...argv: readonly string[]) => verify(url, argv, { configFile });
        assert.match((await run('--skip', 'protocol')).stderr, /--failed/);
        assert.deepEqual(ran((await run('--failed')).stdout), [wrapsKey, unknownUser]);
        app = application('accepts-unknown-user');
        await run('--check', 'key-exchange');
        assert.deepEqual(ran((await run('--failed')).stdout), [unknownUser]);
        app = application();
        assert.equal((await run('--failed')).status, 0);
        const all = await run('--failed', '--skip', 'protocol');
        assert.match(all.stderr, /^note: No check failed last time at http.*: all are run\.$/m);
        assert.ok(ran(all.stdout).length > 15);
      },
    );
  });

  it('knows nothing of another profile or URL', async () => {
    await cli(['config', 'profile', 'create', 'other']);
    await withEndpoint(application('oaep-sha1'), async ({ url }) => {
      await verify(url, ['--check', 'key-exchange/wraps-key']);
      const failed = ['--failed', '--skip', 'registration', '--skip', 'protocol'];
      const other = await verify(url, [...failed, '--profile', 'other']);
      const elsewhere = await verify(new URL('?x=1', url), failed);
      for (const { stderr } of [other, elsewhere])
        assert.match(stderr, /No check failed last time/);
    });
  });

  it('is not suggested where the failures can’t be stored', async () => {
    const configFile = path('unwritable.json');
    const check = ['--check', 'key-exchange/wraps-key'];
    await verifyApplication(['oaep-sha1'], check, { configFile });
    const files = readdirSync(`${configFile}.profiles`, { recursive: true, encoding: 'utf8' });
    const file = files.find((name) => name.endsWith('failed-checks.json'));
    save(`unwritable.json.profiles/${file}`, '{"version": 99}');
    const { status, stderr } = await verifyApplication(['oaep-sha1'], check, { configFile });
    assert.equal(status, 1);
    assert.match(stderr, /^next: {2}authcli verify --check key-exchange\/wraps-key --url/m);
  });
});
