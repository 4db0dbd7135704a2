import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { describe, it } from 'node:test';
import { checks as catalogue } from '../../src/conformance/catalogue.ts';
import { startServer } from '../../src/emulator/server.ts';
import { AuthcliError } from '../../src/errors.ts';
import { application, serve } from '../conformance/support.ts';
import { documentOf, withEndpoint, workspace } from './workspace.ts';

const { path, save, read, cli, verify, verifyApplication } = workspace();
const ofKeys = ['--check', 'key-exchange'];
const missingPasscode = ['--check', 'registration/rejects-missing-passcode'];
const success = ['--check', 'key-exchange/answers-success'];
const kinds = ['json', 'junit', 'html', 'markdown', 'har'];
const nobody = 'http://127.0.0.1:1/callback';

describe('verify', () => {
  it('exits 0 where every check passes, and says that the sign-in was not checked', async () => {
    const { status, stdout, stderr } = await verifyApplication([], []);
    assert.deepEqual([status, stderr], [0, ''], stdout);
    for (const group of ['key-exchange', 'registration', 'protocol']) {
      const count = catalogue.filter(({ id }) => id.startsWith(`${group}/`)).length;
      assert.match(stdout, new RegExp(`\n  ✓ ${group} +${count} passed\n`));
    }
    assert.match(stdout, new RegExp(`✓ ${catalogue.length} passed\\.\n$`));
    const left = /\nThe sign-in was not checked\.\n/;
    assert.match(stdout, left);
    const keys = await verifyApplication([], [...ofKeys, '--verbose']);
    assert.doesNotMatch(keys.stdout, left);
    for (const { id } of catalogue)
      assert.equal(keys.stdout.includes(`✓ ${id} `), id.startsWith('key-exchange/'), id);
  });

  it('exits 1 where a must was not tested, unless that is expected', async () => {
    save('one.txt', 'alice\n');
    const argv = ['--user-codes', 'one.txt', '--expect', 'one.json'];
    save('one.json', '{"schema":"authcli/expect/1","known_failures":[]}');
    const { status, stdout, stderr } = await verifyApplication([], argv);
    assert.equal(status, 1, stdout);
    assert.match(
      stdout,
      /requirements? w\w+ not tested \(.*\): It signs up 2 users, and only one user/,
    );
    assert.match(stderr, /^error: 4 of \d+ requirements not tested: key-exchange\/key-per-user, /);
    await verifyApplication([], [...argv, '--update-expect']);
    const known = await verifyApplication([], [...argv, '--json']);
    assert.deepEqual([known.status, documentOf(known.stdout).summary.incomplete], [0, 4]);
  });

  it('shows more under --verbose, and under --quiet nothing but what failed', async () => {
    const { stdout } = await verifyApplication(['oaep-sha1'], [...ofKeys, '--verbose']);
    for (const shown of [
      /\n {2}key-exchange\/wraps-key\n +Section .*\n +Expected .*\n +Observed .*\n/,
      /\n +curl --request POST .*'X-Authcli-Check: key-exchange\/wraps-key'/,
      /\n +authcli verify --check key-exchange\/wraps-key --seed \w+ --url http/,
    ])
      assert.match(stdout, shown);
    const quiet = await verifyApplication(['oaep-sha1'], [...ofKeys, '--quiet']);
    assert.match(quiet.stdout, /^\n✗ key-exchange\/wraps-key /);
    assert.doesNotMatch(quiet.stdout, /✓ key-exchange/);
    assert.match(quiet.stderr, /^error: 1 of \d+ checks failed: key-exchange\/wraps-key\.\n$/);
  });

  it('exits 0 with a warning, and 1 for it under --strict', async () => {
    const check = ['--check', 'key-exchange/rejects-foreign-client'];
    const faults = ['accepts-foreign-client'];
    const lenient = await verifyApplication(faults, check);
    assert.equal(lenient.status, 0);
    assert.match(lenient.stdout, /✓ 1 warned\.\n$/);
    assert.equal((await verifyApplication(faults, [...check, '--strict'])).status, 1);
  });

  for (const [faults, argv, code, failed] of [
    [['accepts-foreign-client'], [], undefined, []],
    [['base64url'], ofKeys, 'base64url', [['key-exchange/wraps-key', 'base64url']]],
    // A connection that fails once the endpoint has responded; where no check could be judged.
    [['dies-of-bad-input'], [], 'reset', undefined],
    [['refuses-user-info'], missingPasscode, 'code-not-success', []],
  ] as const) {
    it(`prints one JSON document that the published schema describes: ${faults}`, async () => {
      const { status, stdout } = await verifyApplication(faults, [...argv, '--json']);
      const { ok, command, error, summary, checks, controls } = documentOf(stdout);
      const isRight = code === undefined;
      assert.deepEqual([status, ok, command], [isRight ? 0 : 1, isRight, 'verify']);
      assert.equal(error?.code, code);
      const counts = Object.values<number>(summary).reduce((sum, count) => sum + count);
      assert.equal(counts, checks.length);
      const found = checks.filter((check: { status: string }) => check.status === 'failed');
      const codes = found.map(({ id, diagnosis }: (typeof checks)[0]) => [id, diagnosis?.code]);
      if (failed !== undefined) assert.deepEqual(codes, failed);
      if (argv !== missingPasscode) return;
      assert.match(error.message, /^No check could be judged: /);
      assert.deepEqual(
        [checks[0].status, controls.at(-1).id],
        ['skipped', 'registration/answers-success'],
      );
    });
  }

  it('hides keys and passcodes, unless they are asked for', async () => {
    const argv = ['--report', 'har=secret.har', '--report', 'html=secret.html', '--json'];
    const seen: string[] = [];
    const app = application('leaks-key-in-message', 'accepts-missing-passcode');
    const handle = async (request: Parameters<typeof app>[0]) => {
      const response = await app(request);
      seen.push(...(/key=(\w{32})/.exec(Buffer.from(response.body).toString())?.slice(1) ?? []));
      return response;
    };
    await withEndpoint(handle, async ({ url }) => {
      const { stdout } = await verify(url, argv);
      assert.ok(seen.length > 40);
      const texts = [stdout, read('secret.har'), read('secret.html')];
      for (const key of seen) for (const text of texts) assert.ok(!text.includes(key));
      const shown = await verify(url, [...ofKeys, '--json', '--show-secrets']);
      assert.ok(seen.some((key) => shown.stdout.includes(key)));
    });
  });

  it('lists the checks without an endpoint, and a selection for programs', async () => {
    const { status, stdout } = await cli(['verify', '--list']);
    assert.equal(status, 0);
    for (const { id, title } of catalogue) assert.ok(stdout.includes(id) && stdout.includes(title));
    const selection = ['--check', 'registration/*', '--skip', '*/rejects-*', '--json'];
    const { ok, checks } = JSON.parse((await cli(['verify', '--list', ...selection])).stdout);
    const fields = Object.keys(checks[0]).slice(0, 5).join();
    assert.deepEqual([ok, checks.length, fields], [true, 7, 'id,title,section,sentence,level']);
  });

  it('writes every kind of report, and annotations to standard output', async () => {
    const argv = kinds.flatMap((kind) => ['--report', `${kind}=all.${kind}`]);
    const { stdout } = await verifyApplication(['hex'], [...ofKeys, ...argv, '--json']);
    for (const kind of kinds)
      assert.match(read(`all.${kind}`), /requirements\W+(?:\w+\W+){0,3}1\b/i, kind);
    assert.deepEqual(JSON.parse(read('all.json')), JSON.parse(stdout));
    const env = { GITHUB_STEP_SUMMARY: path('summary.md'), GITHUB_ACTIONS: 'true' };
    const bail = ['--bail', '--stack', 'java'];
    const github = await verifyApplication(['oaep-sha1'], bail, { env });
    assert.match(github.stdout, /^::error title=key-exchange\/wraps-key::/);
    assert.match(read('summary.md'), /^## authcli verify: .*\n- Java: `Cipher\.getInstance\("/s);
    const human = await verifyApplication([], [...success, '--format', 'human'], { env });
    assert.match(human.stdout, /^Verifying /);
  });

  it('replaces its own report, and in a pipeline never that of another target', async (test) => {
    const one = await serve(application());
    const other = await serve(application());
    for (const endpoint of [one, other]) test.after(() => endpoint.close());
    const urls = [`${one.url}?a=b&c='d'`, `${other.url}`];
    const reports = (file: string) => [...success, '--report', file];
    const inPipeline = { env: { CI: 'true' } };
    for (const kind of kinds) {
      for (const which of [0, 0, 1, 0]) {
        const argv = reports(`${kind}=f.${kind}`);
        const { status, stderr } = await verify(urls[which] ?? '', argv, inPipeline);
        assert.equal(status, which * 2, `${kind}: ${stderr}`);
      }
    }
    const { stderr } = await verify(other.url, reports('junit=f.junit'), inPipeline);
    assert.match(stderr, /f\.junit is the report of authcli verify ht.*\nnext: .*=f-\{name\}\.j/s);
    for (const url of urls) await verify(url, reports('junit={name}.xml'));
    for (const { port } of [one.url, other.url])
      assert.ok(existsSync(path(`127-0-0-1-${port}-callback.xml`)));
    assert.equal((await verify(other.url, reports('junit=f.junit'))).status, 0);
    save('f.xml', '<testsuite/>');
    const load = ['load', '--url', urls[0] ?? '', '--signups', '1', '--report', 'json=f.json'];
    for (const argv of [load, ['verify', '--url', urls[0] ?? '', ...reports('junit=f.xml')]])
      assert.equal((await cli(argv, inPipeline)).status, 2);
    assert.equal(read('f.xml'), '<testsuite/>');
  });

  it('uses the user codes that are given', async () => {
    save('codes.txt', 'alice\nbob\ncarol\n');
    const argv = ['--user-codes', 'codes.txt', '--check', 'registration', '--json'];
    const { users, summary } = JSON.parse((await verifyApplication([], argv)).stdout);
    assert.deepEqual([users.sort(), summary.passed], [['alice', 'bob', 'carol'], 10]);
  });
});

describe('verify of what is not there', () => {
  it('exits 3, with reports that say so', async () => {
    const { status, stdout } = await verify(nobody, ['--report', 'junit=nobody.xml', '--json']);
    assert.deepEqual([status, documentOf(stdout).error.code], [3, 'refused']);
    assert.match(read('nobody.xml'), /errors="1"[\s\S]*<error message="[^"]+" type="refused">/);
  });

  it('waits for it, no longer than it should', { timeout: 60_000 }, async () => {
    assert.equal((await verify(nobody, ['--wait', '300ms'])).status, 3);
    const endpoint = await serve(application());
    await endpoint.close();
    const waiting = verify(endpoint.url, ['--wait', '20s', ...success]);
    await new Promise((resolve) => setTimeout(resolve, 400));
    const port = Number(endpoint.url.port);
    const ready = application();
    // A proxy in front of it first, and routes that come last.
    const early = [502, 404, 405, 501];
    const handle: typeof ready = async (request) => {
      const status = early.shift();
      return status ? { status, headers: {}, body: new Uint8Array() } : ready(request);
    };
    const server = await startServer({ host: '127.0.0.1', port, handle });
    const { status, stdout } = await waiting;
    assert.deepEqual([status, early], [0, []], stdout);
    await server.close();
  });

  it('judges what is still not handled when the wait is over, and what has a code at once', async () => {
    for (const [body, wait] of [
      ['', '600ms'],
      ['{"code":"1001","message":""}', '1h'],
    ] as const) {
      const found = { status: 404, headers: {}, body: Buffer.from(body) };
      const { url, close, requests } = await serve(async () => found);
      const { status, stdout } = await verify(url, ['--wait', wait, '--bail', ...success]);
      assert.deepEqual([status, /status 404/.test(stdout)], [1, true], stdout);
      assert.equal(requests[0]?.body.toString() === requests[1]?.body.toString(), body === '');
      await close();
    }
  });
});

describe('verify refuses, before anything is sent,', () => {
  save('empty.txt', '\n');
  save('bad.json', '{}');
  for (const [line, message] of [
    ['--check protocol/tls --skip protocol', /leaves no check to run/],
    ['--report jnuit=x.xml', /--report: "jnuit" is not one of [\s\S]*Did you mean "junit"\?/],
    ['--report x.xml', /"x\.xml" is not KIND=FILE\./],
    ['--report json=missing/x.json', /--report: missing\/x\.json can't be written \(ENOENT\)/],
    ['--report json=x --report html=x', /--report: x is given twice/],
    ['--requirements 2', /There is no version "2" .*\nfix: {3}The versions: 1\. /],
    ['--user-codes empty.txt', /--user-codes: The file contains no user codes/],
    ['--expect bad.json', /--expect: The file of known failures has no "schema"/],
    ['--update-expect', /--update-expect needs --expect/],
    ['--times 3', /--times needs --every/],
    ['--every 5m --metrics 9464', /is not HOST:PORT/],
    ['--safe --check registration/latest-key', /not part of the production subset/],
  ] as const) {
    it(line, async () => {
      await withEndpoint(application(), async ({ url, requests }) => {
        const { status, stderr, stdout } = await verify(url, line.split(' '));
        assert.match(stderr, message);
        assert.deepEqual([status, stdout, requests.length], [2, '', 0]);
        assert.ok(!existsSync(path('x')), 'no empty report is left behind');
      });
    });
  }

  it('a run without a URL', async () => {
    const { status, stderr } = await cli(['verify']);
    assert.equal(status, 2);
    assert.match(stderr, /verify needs --url[\s\S]*AUTHCLI_URL/);
  });
});

describe('verify that is stopped', () => {
  /** Stopped when that request comes. */
  async function stopped(
    at: number,
    argv: readonly string[],
    code: 'interrupted' | 'terminated' = 'interrupted',
    handle = application(),
  ) {
    const controller = new AbortController();
    let requests = 0;
    return withEndpoint(
      async (request) => {
        requests += 1;
        if (requests === at) controller.abort(new AuthcliError(code, 'Stopped.'));
        return handle(request);
      },
      ({ url }) => verify(url, argv, { signal: controller.signal }),
    );
  }

  it('exits 143 on SIGTERM, with the reports of what ran', async () => {
    const argv = ['--json', '--report', 'junit=stopped.xml'];
    const { status, stdout } = await stopped(20, argv, 'terminated');
    const { error, interrupted, summary } = documentOf(stdout);
    assert.deepEqual([status, error.code, interrupted], [143, 'interrupted', true]);
    assert.ok(summary.passed > 3 && summary.skipped > 10);
    assert.match(read('stopped.xml'), /<\/testsuites>\n$/);
  });

  it('stops while it waits for a response too, with a report of checks that did not run', async () => {
    const unavailable = async () => ({ status: 503, headers: {}, body: new Uint8Array() });
    const argv = ['--json', '--wait', '1h', '--report', 'json=waiting.json'];
    const { status, stdout } = await stopped(2, argv, 'interrupted', unavailable);
    const { error, summary } = documentOf(stdout);
    assert.deepEqual([status, error.code, summary.passed], [130, 'interrupted', 0]);
    assert.equal(JSON.parse(read('waiting.json')).interrupted, true);
  });

  it('prints what ran and the summary, and no line for each check that did not', async () => {
    const { stdout } = await stopped(20, []);
    assert.match(stdout, /· key-exchange {2}\d+ of 14 passed\n/);
    assert.doesNotMatch(stdout, / skipped: | was skipped /);
    assert.match(stdout, /\nThe run was interrupted; the remaining checks were skipped\.\n/);
    assert.match(stdout, /\d+ skipped\.\n$/);
  });
});
