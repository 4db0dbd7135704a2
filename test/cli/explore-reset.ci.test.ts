import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it, type TestContext } from 'node:test';
import { application, serve } from '../conformance/support.ts';
import { run } from '../support/run.ts';
import { startSide } from '../support/side.ts';

const folder = mkdtempSync(join(tmpdir(), 'authcli-reset-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const environment = { configFile: join(folder, 'config.json'), cwd: folder };
const path = (name: string) => join(folder, name);

const explore = (argv: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  run(['explore', ...argv], { ...environment, env });

/** An application that is started anew where a program has left the file `anew`, and how often that was. */
async function serveAnew(context: TestContext, ...faults: readonly string[]) {
  let app = application(...faults);
  let starts = 0;
  const endpoint = await serve((request) => {
    if (existsSync(path('anew'))) {
      unlinkSync(path('anew'));
      app = application(...faults);
      starts += 1;
    }
    return app(request);
  });
  context.after(() => endpoint.close());
  return { url: endpoint.url.href, starts: () => starts };
}

/** Key pairs of 2048 bits only, which are quick to make. */
const quick = ['--operations', 'key-exchange/valid', '--operations', 'registration'];

/** After it, the application refuses everybody: its first failure is of such a sequence. */
const breaking = ['--seed', 'leftover', '--max-steps', '12', ...quick];

describe('explore --reset', () => {
  it('shortens what leaves the application broken, which is not possible without it', async (context) => {
    const { url } = await serveAnew(context, 'leftover-user-info');
    const without = await explore(['--url', url, ...breaking]);
    assert.equal(without.status, 1, without.stderr);
    assert.match(
      without.stdout,
      /Since then even a plain sign-up fails, so the sequence could not be made shorter\. Give --reset a program/,
    );
    const fewest = await explore(['--url', url, ...breaking, '--reset', 'touch anew', '--json']);
    assert.equal(fewest.status, 1, fewest.stderr);
    const [failure] = JSON.parse(fewest.stdout).failures;
    assert.equal(failure.steps.length, 4);
    assert.deepEqual(failure.repeated, { failed: 2, of: 2 });
    assert.equal(failure.broken_since, false);
  });

  it('runs the program once where nothing fails, and before each replay', async (context) => {
    const right = await serveAnew(context);
    const passed = await explore([
      '--url',
      right.url,
      ...breaking,
      '--runs',
      '5',
      '--reset',
      'touch anew',
    ]);
    assert.equal(passed.status, 0, passed.stderr);
    assert.equal(right.starts(), 1);

    const { url, starts } = await serveAnew(context, 'leftover-user-info');
    const argv = ['--url', url, '--reset', 'touch anew'];
    await explore([...argv, ...breaking, '--save', 'left.json']);
    for (let time = 1; time <= 2; time += 1) {
      const before = starts();
      const replayed = await explore([...argv, '--replay', path('left.json')]);
      assert.equal(replayed.status, 1, replayed.stdout);
      // The replay, and twice to confirm it; the diagnosis may send more.
      assert.ok(starts() >= before + 3);
      assert.match(replayed.stderr, /next: .* --reset 'touch anew'/);
    }
  });

  it('fails before anything is sent where the program does', async (context) => {
    const { url, starts } = await serveAnew(context);
    writeFileSync(path('reset.sh'), 'echo no database\nexit 3\n');
    const texts = {
      'sh reset.sh':
        /--reset: sh ended with status 3\. It printed:\n *no database\nfix: {3}Run it by hand/,
      'no-such-program': /The command "no-such-program" can't be run \(ENOENT\)/,
      'http://127.0.0.1:1/': /--reset: POST http:\/\/127\.0\.0\.1:1\/ failed\. /,
      "''": /--reset: it names no program/,
    };
    for (const [reset, expected] of Object.entries(texts)) {
      const { status, stderr } = await explore(['--url', url, '--reset', reset]);
      assert.equal(status, 2, stderr);
      assert.match(stderr, expected);
    }
    assert.equal(starts(), 0);
  });

  it('reports a failure also where the program fails later', async (context) => {
    const { url } = await serveAnew(context, 'leftover-user-info');
    const argv = ['--url', url, ...breaking, '--reset', 'mkdir once'];
    const { status, stdout, stderr } = await explore(argv);
    assert.equal(status, 1, stderr);
    assert.match(stdout, /not repeated/);
    assert.match(
      stderr,
      /the failure could not be made shorter: --reset: mkdir ended with status 1/,
    );
  });

  it('resets an emulator by POST, and not with the address of another one', async (context) => {
    const other = await startSide(['app'], environment);
    context.after(() => other.stop());
    for (const isOther of [false, true]) {
      const app = await startSide(['app', '--fault', 'leftover-user-info'], environment);
      context.after(() => app.stop());
      const argv = ['--url', `${app.url}/callback`, ...breaking, '--json'];
      const env = { AUTHCLI_RESET: `${(isOther ? other : app).url}/_authcli/reset` };
      const [failure] = JSON.parse((await explore(argv, env)).stdout).failures;
      assert.equal(failure.broken_since, isOther);
      assert.equal(failure.steps.length === 4, !isOther);
    }
  });

  it('is given to the command behind `emulate`', async () => {
    for (const [side, callback] of Object.entries({ app: '/callback', service: '' })) {
      const children: Readonly<Record<string, string>>[] = [];
      await run(['emulate', side, '--', 'program'], {
        ...environment,
        context: {
          runChild: async ({ env }) => {
            children.push(env);
            return 0;
          },
        },
      });
      const [env = {}] = children;
      const url = env.AUTHCLI_URL ?? env.AUTHCLI_AUTH_URL;
      assert.equal(url, env.AUTHCLI_RESET?.replace('/_authcli/reset', callback));
    }
  });
});
