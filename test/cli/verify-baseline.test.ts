import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { describe, it } from 'node:test';
import { documentOf, workspace } from './workspace.ts';

/*
 * One run of verify beside another: failures that are known, and what came between two reports.
 */

const { path, save, read, cli, verifyApplication } = workspace();
const wrapsKey = 'key-exchange/wraps-key';

describe('verify --expect', () => {
  const known = { check: 'key-exchange/wraps-*', reason: 'the module is replaced in May' };
  const document = (entry: object) =>
    JSON.stringify({ schema: 'authcli/expect/1', known_failures: [entry] });
  const argv = ['--check', 'key-exchange', '--expect', 'expect.json', '--json'];

  it('exits 0 where every failure is known, in the UTF-16 of Windows PowerShell too', async () => {
    save('expect.json', Buffer.from(`\ufeff${document(known)}`, 'utf16le'));
    const { status, stdout } = await verifyApplication(['oaep-sha1'], argv);
    const { checks, summary } = JSON.parse(stdout);
    assert.deepEqual([status, summary.failed, checks[2].known], [0, 1, known]);
  });

  it('exits 1 for one that no longer fails', async () => {
    save('expect.json', document(known));
    const passed = await verifyApplication([], argv);
    const { error, stale } = JSON.parse(passed.stdout);
    assert.deepEqual([passed.status, error.code, stale], [1, 'checks-failed', [known]]);
  });

  it('is written by --update-expect, with what was found as the reason', async () => {
    rmSync(path('expect.json'));
    const { status, stderr } = await verifyApplication(['oaep-sha1'], [...argv, '--update-expect']);
    assert.equal(status, 0);
    assert.match(stderr, /expect\.json lists 1 known failure/);
    const reason = 'Found on 2026-01-02: oaep-sha1';
    const written = documentOf(read('expect.json'), 'expect').known_failures;
    assert.deepEqual(written, [{ check: wrapsKey, reason }]);
    assert.equal((await verifyApplication(['oaep-sha1'], argv)).status, 0);
  });
});

describe('report diff', () => {
  const diff = (...argv: readonly string[]) => cli(['report', 'diff', ...argv]);

  it('reports what broke, and exits 1 for it', async () => {
    const check = ['--check', 'key-exchange', '--report'];
    await verifyApplication([], [...check, 'json=good.json']);
    await verifyApplication(['hex'], [...check, 'json=bad-run.json']);
    const { status, stdout } = await diff('good.json', 'bad-run.json', '--json');
    const { error, broke } = JSON.parse(stdout);
    assert.deepEqual(
      [status, error.message, error.next],
      [1, `1 check broke: ${wrapsKey}.`, `authcli explain ${wrapsKey}`],
    );
    const [{ id, diagnosis_after: after }, ...others] = broke;
    assert.deepEqual([id, after, others], [wrapsKey, 'hex', []]);
    const fixed = await diff('bad-run.json', 'good.json', '--json');
    const found = JSON.parse(fixed.stdout).fixed.length;
    assert.deepEqual([fixed.status, found, fixed.stderr], [0, 1, '']);
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
