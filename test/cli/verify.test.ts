import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { checks as catalogue } from '../../src/conformance/catalogue.ts';
import { application } from '../conformance/support.ts';
import { violations } from '../support/json-schema.ts';
import { run } from '../support/run.ts';
import { verifierIn } from '../support/verifier.ts';

const folder = mkdtempSync(join(tmpdir(), 'authcli-verify-'));
const { path, read, verify, withEndpoint, verifyApplication } = verifierIn(folder);
const schema = JSON.parse(readFileSync('schemas/verify-1.json', 'utf8'));
const ofKeys = ['--check', 'key-exchange'];
after(() => rmSync(folder, { recursive: true, force: true }));

describe('verify', () => {
  it('exits 0 where every check passes, and shows each check', async () => {
    const { status, stdout, stderr } = await verifyApplication([], []);
    assert.equal(status, 0, stdout);
    assert.equal(stderr, '');
    for (const { id } of catalogue) assert.ok(stdout.includes(`✓ ${id} `), id);
    assert.match(stdout, new RegExp(`✓ ${catalogue.length} passed\\.\n$`));
  });

  it('exits 1 where a must fails, with what to change and how to repeat it', async () => {
    const { status, stdout, stderr } = await verifyApplication(['oaep-sha1'], []);
    assert.equal(status, 1);
    assert.match(stdout, /\n✗ key-exchange\/wraps-key .*\n {2}cause: .*OAEP.*\n {2}fix: {3}/);
    assert.doesNotMatch(stdout, /curl/);
    assert.match(
      stderr,
      /^error: 1 of \d+ checks failed: key-exchange\/wraps-key\.\nnext: {2}authcli verify --failed --url http\S+\n$/,
    );
  });

  it('shows section, expected, observed, curl and the command of a check under --verbose', async () => {
    const { stdout } = await verifyApplication(['oaep-sha1'], [...ofKeys, '--verbose']);
    assert.match(
      stdout,
      /\n {2}key-exchange\/wraps-key\n +section .*\n +expected .*\n +observed .*\n/,
    );
    assert.match(stdout, /\n +curl --request POST .*'X-Authcli-Check: key-exchange\/wraps-key'/);
    assert.match(
      stdout,
      /\n +authcli verify --check key-exchange\/wraps-key --seed \w+ --url http/,
    );
  });

  it('lists under --quiet nothing but what failed', async () => {
    const { stdout, stderr } = await verifyApplication(['oaep-sha1'], [...ofKeys, '--quiet']);
    assert.match(stdout, /^\n✗ key-exchange\/wraps-key /);
    assert.doesNotMatch(stdout, /✓ key-exchange/);
    assert.doesNotMatch(stderr, /next:/);
  });

  it('prints each check when it has ended, not at the end of the run', async () => {
    const seen: string[] = [];
    let shown = '';
    const app = application();
    await withEndpoint(
      async (request) => {
        seen.push(shown);
        return app(request);
      },
      async ({ url }) => {
        const onStdout = (text: string): void => {
          shown = text;
        };
        await verify(url, [], { onStdout });
      },
    );
    assert.ok(seen.some((text) => text.includes('✓ key-exchange/answers-success')));
    assert.ok(seen.filter((text) => text.includes('✓ registration/answers-success')).length > 10);
  });

  it('exits 0 with a warning, and 1 for it under --strict', async () => {
    const check = ['--check', 'key-exchange/rejects-foreign-client'];
    const faults = ['accepts-foreign-client'];
    const lenient = await verifyApplication(faults, check);
    assert.equal(lenient.status, 0);
    assert.match(lenient.stdout, /✓ 1 warned\.\n$/);
    assert.equal((await verifyApplication(faults, [...check, '--strict'])).status, 1);
  });

  it('prints one JSON document that the published schema describes', async () => {
    for (const [faults, argv, status] of [
      [[], [], 0],
      [['base64url', 'accepts-foreign-client'], [], 1],
      [['refuses-user-info'], ['--check', 'registration/rejects-missing-passcode'], 1],
    ] as const) {
      const result = await verifyApplication(faults, [...argv, '--json']);
      const document = JSON.parse(result.stdout);
      assert.equal(result.status, status);
      assert.deepEqual(violations(document, schema), []);
      assert.equal(document.ok, status === 0);
      assert.equal(document.command, 'verify');
      const counted = Object.values<number>(document.summary).reduce(
        (sum, count) => sum + count,
        0,
      );
      assert.equal(counted, document.checks.length);
    }
  });

  it('says with the diagnosis of the first failure why it failed', async () => {
    const { stdout } = await verifyApplication(['base64url'], [...ofKeys, '--json']);
    const { error, checks, summary } = JSON.parse(stdout);
    assert.equal(error.code, 'base64url');
    assert.equal(summary.failed, 1);
    const failed = checks.find(({ status }: { status: string }) => status === 'failed');
    assert.equal(failed.id, 'key-exchange/wraps-key');
    assert.equal(failed.diagnosis.code, 'base64url');
  });

  it('exits 1 for a connection that fails once the endpoint has responded', async () => {
    const { status, stdout } = await verifyApplication(['dies-of-bad-input'], ['--json']);
    assert.equal(status, 1);
    assert.equal(JSON.parse(stdout).error.code, 'reset');
  });

  it('exits 1 where no check could be judged', async () => {
    const argv = ['--check', 'registration/rejects-missing-passcode', '--json'];
    const { status, stdout } = await verifyApplication(['refuses-user-info'], argv);
    const { error, checks, controls } = JSON.parse(stdout);
    assert.equal(status, 1);
    assert.equal(checks[0].status, 'skipped');
    assert.equal(error.code, 'code-not-success');
    assert.match(error.message, /^No check could be judged: /);
    assert.equal(controls.at(-1).id, 'registration/answers-success');
  });

  it('hides keys and passcodes, unless they are asked for', async () => {
    const argv = ['--report', 'har=secret.har', '--report', 'html=secret.html', '--json'];
    const seen: string[] = [];
    const app = application('leaks-key-in-message', 'accepts-missing-passcode');
    await withEndpoint(
      async (request) => {
        const response = await app(request);
        seen.push(...(/key=(\w{32})/.exec(Buffer.from(response.body).toString())?.slice(1) ?? []));
        return response;
      },
      async ({ url }) => {
        const { stdout } = await verify(url, argv);
        assert.ok(seen.length > 40);
        for (const key of seen) {
          for (const text of [stdout, read('secret.har'), read('secret.html')]) {
            assert.ok(!text.includes(key));
          }
        }
        const shown = await verify(url, [...ofKeys, '--json', '--show-secrets']);
        assert.ok(seen.some((key) => shown.stdout.includes(key)));
      },
    );
  });
});

