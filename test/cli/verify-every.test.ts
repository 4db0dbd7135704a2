import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { AuthcliError } from '../../src/errors.ts';
import { application } from '../conformance/support.ts';
import { violations } from '../support/json-schema.ts';
import { run } from '../support/run.ts';
import { verifierIn } from '../support/verifier.ts';

const folder = mkdtempSync(join(tmpdir(), 'authcli-verify-every-'));
const { path, verify, withEndpoint } = verifierIn(folder);
after(() => rmSync(folder, { recursive: true, force: true }));

const schemaOf = (name: string) => JSON.parse(readFileSync(`schemas/${name}-1.json`, 'utf8'));
const [monitor, change, _report] = ['monitor', 'change', 'verify'].map(schemaOf);

/** A clock that only pauses move, and what happens before each run. */
function clockwork(before: (run: number) => void = () => {}) {
  let time = Date.UTC(2027, 0, 31, 6);
  let run = 1;
  return {
    now: () => time,
    pause: async (milliseconds: number) => {
      time += milliseconds;
      run += 1;
      before(run);
    },
  };
}

const linesOf = (stdout: string) =>
  stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

describe('verify --every', () => {
  it('reports each change once, and ends with the status of the worst run', async () => {
    let app = application();
    const context = clockwork((at) => {
      if (at === 3) app = application('key-repeated');
      if (at === 5) app = application();
    });
    const seen = path('seen.jsonl');
    writeFileSync(path('take.sh'), `#!/bin/sh\ncat >> '${seen}'\n`);
    chmodSync(path('take.sh'), 0o755);
    await withEndpoint(
      (request) => app(request),
      async ({ url, requests }) => {
        const argv = ['--safe', '--every', '5m', '--times', '6', '--json'];
        const more = ['--on-change', path('take.sh')];
        const { stdout, status } = await verify(url, [...argv, ...more], { context });
        assert.equal(status, 1);
        const events = linesOf(stdout);
        for (const event of events) assert.deepEqual(violations(event, monitor), [], event.event);
        const runs = events.filter(({ event }) => event === 'run');
        assert.deepEqual(
          runs.map(({ status: how }) => how),
          ['passed', 'passed', 'failed', 'failed', 'passed', 'passed'],
        );
        assert.deepEqual(
          runs.flatMap(({ run: number, change: found }) => (found === null ? [] : number)),
          [3, 5],
        );
        assert.deepEqual(events.at(-2).event, 'ended');
        const changes = linesOf(readFileSync(seen, 'utf8'));
        for (const found of changes) assert.deepEqual(violations(found, change), []);
        assert.deepEqual(
          changes.map(({ broke, fixed }) => [broke.length > 0, fixed.length > 0]),
          [
            [true, false],
            [false, true],
          ],
        );
        const codes = requests.map(({ body }) => JSON.parse(Buffer.from(body).toString()).ptn_cd);
        assert.deepEqual([...new Set(codes)], ['authcli-production']);
        assert.equal(requests.length, 36);
      },
    );
  });

  it('reports a change again until the program took it', async () => {
    await withEndpoint(application('key-repeated'), async ({ url }) => {
      const taken = path('taken');
      writeFileSync(
        path('second.sh'),
        `#!/bin/sh\ntest -e '${taken}' || { touch '${taken}'; exit 1; }\n`,
      );
      chmodSync(path('second.sh'), 0o755);
      const argv = ['--safe', '--every', '5m', '--times', '3', '--json'];
      const more = ['--on-change', path('second.sh')];
      const { stdout, stderr } = await verify(url, [...argv, ...more], { context: clockwork() });
      assert.match(stderr, /--on-change: .* ended with status 1/);
      const runs = linesOf(stdout).filter(({ event }) => event === 'run');
      assert.deepEqual(
        runs.map(({ change: found }) => found !== null),
        [true, true, false],
      );
    });
  });

  it('prints a line for each run, and the report where something changed', async () => {
    let app = application();
    const context = clockwork((at) => {
      if (at === 2) app = application('key-repeated');
    });
    await withEndpoint(
      (request) => app(request),
      async ({ url }) => {
        const argv = ['--safe', '--every', '5m', '--times', '3'];
        const { stdout, stderr } = await verify(url, argv, { context });
        assert.match(stdout, /^2027-01-31T06:00:00Z ✓ 16 passed; 6 requests in /);
        assert.equal(stdout.match(/^Broke$/gm)?.length, 1);
        assert.equal(stdout.match(/^2027-01-31T06:.*✗.*failed/gm)?.length, 2);
        assert.match(stderr, /3 runs: 1 passed, 2 failed\. The worst: /);
      },
    );
  });

  it('ends on a signal with what the runs found', async () => {
    const stop = new AbortController();
    const context = clockwork((at) => {
      if (at === 3) stop.abort(new AuthcliError('terminated', 'Terminated.'));
    });
    await withEndpoint(application(), async ({ url }) => {
      const argv = ['--safe', '--every', '5m', '--json'];
      const { status, stdout } = await verify(url, argv, { context, signal: stop.signal });
      assert.equal(status, 143);
      const ended = linesOf(stdout).find(({ event }) => event === 'ended');
      assert.equal(ended.passed, 2);
    });
  });

  it('reads the profile again on a hang-up', async () => {
    const configFile = path('reload.json');
    await withEndpoint(application(), async ({ url }) => {
      const set = (client: string) => run(['config', 'set', 'client-id', client], { configFile });
      await set('wrong-client');
      let reload = (): void => {};
      let pauses = 0;
      let time = Date.UTC(2027, 0, 31);
      const context = {
        now: () => time,
        onHangUp: (work: () => void) => {
          reload = work;
          return () => {};
        },
        pause: async (milliseconds: number) => {
          time += milliseconds;
          pauses += 1;
          if (pauses > 1) return;
          await set('authcli-client');
          reload();
        },
      };
      const argv = ['--safe', '--every', '5m', '--times', '2', '--json'];
      const { stdout } = await verify(url, argv, { context, configFile });
      const events = linesOf(stdout);
      assert.deepEqual(
        events.flatMap(({ event, status }) => (event === 'run' ? status : event)),
        ['started', 'failed', 'reloaded', 'passed', 'ended', 'stopped'],
      );
    });
  });

  it('keeps its settings after a hang-up with a broken profile, and says what to do', async () => {
    const configFile = path('broken.json');
    await withEndpoint(application(), async ({ url }) => {
      let reload = (): void => {};
      const context = {
        ...clockwork(() => {
          writeFileSync(configFile, '{broken');
          reload();
        }),
        onHangUp: (work: () => void) => {
          reload = work;
          return () => {};
        },
      };
      const argv = ['--safe', '--every', '5m', '--times', '2', '--json'];
      const { stdout, stderr, status } = await verify(url, argv, { context, configFile });
      assert.equal(status, 0);
      assert.match(stdout, /"event":"reloaded","ok":false/);
      assert.match(stderr, /stay as they were: .*not JSON.*`authcli doctor --fix`/s);
    });
  });

  it('names the signal that ended the program of --on-change', async () => {
    await withEndpoint(application('key-repeated'), async ({ url }) => {
      const argv = ['--safe', '--every', '5m', '--times', '1', '--on-change', "sh -c 'kill -9 $$'"];
      const { stderr, status } = await verify(url, argv);
      assert.equal(status, 1);
      assert.match(stderr, /--on-change: sh was ended by SIGKILL\. The change is reported again/);
    });
  });

  it('sends with --safe what --list marks and the page names', async () => {
    await withEndpoint(application(), async ({ url, requests }) => {
      const listed = await verify(url, ['--list', '--json']);
      const all: { id: string; production: boolean }[] = JSON.parse(listed.stdout).checks;
      const safe = await verify(url, ['--safe', '--json']);
      assert.deepEqual(
        JSON.parse(safe.stdout).checks.map(({ id }: { id: string }) => id),
        all.filter(({ production }) => production).map(({ id }) => id),
      );
      assert.equal(requests.length, 6);
      const codes = requests.map(({ body }) => JSON.parse(Buffer.from(body).toString()).ptn_cd);
      assert.deepEqual([...new Set(codes)], ['authcli-production']);
      const { stdout: list } = await verify(url, ['--list']);
      assert.match(list, /^key-exchange\/wraps-key +must +safe /m);
      assert.match(list, /^key-exchange\/rejects-missing-field +must +(?!safe)/m);
    });
  });

  it('refuses what has no meaning, before anything is sent', async () => {
    const url = 'http://127.0.0.1:1/callback';
    for (const [argv, message] of [
      [['--times', '3'], /--times needs --every/],
      [['--every', '5m', '--metrics', '9464'], /is not HOST:PORT/],
      [['--safe', '--check', 'registration/latest-key'], /not part of the production subset/],
    ] as const) {
      const { status, stderr } = await verify(url, argv);
      assert.equal(status, 2);
      assert.match(stderr, message);
    }
  });
});
