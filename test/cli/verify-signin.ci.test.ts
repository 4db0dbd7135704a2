import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { createServer } from 'node:http';
import { resolve } from 'node:path';
import { json } from 'node:stream/consumers';
import { describe, it, type TestContext } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { runChild } from '../../src/cli/process/children.ts';
import { checks as callbackChecks } from '../../src/conformance/catalogue.ts';
import { signinChecks } from '../../src/conformance/signin-catalogue.ts';
import { startApplication } from '../../src/index.ts';
import { listen } from '../support/fault-server.ts';
import { freePort } from '../support/free-port.ts';
import { bin, isRunning, start } from '../support/program.ts';
import { parentProcess, type RunEnvironment } from '../support/run.ts';
import { signinProgram } from '../support/signin-program.ts';
import { documentOf, workspace } from './workspace.ts';

const { path, configFile, save, read, cli } = workspace();
const { execPath } = process;
const script = resolve('test/interop/node/sign-in.mjs');
/** With time for commands on a machine that has much to do. */
const verify = (argv: readonly string[], changes: Partial<RunEnvironment> = {}) =>
  cli(['verify', ...argv], { env: { AUTHCLI_TIMEOUT: '60s' }, ...changes });
const idsOf = (checks: readonly { id: string; status: string }[], status: string) =>
  checks.filter((each) => each.status === status).map(({ id }) => id);
const secretKey = 'a-secret-key-of-the-tests';
const account = ['--secret-key', secretKey];

/** The emulated application for the callbacks, and a sign-in with the same users. */
async function wholeApplication(
  test: TestContext,
  program: Parameters<typeof signinProgram>[0],
  options: Parameters<typeof startApplication>[0] = {},
) {
  const signIn = signinProgram(program);
  const app = await startApplication(options);
  const { clientId } = app;
  const port = await freePort();
  const signins: unknown[] = [];
  const server = createServer(async (request, response) => {
    const { ptn_token: ptnToken } = (await json(request)) as { readonly ptn_token: string };
    signins.push(ptnToken);
    const users = new Map(app.users().map((user) => [user.ptnCd, { superPasscode: '', ...user }]));
    const input = { authUrl: `http://127.0.0.1:${port}`, clientId, secretKey, ptnToken, users };
    const status = await signIn(input, () => {}).then(
      () => 200,
      () => 401,
    );
    response.writeHead(status).end();
  });
  const { url, close } = await listen(server, 'http');
  const argv = ['--signin-url', url.href, '--auth-port', String(port), ...account];
  test.after(() => Promise.all([app.close(), close()]));
  return { app, signins, argv };
}

const brief = ['--check', 'signin/accepts-right-sign-in', '--check', 'signin/rejects-token-code'];