describe('verify --list', () => {
  it('lists the checks without an endpoint', async () => {
    const { status, stdout } = await run(['verify', '--list'], { configFile: path('config.json') });
    assert.equal(status, 0);
    for (const { id, title } of catalogue) assert.ok(stdout.includes(id) && stdout.includes(title));
  });

  it('lists a selection for programs', async () => {
    const argv = [
      'verify',
      '--list',
      '--json',
      '--check',
      'registration/*',
      '--skip',
      '*/rejects-*',
    ];
    const { stdout } = await run(argv, { configFile: path('config.json') });
    const { ok, checks } = JSON.parse(stdout);
    assert.equal(ok, true);
    assert.equal(checks.length, 7);
    assert.deepEqual(Object.keys(checks[0]).slice(0, 5), [
      'id',
      'title',
      'section',
      'sentence',
      'level',
    ]);
  });
});

describe('verify in other clothes', () => {
  it('writes annotations to standard output', async () => {
    const env = { GITHUB_STEP_SUMMARY: path('summary.md') };
    const github = await verifyApplication(['hex'], ['--format', 'github', '--bail'], { env });
    assert.match(github.stdout, /^::error title=key-exchange\/wraps-key::/);
    assert.match(read('summary.md'), /^## authcli verify: /);
  });

  it('writes every kind of report', async () => {
    const kinds = ['json', 'junit', 'html', 'markdown', 'har'];
    const argv = kinds.flatMap((kind) => ['--report', `${kind}=all.${kind}`]);
    const { stdout } = await verifyApplication(['hex'], [...ofKeys, ...argv, '--json']);
    for (const kind of kinds) assert.ok(read(`all.${kind}`).length > 500, kind);
    assert.deepEqual(JSON.parse(read('all.json')), JSON.parse(stdout));
  });

  it('uses the user codes that are given', async () => {
    writeFileSync(path('codes.txt'), 'alice\nbob\ncarol\n');
    const argv = ['--user-codes', 'codes.txt', '--check', 'registration', '--json'];
    const { stdout } = await verifyApplication([], argv);
    const { users, summary } = JSON.parse(stdout);
    assert.deepEqual([...users].sort(), ['alice', 'bob', 'carol']);
    assert.equal(summary.passed, 10);
  });

  it('repeats a run by its seed', async () => {
    const argv = ['--seed', 'again', '--check', 'key-exchange/key-per-user', '--json'];
    const users = async () => JSON.parse((await verifyApplication([], argv)).stdout).users;
    assert.deepEqual(await users(), await users());
  });
});
