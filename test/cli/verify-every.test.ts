import assert from 'node:assert/strict';
import { chmodSync } from 'node:fs';
import { resolve } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { type Child, runChild } from '../../src/cli/process/children.ts';
import { nextRun } from '../../src/cli/verify/repeated-verification.ts';
import { application, serve } from '../conformance/support.ts';
import { bin, start } from '../support/program.ts';
import { parentProcess, type RunEnvironment } from '../support/run.ts';
import { documentOf, workspace } from './workspace.ts';

const { path, configFile, read, save, cli } = workspace();

const every = ['--safe', '--every', '5m'];

/** A clock that only pauses move, and what happens before each run. */
function clockwork(before: (run: number) => unknown = () => {}) {
  let time = Date.UTC(2027, 0, 31, 6);
  let run = 1;
  return {
    now: () => time,
    pause: async (milliseconds: number) => {
      time += milliseconds;
      run += 1;
      await before(run);
    },
  };
}

/** A way to verify an application whose faults change, and what it received. */
async function watched(test: TestContext, ...faults: readonly string[]) {
  let app = application(...faults);
  const endpoint = await serve((request) => app(request));
  test.after(() => endpoint.close());
  return {
    requests: endpoint.requests,
    become: (...names: readonly string[]) => {
      app = application(...names);
    },
    verify: (argv: readonly string[], changes: Partial<RunEnvironment> = {}) =>
      cli(['verify', '--url', endpoint.url.href, ...argv], changes),
  };
}

const linesOf = (text: string) => [...text.matchAll(/.+/g)].map(([line]) => JSON.parse(line));
const runsIn = (stdout: string) => linesOf(stdout).filter(({ event }) => event === 'run');
const codesOf = (requests: readonly { readonly body: Uint8Array }[]) => [
  ...new Set(requests.map(({ body }) => JSON.parse(Buffer.from(body).toString()).ptn_cd)),
];

