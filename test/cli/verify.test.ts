import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { checks as catalogue } from '../../src/conformance/catalogue.ts';
import { application, serve } from '../conformance/support.ts';
import { violations } from '../support/json-schema.ts';
import { run } from '../support/run.ts';
import { verifierIn } from '../support/verifier.ts';

const folder = mkdtempSync(join(tmpdir(), 'authcli-verify-'));
const { path, read, verify, withEndpoint, verifyApplication } = verifierIn(folder);
const schema = JSON.parse(readFileSync('schemas/verify-1.json', 'utf8'));
const nobody = 'http://127.0.0.1:1/callback';
after(() => rmSync(folder, { recursive: true, force: true }));

describe('verify', () => {
  it('exits 0 where everything holds, and shows each check', async () => {
    const { status, stdout, stderr } = await verifyApplication([], []);
    assert.equal(status, 0, stdout);
    assert.equal(stderr, '');
    for (const { id } of catalogue) assert.ok(stdout.includes(`✓ ${id} `), id);
    assert.match(stdout, new RegExp(`✓ ${catalogue.length} passed\\.\n$`));
  });

  it('exits 1 where a must does not hold, with what to change and how to repeat it', async () => {
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
    const { stdout } = await verifyApplication(['oaep-sha1'], ['--verbose']);
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
    const { stdout, stderr } = await verifyApplication(['oaep-sha1'], ['--quiet']);
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
    const { stdout } = await verifyApplication(
      ['base64url'],
      ['--json', '--check', 'key-exchange/*'],
    );
    const { error, checks, summary } = JSON.parse(stdout);
    assert.equal(error.code, 'base64url');
    assert.equal(summary.failed, 1);
    const failed = checks.find(({ status }: { status: string }) => status === 'failed');
    assert.equal(failed.id, 'key-exchange/wraps-key');
    assert.equal(failed.diagnosis.code, 'base64url');
  });

  it('exits 1 for a connection that fails once the endpoint has answered', async () => {
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
        const answer = await app(request);
        seen.push(...(/key=(\w{32})/.exec(Buffer.from(answer.body).toString())?.slice(1) ?? []));
        return answer;
      },
      async ({ url }) => {
        const { stdout } = await verify(url, argv);
        assert.ok(seen.length > 40);
        for (const key of seen) {
          for (const text of [stdout, read('secret.har'), read('secret.html')]) {
            assert.ok(!text.includes(key));
          }
        }
        const shown = await verify(url, ['--json', '--show-secrets']);
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
      const other = await verify(url, ['--failed', '--profile', 'other'], { configFile });
      assert.match(other.stderr, /No check failed last time/);
      const elsewhere = await verify(new URL('?x=1', url), ['--failed'], { configFile });
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

describe('verify of what is not there', () => {
  it('exits 3, with reports that say so', async () => {
    const argv = ['--report', 'junit=nobody.xml', '--report', 'tap=nobody.tap', '--json'];
    const { status, stdout } = await verify(nobody, argv);
    const document = JSON.parse(stdout);
    assert.equal(status, 3);
    assert.equal(document.error.code, 'refused');
    assert.deepEqual(violations(document, schema), []);
    assert.match(read('nobody.xml'), /errors="1"[\s\S]*<error message="[^"]+" type="refused">/);
    assert.match(read('nobody.tap'), /^Bail out! /m);
  });

  it('is three lines', async () => {
    const { status, stdout, stderr } = await verify(nobody, []);
    assert.equal(status, 3);
    assert.equal(stdout, '');
    assert.match(
      stderr,
      /^cause: No connection to 127\.0\.0\.1:1: .*\nfix: .*\nnext: {2}authcli verify --wait 60s --url http:\/\/127\.0\.0\.1:1\/callback\n$/,
    );
  });

  it('waits for it', async () => {
    const endpoint = await serve(application());
    const { port } = endpoint.url;
    await endpoint.close();
    const waiting = verify(endpoint.url, [
      '--wait',
      '20s',
      '--check',
      'key-exchange/answers-success',
    ]);
    await new Promise((resolve) => setTimeout(resolve, 400));
    const { startServer } = await import('../../src/emulator/server.ts');
    const server = await startServer({
      host: '127.0.0.1',
      port: Number(port),
      handle: application(),
    });
    assert.equal((await waiting).status, 0);
    await server.close();
  });

  it('waits no longer than it should', { timeout: 60_000 }, async () => {
    assert.equal((await verify(nobody, ['--wait', '300ms'])).status, 3);
  });
});

describe('verify refuses, before anything is sent,', () => {
  before(() => {
    writeFileSync(path('empty.txt'), '\n');
    writeFileSync(path('bad.json'), '{}');
  });

  for (const [argv, message] of [
    [
      ['--check', 'wraps-kye'],
      /No check matches "wraps-kye"\.[\s\S]*Did you mean "key-exchange\/wraps-key"\?/,
    ],
    [['--skip', 'nothing-such'], /No check matches "nothing-such"\./],
    [['--check', 'protocol/tls', '--skip', 'protocol'], /leaves no check to run/],
    [['--report', 'jnuit=x.xml'], /--report: "jnuit" is not one of [\s\S]*Did you mean "junit"\?/],
    [['--report', 'x.xml'], /"x\.xml" is not KIND=FILE\./],
    [['--report', 'json=missing/x.json'], /--report: missing\/x\.json can't be written \(ENOENT\)/],
    [['--report', 'json=x', '--report', 'tap=x'], /--report: x is given twice/],
    [['--format', 'gitlab'], /--format: "gitlab" is not one of human, github, tap/],
    [['--users', '1'], /--users: "1" is not a whole number from 2 to 200/],
    [['--user-codes', 'empty.txt'], /--user-codes: The file contains no user codes/],
    [['--user-codes', 'absent.txt'], /--user-codes: the file "absent\.txt" can't be read/],
    [['--expect', 'absent.json'], /--expect: absent\.json can't be read \(ENOENT\)/],
    [['--expect', 'bad.json'], /--expect: The file of known failures does not say "schema"/],
    [['--update-expect'], /--update-expect needs --expect/],
    [['--wait', 'soon'], /--wait: "soon" is not a duration/],
  ] as const) {
    it(argv.join(' '), async () => {
      await withEndpoint(application(), async ({ url, requests }) => {
        const { status, stderr, stdout } = await verify(url, argv);
        assert.equal(status, 2);
        assert.match(stderr, message);
        assert.equal(stdout, '');
        assert.equal(requests.length, 0);
      });
    });
  }

  it('a run without a URL', async () => {
    const { status, stderr } = await run(['verify'], { configFile: path('config.json') });
    assert.equal(status, 2);
    assert.match(stderr, /verify needs --url[\s\S]*AUTHCLI_URL/);
  });
});

describe('verify in other clothes', () => {
  it('writes TAP and annotations to standard output', async () => {
    const tap = await verifyApplication(['hex'], ['--format', 'tap', '--bail']);
    assert.match(tap.stdout, /^TAP version 14\n1\.\.\d+\nok 1 - /);
    const env = { GITHUB_STEP_SUMMARY: path('summary.md') };
    const github = await verifyApplication(['hex'], ['--format', 'github', '--bail'], { env });
    assert.match(github.stdout, /^::error title=key-exchange\/wraps-key::/);
    assert.match(read('summary.md'), /^## authcli verify: /);
  });

  it('writes every kind of report', async () => {
    const kinds = ['json', 'junit', 'html', 'markdown', 'tap', 'har'];
    const argv = kinds.flatMap((kind) => ['--report', `${kind}=all.${kind}`]);
    const { stdout } = await verifyApplication(['hex'], [...argv, '--json']);
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
