import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { runWatched } from '../../src/cli/process/children.ts';
import { checks as callbackChecks } from '../../src/conformance/catalogue.ts';
import { signinChecks } from '../../src/conformance/signin-catalogue.ts';
import { AuthcliError } from '../../src/errors.ts';
import { freePort } from '../support/free-port.ts';
import { violations } from '../support/json-schema.ts';
import { bin, isRunning, start } from '../support/program.ts';
import { parentProcess, type RunEnvironment, run } from '../support/run.ts';
import { signinProgram } from '../support/signin-program.ts';
import { secretKey, wholeApplication } from '../support/whole-application.ts';

const folder = mkdtempSync(join(tmpdir(), 'authcli-verify-signin-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const path = (name: string) => join(folder, name);
const read = (name: string) => readFileSync(path(name), 'utf8');
const schema = JSON.parse(readFileSync('schemas/verify-1.json', 'utf8'));
const script = resolve('test/interop/node/applications/sign-in.mjs');

interface CheckJson {
  readonly id: string;
  readonly status: string;
  readonly reason?: string;
  readonly observed?: string;
  readonly harm?: string;
  readonly diagnosis?: { readonly code: string };
  readonly repeat?: { readonly command: string; readonly curl?: string };
}

const verify = (argv: readonly string[], environment: Partial<RunEnvironment> = {}) =>
  run(['verify', ...argv], { configFile: path('config.json'), cwd: folder, ...environment });

const brief = ['--check', 'signin/accepts-right-sign-in', '--check', 'signin/rejects-token-code'];

describe('verify --signin -- COMMAND', () => {
  it('exits 0 for a right one, in the published form, and shows no secret', async () => {
    const secret = ['--secret-key', secretKey];
    const { status, stdout, stderr } = await verify([
      ...['--json', ...secret, ...brief, '--signin', '--'],
      ...[process.execPath, script],
    ]);
    const document = JSON.parse(stdout);
    assert.equal(status, 0, stdout);
    assert.equal(stderr, '');
    assert.deepEqual(violations(document, schema), []);
    assert.deepEqual(document.summary, { passed: 2, failed: 0, warned: 0, skipped: 0 });
    assert.equal(document.requests, 0);
    assert.equal(document.command, 'verify');
    assert.ok(document.target.endsWith(script), document.target);
    assert.equal('url' in document, false);
    assert.equal(document.checks[0].exchanges[0].received, true);
    assert.ok(!stdout.includes(secretKey));
  });

  it('leaves out the URL that the profile has under --no-url, also when it is repeated', async () => {
    const configFile = path('with-url.json');
    await run(['config', 'set', 'url', 'http://127.0.0.1:1/callback'], { configFile });
    const command = ['--signin', '--', process.execPath, script];
    const { status, stdout } = await verify(['--json', '--no-url', ...brief, ...command], {
      configFile,
    });
    assert.equal(status, 0, stdout);
    assert.equal(JSON.parse(stdout).requests, 0);
    const wrong = await verify(['--no-url', ...brief, ...command, 'swallows'], { configFile });
    assert.match(wrong.stderr, /^next: {2}authcli verify --failed --no-url --signin -- /m);
    const both = await verify(['--no-url', '--url', 'http://127.0.0.1:1/', ...command]);
    assert.equal(both.status, 2);
    assert.match(both.stderr, /--url and --no-url exclude each other/);
  });

  it('exits 1 for a wrong one, with how to repeat it, and writes every kind of report', async () => {
    const kinds = ['json', 'junit', 'html', 'markdown', 'har'];
    const reports = kinds.flatMap((kind) => ['--report', `${kind}=wrong.${kind}`]);
    const wire = ['--trace', '--har', 'wire.har'];
    const argv = [...reports, ...wire, '--secret-key', secretKey, ...brief, '--signin', '--'];
    const { status, stdout, stderr } = await verify([
      ...argv,
      process.execPath,
      script,
      'swallows',
    ]);
    assert.equal(status, 1);
    assert.match(
      stdout,
      /cause: The application signed authcli-\w+ in \(exit status 0\) although the token request/,
    );
    assert.match(stderr, /^next: {2}authcli verify --failed --signin -- \S*node/m);
    assert.match(stderr, /^error: 1 of 2 checks failed: signin\/rejects-token-code\./m);
    for (const kind of kinds) {
      const text = read(`wrong.${kind}`);
      assert.ok(text.includes('signin/rejects-token-code'), kind);
      assert.ok(!text.includes(secretKey), kind);
    }
    assert.match(stderr, /POST \/v1\/process\/token/);
    assert.ok(!stderr.includes(secretKey));
    assert.ok(JSON.parse(read('wire.har')).log.entries.length >= 4);
    assert.match(read('wrong.junit'), /hostname="localhost"/);
    assert.match(read('wrong.html'), /token, received in a sign-in that must be rejected/);
    assert.doesNotMatch(read('wrong.html'), /href="#times"/);
    const { checks } = JSON.parse(read('wrong.json')) as { checks: readonly CheckJson[] };
    assert.equal(checks[1]?.repeat?.curl, undefined);
  });

  it('names the worst failure first, and keeps the order of the checks in JSON', async () => {
    const post = `(path, fields) => fetch(process.env.AUTHCLI_AUTH_URL + path, { method: 'POST',
      headers: { 'content-type': 'application/json' }, body: JSON.stringify({
      client_id: process.env.AUTHCLI_CLIENT_ID, secret_key: process.env.AUTHCLI_SECRET_KEY, ...fields }) })`;
    const program = `const post = ${post};
      const { result } = await (await post('/process/token', { ptn_token: process.env.AUTHCLI_PTN_TOKEN })).json();
      await post('/process/authenticate', { acs_token: result?.acs_token ?? 'none' });`;
    const check = ['--check', 'signin/content-type', '--check', 'signin/rejects-token-code'];
    const argv = [...check, '--report', 'json=worst.json', '--signin', '--'];
    const { status, stdout, stderr } = await verify([
      ...argv,
      ...[process.execPath, '--input-type=module', '-e', program],
    ]);
    assert.equal(status, 1);
    assert.match(stderr, /error: 2 of 2 checks failed: signin\/rejects-token-code and 1 more\./);
    assert.match(stdout, /\n✗ signin\/rejects-token-code[\s\S]*\n✗ signin\/content-type/);
    const { checks } = JSON.parse(read('worst.json')) as { checks: readonly CheckJson[] };
    assert.deepEqual(
      checks.map(({ id, harm }) => [id, harm]),
      [
        ['signin/content-type', undefined],
        ['signin/rejects-token-code', 'lets-in'],
      ],
    );
  });

  it('passes a given user to the command, and shows under --verbose what it prints', async () => {
    const program =
      'console.log(process.env.AUTHCLI_PTN_CD, process.env.AUTHCLI_KEY);process.exit(7)';
    const user = ['--ptn-cd', 'alice', '--key', 'k'.repeat(32), '--super-passcode', 'p-123456'];
    const argv = [
      ...brief,
      ...user,
      '--verbose',
      '--signin',
      '--',
      process.execPath,
      '-e',
      program,
    ];
    const { status, stderr, stdout } = await verify(argv);
    assert.equal(status, 1);
    assert.match(stdout, /observed +exit status 7, without a request to the service/);
    assert.match(stderr, /command: exit status 7\n {2}alice \[redacted\]\n/);
  });

  it('signs users up at the callback, of whom the command learns nothing', async () => {
    const app = await wholeApplication(signinProgram('plain'));
    const file = path('users.json');
    const told = `if(process.env.AUTHCLI_KEY||process.env.AUTHCLI_PTN_CD)process.exit(3);process.argv.push('-','','${file}');await import('${pathToFileURL(script)}')`;
    const keep = (): void => {
      const rows = [...app.users.values()].map(({ ptnCd, key, superPasscode }) => [
        ptnCd,
        { key, passcode: superPasscode },
      ]);
      writeFileSync(file, JSON.stringify(rows));
    };
    app.onSignUp(keep);
    const check = [
      '--check',
      'signin/accepts-right-sign-in',
      '--check',
      'signin/rejects-other-user',
    ];
    const command = [process.execPath, '--input-type=module', '-e', told];
    const env = { AUTHCLI_KEY: 'k'.repeat(32), AUTHCLI_PTN_CD: 'somebody' };
    const { status, stdout } = await verify(
      ['--url', app.callbackUrl, ...check, '--json', '--signin', '--', ...command],
      {
        context: {
          runWatched: (child) => runWatched(child, parentProcess(env)),
        },
      },
    );
    await app.close();
    assert.equal(status, 0, stdout);
    assert.equal(JSON.parse(stdout).users.length, 4);
  });

  it('runs the sign-ins at a port that is given one after another', async () => {
    const port = String(await freePort());
    const argv = ['--auth-port', port, ...brief, '--signin', '--', process.execPath, script];
    assert.equal((await verify(argv)).status, 0);
    const taken = createServer().listen(Number(port), '127.0.0.1');
    const { status, stderr } = await verify(argv);
    await new Promise((closed) => taken.close(closed));
    assert.equal(status, 2);
    assert.match(stderr, /can't listen on 127\.0\.0\.1, port \d+: the port is already in use/);
  });

  it('exits 2 where there is no such command, and names it', async () => {
    const { status, stderr } = await verify(['--signin', '--', 'no-such-command-of-anybody', 'x']);
    assert.equal(status, 2);
    assert.match(stderr, /The command "no-such-command-of-anybody" can't be run \(ENOENT\)/);
  });

  it('ends a command that hangs, and the processes that it has started', async () => {
    const { argv, pids } = hanging('time');
    const { status, stdout } = await verify(['--timeout', '4s', '--json', ...brief, ...argv]);
    const { error, checks } = JSON.parse(stdout);
    assert.equal(status, 1);
    assert.equal(error.code, 'timeout');
    assert.match(checks[0].observed, /^still running after 4 s, and ended/);
    assert.equal(pids().length, 2);
    for (const pid of pids()) assert.ok(await isGone(pid), `${pid} is still running`);
  });

  it('ends everything on a signal, with the reports of what ran', async () => {
    const { argv, pids } = hanging('signal');
    const controller = new AbortController();
    const reports = ['--report', 'junit=stopped.xml', '--timeout', '60s'];
    const running = verify(['--json', ...reports, ...brief, ...argv], {
      signal: controller.signal,
    });
    while (pids().length < 2) await delay(20);
    controller.abort(new AuthcliError('interrupted', 'Interrupted.'));
    const { status, stdout } = await running;
    assert.equal(status, 130);
    assert.equal(JSON.parse(stdout).interrupted, true);
    assert.match(read('stopped.xml'), /<\/testsuites>\n$/);
    for (const pid of pids()) assert.ok(await isGone(pid), `${pid} is still running`);
  });
});

describe('the installed program with --signin', () => {
  it('ends the command and what it has started when it is interrupted', async () => {
    const { argv, pids } = hanging('interrupt');
    const config = ['--config', path('config.json')];
    const line = [bin, 'verify', '--json', '--timeout', '60s', ...config, ...brief, ...argv];
    const { child, ended } = start(process.execPath, line);
    while (pids().length < 2) await delay(20);
    child.kill('SIGINT');
    const { status, stdout } = await ended;
    assert.equal(status, 130);
    assert.equal(JSON.parse(stdout).interrupted, true);
    for (const pid of pids()) assert.ok(await isGone(pid), `${pid} is still running`);
  });
});

describe('verify without --signin', () => {
  it('lists the checks of the sign-in, and runs none of them', async () => {
    const { stdout } = await verify(['--list', '--json']);
    const ids = (JSON.parse(stdout) as { checks: CheckJson[] }).checks.map(({ id }) => id);
    assert.deepEqual(
      ids,
      [...callbackChecks, ...signinChecks].map(({ id }) => id),
    );
    assert.match((await verify(['--list'])).stdout, /The signin checks need --signin/);
  });

  for (const [argv, message] of [
    [['--check', 'signin/method', '--url', 'http://127.0.0.1:1'], /signin checks need --signin/],
    [['--check', 'signin/methd', '--url', 'http://127.0.0.1:1'], /Did you mean "signin\/method"/],
    [['--signin'], /--signin needs a command after --/],
    [
      ['--url', 'http://127.0.0.1:1', '--', 'true'],
      /A command after -- is only used with --signin/,
    ],
    [['--signin', '--signin-url', 'http://127.0.0.1:1'], /exclude each other/],
    [['--signin-url', 'http://127.0.0.1:1'], /needs --auth-port/],
    [['--signin-url', 'http://127.0.0.1:1', '--auth-port', '1'], /needs a user that the applicat/],
    [
      ['--signin', '--ptn-cd', 'bob', '--', 'true'],
      /The key of the user "bob" is not stored in this profile/,
    ],
    [['--signin', '--check', 'registration', '--', 'true'], /verify needs --url/],
    [['--signin', '--auth-port', '70000', '--', 'true'], /--auth-port: "70000" is not a whole/],
  ] as const) {
    it(`exits 2 for ${argv.join(' ')}`, async () => {
      const { status, stderr } = await verify(argv);
      assert.equal(status, 2, stderr);
      assert.match(stderr, message);
    });
  }
});

/** A command that never ends and takes no SIGTERM, with a child that doesn't either; both write their ids. */
function hanging(name: string) {
  const file = path(`${name}.pids`);
  const stay = `process.on('SIGTERM',()=>{});require('fs').appendFileSync(process.env.PIDS,process.pid+'\\n');setInterval(()=>{},1000);`;
  const inner = path(`${name}-inner.cjs`);
  const outer = path(`${name}-outer.cjs`);
  writeFileSync(inner, stay.replace('process.env.PIDS', JSON.stringify(file)));
  writeFileSync(
    outer,
    `require('child_process').spawn(process.execPath,[${JSON.stringify(inner)}],{stdio:'inherit'});${stay.replace('process.env.PIDS', JSON.stringify(file))}`,
  );
  return {
    argv: ['--signin', '--', process.execPath, outer],
    pids: () =>
      existsSync(file)
        ? readFileSync(file, 'utf8').trim().split('\n').filter(Boolean).map(Number)
        : [],
  };
}

async function isGone(pid: number): Promise<boolean> {
  for (let looks = 0; looks < 1000 && isRunning(pid); looks += 1) await delay(20);
  return !isRunning(pid);
}