describe('verify --every', () => {
  it('reports each change once, to a chat and by mail as in the docs, and ends with the worst status', async (test) => {
    const { verify, become, requests } = await watched(test);
    const chat = await serve(async () => ({ status: 200, headers: {}, body: new Uint8Array() }));
    test.after(() => chat.close());
    save('sendmail', `#!/bin/sh\n(echo "$@"; cat) >> '${path('mail')}'\n`);
    chmodSync(path('sendmail'), 0o700);
    const PATH = `${path('')}:${process.env.PATH}`;
    const env = { PATH, WEBHOOK_URL: chat.url.href, MAIL_TO: 'ops@example.com' };
    const clock = clockwork((at) => {
      if (at === 3) become('key-repeated');
      if (at === 5) become();
    });
    const context = { ...clock, runChild: (child: Child) => runChild(child, parentProcess(env)) };
    const to = (name: string) => `node '${resolve(`examples/monitoring/${name}.mjs`)}'`;
    const posted = `${to('chat')} < change && ${to('mail')} < change`;
    const take = `sh -c "cat > change && ${posted} && cat change >> '${path('seen.jsonl')}'"`;
    const argv = [...every, '--times', '6', '--json', '--on-change', take];
    const { stdout, status } = await verify(argv, { context });
    assert.equal(status, 1);
    for (const line of stdout.trim().split('\n')) documentOf(line, 'monitor');
    const runs = runsIn(stdout).map((run) => `${run.status}${run.change === null ? '' : ' new'}`);
    assert.deepEqual(runs, ['passed', 'passed', 'failed new', 'failed', 'passed new', 'passed']);
    assert.equal(linesOf(stdout).at(-2).event, 'ended');
    for (const line of read('seen.jsonl').trim().split('\n')) documentOf(line, 'change');
    const texts = chat.requests.map(({ body }) => JSON.parse(Buffer.from(body).toString()).text);
    const told =
      /^http:\S+: 1 check broke\. \S+: A key was reused\.\nhttp.*1 check fixed\. \S+: passed\.$/;
    assert.match(texts.join('\n'), told);
    const [, broken = '', fixed = ''] = read('mail').split('-t -oi\n');
    assert.match(broken, /^To: ops@example\.com\nSubject: authcli: 1 check broke\nMIME/);
    assert.match(broken, /: A key was reused\.\n\nCause: A user .*\nFix: {3}Generate a new key/);
    assert.doesNotMatch(fixed, /Cause|Fix/);
    assert.deepEqual([codesOf(requests), requests.length], [['authcli-production'], 36]);
  });

  it('reports a change again until the program took it', async (test) => {
    const { verify } = await watched(test, 'key-repeated');
    const taken = path('taken');
    const take = `sh -c "test -e '${taken}' || { touch '${taken}'; exit 1; }"`;
    const argv = [...every, '--times', '3', '--json', '--on-change', take];
    const { stdout, stderr } = await verify(argv, { context: clockwork() });
    assert.match(stderr, /--on-change: .* ended with status 1/);
    const isReported = runsIn(stdout).map(({ change }) => change !== null);
    assert.deepEqual(isReported, [true, true, false]);
  });

  it('prints a line for each run, and the report where something changed', async (test) => {
    const { verify, become } = await watched(test);
    const context = clockwork((at) => at === 2 && become('key-repeated'));
    const { stdout, stderr } = await verify([...every, '--times', '3'], { context });
    assert.match(stdout, /^2027-01-31T06:00:00Z ✓ \d+ passed; \d+ requests in /);
    assert.equal(stdout.match(/^Broke$/gm)?.length, 1);
    assert.equal(stdout.match(/^2027-01-31T06:.*✗.*failed/gm)?.length, 2);
    assert.match(stderr, /3 runs: 1 passed, 2 failed\. The worst: /);
  });

  it('as a program ends on SIGTERM in a pause', async (test) => {
    const endpoint = await serve(application());
    test.after(() => endpoint.close());
    const argv = ['verify', '--url', endpoint.url.href, '--safe', '--every', '1h', '--json'];
    const running = start(process.execPath, [bin, ...argv], {
      env: { AUTHCLI_CONFIG: configFile },
    });
    test.after(() => running.child.kill('SIGKILL'));
    running.child.stdin?.end();
    await running.says('"event":"run"');
    running.child.kill('SIGTERM');
    const { status, stdout, stderr } = await running.ended;
    assert.equal(status, 143, stderr);
    assert.match(stdout, /"event":"ended","runs":1,"passed":1/);
  });

  it('sends with --safe what --list marks', async (test) => {
    const { verify } = await watched(test);
    const { checks } = JSON.parse((await verify(['--list', '--json'])).stdout);
    const safe = JSON.parse((await verify(['--safe', '--json'])).stdout);
    const idsOf = (all: readonly { id: string }[]) => all.map(({ id }) => id);
    const marked = checks.filter(({ production }: { production: boolean }) => production);
    assert.deepEqual(idsOf(safe.checks), idsOf(marked));
    const { stdout } = await verify(['--list']);
    assert.match(stdout, /^key-exchange\/wraps-key +must +safe /m);
    assert.match(stdout, /^key-exchange\/rejects-missing-field +must +(?!safe)/m);
  });
});

describe('the next run', () => {
  for (const [what, at, now, expected] of [
    ['is an interval later', 5000, 5400, { at: 6000, skipped: 0 }],
    ['begins at once where the one before ended right then', 5000, 6000, { at: 6000, skipped: 0 }],
    ['leaves out and counts what a long run overlaps', 0, 3200, { at: 4000, skipped: 3 }],
    ['waits an interval where the clock was set back', 99_000, 1000, { at: 2000, skipped: 0 }],
  ] as const) {
    it(what, () => assert.deepEqual(nextRun(at, now, 1000), expected));
  }
});
