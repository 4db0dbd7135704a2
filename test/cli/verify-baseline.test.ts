import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { violations } from '../support/json-schema.ts';
import { run } from '../support/run.ts';
import { verifierIn } from '../support/verifier.ts';

/*
 * One run of verify beside another: failures that are known, and what came between two reports.
 */

const folder = mkdtempSync(join(tmpdir(), 'authcli-verify-baseline-'));
const { path, read, verifyApplication } = verifierIn(folder);
after(() => rmSync(folder, { recursive: true, force: true }));

describe('verify --expect', () => {
  const wrapsKey = { check: 'key-exchange/wraps-*', reason: 'the module is replaced in May' };
  const save = (...entries: readonly object[]) =>
    writeFileSync(
      path('expect.json'),
      JSON.stringify({ schema: 'authcli/expect/1', known_failures: entries }),
    );
  const argv = ['--check', 'key-exchange', '--expect', 'expect.json', '--json'];

  it('exits 0 where every failure is known', async () => {
    save(wrapsKey);
    const { status, stdout } = await verifyApplication(['oaep-sha1'], argv);
    const { checks, summary } = JSON.parse(stdout);
    assert.equal(status, 0);
    assert.equal(summary.failed, 1);
    assert.deepEqual(checks[2].known, wrapsKey);
  });

  it('reads the UTF-16 that Windows PowerShell writes', async () => {
    save(wrapsKey);
    writeFileSync(path('expect.json'), Buffer.from(`\ufeff${read('expect.json')}`, 'utf16le'));
    assert.equal((await verifyApplication(['oaep-sha1'], argv)).status, 0);
  });

  it('exits 1 for one that no longer fails, and names it', async () => {
    save(wrapsKey);
    const { status, stdout } = await verifyApplication([], argv);
    const { error, stale } = JSON.parse(stdout);
    assert.equal(status, 1);
    assert.equal(error.code, 'checks-failed');
    assert.deepEqual(stale, [wrapsKey]);
  });

  it('exits 1 for one whose day is over', async () => {
    save({ ...wrapsKey, until: '2025-12-31' });
    const { status, stdout } = await verifyApplication(['oaep-sha1'], argv);
    assert.equal(status, 1);
    assert.equal(JSON.parse(stdout).expired.length, 1);
  });

  it('is written by --update-expect, with what was found as the reason', async () => {
    rmSync(path('expect.json'));
    const { status, stderr } = await verifyApplication(['oaep-sha1'], [...argv, '--update-expect']);
    assert.equal(status, 0);
    assert.match(stderr, /expect\.json lists 1 known failure/);
    const { known_failures: entries } = JSON.parse(read('expect.json'));
    assert.deepEqual(entries, [
      { check: 'key-exchange/wraps-key', reason: 'Found on 2026-01-02: oaep-sha1' },
    ]);
    const expectSchema = JSON.parse(readFileSync('schemas/expect-1.json', 'utf8'));
    assert.deepEqual(violations(JSON.parse(read('expect.json')), expectSchema), []);
    assert.equal((await verifyApplication(['oaep-sha1'], argv)).status, 0);
  });
});

describe('report diff', () => {
  it('reports what broke, and exits 1 for it', async () => {
    const check = ['--check', 'key-exchange'];
    await verifyApplication([], [...check, '--report', 'json=good.json']);
    await verifyApplication(['hex'], [...check, '--report', 'json=bad-run.json']);
    const diff = (a: string, b: string) =>
      run(['report', 'diff', a, b, '--json'], { configFile: path('config.json'), cwd: folder });
    const broke = await diff('good.json', 'bad-run.json');
    assert.equal(broke.status, 1);
    assert.match(broke.stdout, /"message": ?"1 check broke: key-exchange\/wraps-key\."/);
    const document = JSON.parse(broke.stdout);
    assert.deepEqual(
      document.broke.map(({ id }: { id: string }) => id),
      ['key-exchange/wraps-key'],
    );
    assert.equal(document.broke[0].diagnosis_after, 'hex');
    assert.equal(document.error.next, 'authcli explain key-exchange/wraps-key');
    const fixed = await diff('bad-run.json', 'good.json');
    assert.equal(fixed.status, 0);
    assert.equal(JSON.parse(fixed.stdout).fixed.length, 1);
    assert.equal(fixed.stderr, '');
    const cut = { ...JSON.parse(read('good.json')), interrupted: true };
    writeFileSync(path('cut.json'), JSON.stringify(cut));
    const { stderr } = await diff('bad-run.json', 'cut.json');
    assert.match(stderr, /^warning: The later run was interrupted: \d+ checks? did not run\.\n$/);
  });

  for (const [title, text] of [
    ['no JSON', 'x'],
    ['another document', '{"checks":[]}'],
    ['checks that are none', '{"schema":"authcli/verify/1","checks":[1]}'],
  ] as const) {
    it(`refuses ${title}`, async () => {
      writeFileSync(path('wrong.json'), text);
      const argv = ['report', 'diff', 'wrong.json', 'wrong.json'];
      const { status, stderr } = await run(argv, { configFile: path('config.json'), cwd: folder });
      assert.equal(status, 2);
      assert.match(stderr, /^error: wrong\.json: It is not a /);
    });
  }
});
