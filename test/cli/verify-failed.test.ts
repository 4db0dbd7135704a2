import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { application } from '../conformance/support.ts';
import { run } from '../support/run.ts';
import { verifierIn } from '../support/verifier.ts';

const folder = mkdtempSync(join(tmpdir(), 'authcli-verify-failed-'));
const { path, verify, withEndpoint, verifyApplication } = verifierIn(folder);
after(() => rmSync(folder, { recursive: true, force: true }));

describe('verify --failed', () => {
  const ran = (stdout: string): readonly string[] =>
    [...stdout.matchAll(/^ {2}[✓✗!·] (\S+) /gm)].map(([, id]) => id ?? '');

  it('runs what failed last time at this URL, until it passes', async () => {
    let app = application('oaep-sha1', 'accepts-unknown-user');
    const configFile = path('failed.json');
    await withEndpoint(
      (request) => app(request),
      async ({ url }) => {
        const first = await verify(url, ['--skip', 'protocol'], { configFile });
        assert.match(first.stderr, /--failed/);
        const again = await verify(url, ['--failed'], { configFile });
        assert.deepEqual(ran(again.stdout), [
          'key-exchange/wraps-key',
          'registration/rejects-unknown-user',
        ]);
        app = application('accepts-unknown-user');
        await verify(url, ['--check', 'key-exchange'], { configFile });
        const left = await verify(url, ['--failed'], { configFile });
        assert.deepEqual(ran(left.stdout), ['registration/rejects-unknown-user']);
        app = application();
        assert.equal((await verify(url, ['--failed'], { configFile })).status, 0);
        const all = await verify(url, ['--failed', '--skip', 'protocol'], { configFile });
        assert.match(all.stderr, /^note: No check failed last time at http.*: all are run\.$/m);
        assert.ok(ran(all.stdout).length > 15);
      },
    );
  });

  it('knows nothing of another profile or URL', async () => {
    const configFile = path('failed-profiles.json');
    await run(['config', 'profile', 'create', 'other'], { configFile });
    const check = ['--check', 'key-exchange/wraps-key'];
    await withEndpoint(application('oaep-sha1'), async ({ url }) => {
      await verify(url, check, { configFile });
      const failed = ['--failed', '--skip', 'registration', '--skip', 'protocol'];
      const other = await verify(url, [...failed, '--profile', 'other'], { configFile });
      assert.match(other.stderr, /No check failed last time/);
      const elsewhere = await verify(new URL('?x=1', url), failed, { configFile });
      assert.match(elsewhere.stderr, /No check failed last time/);
    });
  });

  it('is not suggested where the failures can’t be stored', async () => {
    const configFile = path('unwritable.json');
    const check = ['--check', 'key-exchange/wraps-key'];
    await verifyApplication(['oaep-sha1'], check, { configFile });
    const files = readdirSync(`${configFile}.profiles`, { recursive: true, encoding: 'utf8' });
    const file = files.find((name) => name.endsWith('failed-checks.json')) ?? '';
    writeFileSync(`${configFile}.profiles/${file}`, '{"version": 99}');
    const { status, stderr } = await verifyApplication(['oaep-sha1'], check, { configFile });
    assert.equal(status, 1);
    assert.match(stderr, /^next: {2}authcli verify --check key-exchange\/wraps-key --url/m);
  });
});