describe('verify --signin -- COMMAND', () => {
  it('exits 0 for a right one, in the published form, and shows no secret', async () => {
    const argv = ['--json', ...account, ...brief, '--signin', '--', execPath, script];
    const { status, stdout, stderr } = await verify(argv);
    assert.deepEqual([status, stderr], [0, ''], stdout);
    const { summary, requests, target, url, checks } = documentOf(stdout);
    assert.deepEqual(summary, { passed: 2, failed: 0, warned: 0, incomplete: 0, skipped: 0 });
    assert.deepEqual([requests, url, checks[0].exchanges[0].received], [0, undefined, true]);
    assert.ok(target.endsWith(script), target);
  });

  it('exits 1 for a wrong one, with how to repeat it, and writes every kind of report', async () => {
    const kinds = ['json', 'junit', 'html', 'markdown', 'har'];
    const reports = kinds.flatMap((kind) => ['--report', `${kind}=wrong.${kind}`]);
    const wire = ['--trace', '--har', path('wire.har')];
    const command = ['--signin', '--', execPath, script, 'swallows'];
    const argv = [...reports, ...wire, ...account, ...brief, ...command];
    const { status, stdout, stderr } = await verify(argv);
    assert.equal(status, 1);
    assert.match(stdout, /cause: The application signed authcli-\w+ in \(exit status 0\) although/);
    assert.match(
      stderr,
      /^next: {2}authcli verify --check signin\/rejects-token-code --signin --/m,
    );
    assert.match(stderr, /^error: 1 of 2 checks failed: signin\/rejects-token-code\./m);
    for (const kind of kinds) {
      const text = read(`wrong.${kind}`);
      assert.ok(text.includes('signin/rejects-token-code'), kind);
      assert.ok(!text.includes(secretKey), kind);
    }
    assert.match(stderr, /POST \/v1\/process\/token/);
    assert.ok(JSON.parse(read('wire.har')).log.entries.length >= 3);
    assert.match(read('wrong.junit'), /hostname="localhost"/);
    assert.equal(JSON.parse(read('wrong.json')).checks[1].repeat?.curl, undefined);
  });

  it('passes a given user to the command, and shows under --verbose what it prints', async () => {
    const program =
      'console.log(process.env.AUTHCLI_PTN_CD, process.env.AUTHCLI_KEY);process.exit(7)';
    const user = ['--ptn-cd', 'alice', '--key', 'k'.repeat(32), '--super-passcode', 'p-123456'];
    const command = ['--signin', '--', execPath, '-e', program];
    const { status, stderr, stdout } = await verify([...brief, ...user, '--verbose', ...command]);
    assert.equal(status, 1);
    assert.match(stdout, /Observed +exit status 7, without a request to the service/);
    assert.match(stderr, /command: exit status 7\n {2}alice \[redacted\]\n/);
  });

  it('signs users up at the callback, of whom the command learns nothing', async () => {
    const onExchange = () => {
      const users = app
        .users()
        .map(({ ptnCd, key, superPasscode: passcode }) => [...[ptnCd, { key, passcode }]]);
      save('users.json', JSON.stringify(users));
    };
    const app = await startApplication({ onExchange });
    const told = `if(process.env.AUTHCLI_KEY||process.env.AUTHCLI_PTN_CD)process.exit(3);process.argv.push('-','','${path('users.json')}');await import('${pathToFileURL(script)}')`;
    const check = ['accepts-right-sign-in', 'rejects-other-user'];
    const checks = check.flatMap((id) => ['--check', `signin/${id}`]);
    const command = ['--signin', '--', execPath, '--input-type=module', '-e', told];
    const parent = parentProcess({ AUTHCLI_KEY: 'k'.repeat(32), AUTHCLI_PTN_CD: 'somebody' });
    const context: RunEnvironment['context'] = { runChild: (child) => runChild(child, parent) };
    const argv = ['--url', app.url, ...checks, '--json', ...command];
    const { status, stdout } = await verify(argv, { context });
    await app.close();
    assert.deepEqual([status, JSON.parse(stdout).users.length], [0, 4], stdout);
  });

  it('runs the sign-ins at a port that is given one after another', async () => {
    const port = String(await freePort());
    const argv = ['--auth-port', port, ...brief, '--signin', '--', execPath, script];
    assert.equal((await verify(argv)).status, 0);
    const taken = createServer().listen(Number(port), '127.0.0.1');
    const { status, stderr } = await verify(argv);
    await new Promise((closed) => taken.close(closed));
    assert.equal(status, 2);
    assert.match(stderr, /can't listen on 127\.0\.0\.1, port \d+: the port is already in use/);
  });

  it('ends a command that hangs, and the processes that it has started', async () => {
    const { argv, allEnded } = hanging('time');
    const { status, stdout } = await verify(['--timeout', '4s', '--json', ...brief, ...argv]);
    const { error, checks } = JSON.parse(stdout);
    assert.deepEqual([status, error.code], [1, 'timeout']);
    assert.match(checks[0].observed, /^still running after 4 s, and ended/);
    await allEnded();
  });

  it('ends everything when the installed program is interrupted, with the reports of what ran', async () => {
    const { argv, bothRun, allEnded } = hanging('interrupt');
    const report = ['--report', `junit=${path('stopped.xml')}`];
    const options = ['--json', '--timeout', '60s', '--config', configFile, ...report];
    const { child, ended } = start(execPath, [bin, 'verify', ...options, ...brief, ...argv]);
    await bothRun();
    child.kill('SIGINT');
    const { status, stdout } = await ended;
    assert.deepEqual([status, JSON.parse(stdout).interrupted], [130, true]);
    assert.match(read('stopped.xml'), /<\/testsuites>\n$/);
    await allEnded();
  });
});

/** A command that never ends and takes no SIGTERM, with a child that doesn't either; both write their ids. */
function hanging(name: string) {
  const file = path(`${name}.pids`);
  const stay = `process.on('SIGTERM',()=>{});require('fs').appendFileSync(${JSON.stringify(file)},process.pid+'\\n');setInterval(()=>{},1000);`;
  const [inner, outer] = [path(`${name}-inner.cjs`), path(`${name}-outer.cjs`)];
  save(`${name}-inner.cjs`, stay);
  const spawn = `require('child_process').spawn(process.execPath,[${JSON.stringify(inner)}],{stdio:'inherit'});`;
  save(`${name}-outer.cjs`, spawn + stay);
  const pids = () =>
    existsSync(file) ? read(`${name}.pids`).split('\n').filter(Boolean).map(Number) : [];
  return {
    argv: ['--signin', '--', execPath, outer],
    bothRun: async () => {
      while (pids().length < 2) await delay(20);
    },
    allEnded: async () => {
      assert.equal(pids().length, 2);
      for (let looks = 0; looks < 1000 && pids().some(isRunning); looks += 1) await delay(20);
      assert.deepEqual(pids().filter(isRunning), []);
    },
  };
}

describe('verify --signin-url', () => {
  /** With a user whose key and passcode are known. */
  async function withAlice(
    test: TestContext,
    program: Parameters<typeof signinProgram>[0],
    superPasscode = 'p-1Aa',
  ) {
    const secrets = { key: 'k'.repeat(32), superPasscode };
    const users = [{ ptnCd: 'alice', state: 'registered' as const, ...secrets }];
    const { argv } = await wholeApplication(test, program, { users });
    return [...argv, '--ptn-cd', 'alice', '--key', secrets.key, '--super-passcode', superPasscode];
  }

  it('signs users up at the callback, has them sign in, and passes a right application', async (test) => {
    const { app, signins, argv } = await wholeApplication(test, 'plain');
    const { status, stdout } = await verify(['--url', app.url, ...argv, '--json']);
    const { url, checks, summary } = documentOf(stdout);
    assert.deepEqual([status, url], [0, app.url], stdout);
    // The application's {auth_url} is fixed, and not https.
    assert.deepEqual(idsOf(checks, 'skipped'), ['signin/stays-on-https']);
    assert.equal(summary.passed, callbackChecks.length + signinChecks.length - 1);
    assert.ok(new Set(signins).size === signins.length && signins.length > 15);
    for (const { key } of app.users()) assert.ok(!stdout.includes(key));
  });

  it('signs a user in whose key and passcode are given', async (test) => {
    const { status, stdout } = await verify([...(await withAlice(test, 'plain')), '--json']);
    const { checks, summary } = JSON.parse(stdout);
    assert.deepEqual([status, idsOf(checks, 'skipped')], [1, ['signin/stays-on-https']], stdout);
    assert.deepEqual(idsOf(checks, 'incomplete'), ['signin/passcode-of-that-user']);
    assert.equal(summary.passed, signinChecks.length - 2);
  });

  it('blames nobody for a given passcode that a near one leaves as it is', async (test) => {
    const only = ['--check', 'signin/accepts-*', '--check', 'signin/compares-*'];
    const { status, stdout } = await verify([
      ...(await withAlice(test, 'plain', 'пароль')),
      ...only,
    ]);
    assert.equal(status, 0, stdout);
  });

  it('fails where a locked user keeps requirements from being tested', async (test) => {
    const only = ['--check', 'signin/rejects-*-code', '--check', 'signin/compares-*'];
    const { status, stdout, stderr } = await verify([...(await withAlice(test, 'locks')), ...only]);
    assert.equal(status, 1, stdout);
    assert.match(stdout, /requirements? (?:was|were) not tested \(signin\//);
    assert.match(stderr, /error: [2-5] of 5 requirements not tested: signin\//);
  });
});

describe('verify with and without the sign-in', () => {
  const url = ['--url', 'http://127.0.0.1:1'];
  const signinUrl = ['--signin-url', 'http://127.0.0.1:1', '--auth-port'];
  const alice = ['--ptn-cd', 'alice', '--key', 'k'.repeat(32), '--super-passcode', 'p'];
  for (const [argv, message] of [
    [['--check', 'signin/method', ...url], /signin checks need --signin/],
    [['--signin'], /--signin needs a command after --/],
    [[...url, '--', 'true'], /A command after -- is only used with --signin/],
    [['--signin-url', 'http://127.0.0.1:1'], /needs --auth-port/],
    [[...signinUrl, '1'], /needs a user that the applicat/],
    [['--signin', '--ptn-cd', 'bob', '--', 'true'], /key of the user "bob" is not stored in this/],
    [['--signin', '--check', 'registration', '--', 'true'], /verify needs --url/],
    [['--signin', '--', 'no-such-command', 'x'], /"no-such-command" can't be run \(ENOENT\)/],
  ] as const) {
    it(`exits 2 for ${argv.join(' ')}`, async () => {
      const { status, stderr } = await verify(argv);
      assert.equal(status, 2, stderr);
      assert.match(stderr, message);
    });
  }

  it('exits 3 where nothing responds at --signin-url', async () => {
    const { status } = await verify([...signinUrl, String(await freePort()), ...alice]);
    assert.equal(status, 3);
  });
});
