import assert from 'node:assert/strict';
import { existsSync, unlinkSync } from 'node:fs';
import { describe, it, type TestContext } from 'node:test';
import { application, serve } from '../conformance/support.ts';
import { startSide } from '../support/side.ts';
import { workspace } from './workspace.ts';

const { path, configFile, save, cli } = workspace();
const explore = (...argv: readonly string[]) => cli(['explore', ...argv]);

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
  return { to: ['--url', endpoint.url.href], starts: () => starts };
}

/** After it, the application refuses everybody: its first failure is of such a sequence. */
const breaking = [
  ...['--seed', 'leftover', '--max-steps', '12'],
  ...['--operations', 'key-exchange/valid', '--operations', 'registration'],
];
const reset = ['--reset', 'touch anew'];

describe('explore --reset', () => {
  it('shortens what leaves the application broken, which is not possible without it', async (context) => {
    const { to, starts } = await serveAnew(context, 'leftover-user-info');
    const without = await explore(...to, ...breaking);
    assert.equal(without.status, 1, without.stderr);
    const advice =
      /Since then even a plain sign-up fails, so the seq.* shorter\. Give --reset a program/;
    assert.match(without.stdout, advice);
    const fewest = await explore(...to, ...breaking, ...reset, '--json', '--save', 'left.json');
    const [failure] = JSON.parse(fewest.stdout).failures;
    assert.deepEqual([fewest.status, failure.steps.length, failure.broken_since], [1, 4, false]);
    assert.deepEqual(failure.repeated, { failed: 2, of: 2 });
    const before = starts();
    const replayed = await explore(...to, ...reset, '--replay', path('left.json'));
    assert.equal(replayed.status, 1, replayed.stdout);
    // The replay, and twice to confirm it; the diagnosis may send more.
    assert.ok(starts() >= before + 3);
    assert.match(replayed.stderr, /next: .* --reset 'touch anew'/);
  });

  it('runs the program once where nothing fails', async (context) => {
    const { to, starts } = await serveAnew(context);
    const { status, stderr } = await explore(...to, ...breaking, '--runs', '5', ...reset);
    assert.deepEqual([status, starts()], [0, 1], stderr);
  });

  it('fails before anything is sent where the program does', async (context) => {
    const { to, starts } = await serveAnew(context);
    save('reset.sh', 'echo no database\nexit 3\n');
    for (const [program, expected] of [
      ['sh reset.sh', /sh ended with status 3\. It printed:\n *no database\nfix: {3}Run it by h/],
      ['no-such-program', /The command "no-such-program" can't be run \(ENOENT\)/],
      ['http://127.0.0.1:1/', /--reset: POST http:\/\/127\.0\.0\.1:1\/ failed\. /],
      ["''", /--reset: it names no program/],
      ['http://', /--reset: "http:\/\/" is not a URL/],
    ] as const) {
      const { status, stderr } = await explore(...to, '--reset', program);
      assert.equal(status, 2, stderr);
      assert.match(stderr, expected);
    }
    assert.equal(starts(), 0);
  });

  it('reports a failure also where the program fails later', async (context) => {
    const { to } = await serveAnew(context, 'leftover-user-info');
    const { status, stdout, stderr } = await explore(...to, ...breaking, '--reset', 'mkdir once');
    assert.equal(status, 1, stderr);
    assert.match(stdout, /not repeated/);
    assert.match(stderr, /could not be made shorter: --reset: mkdir ended with status 1/);
  });

  it('resets an emulator by POST, and not with the address of another one', async (context) => {
    const other = await startSide(['app'], { configFile });
    context.after(() => other.stop());
    for (const isOther of [false, true]) {
      const app = await startSide(['app', '--fault', 'leftover-user-info'], { configFile });
      context.after(() => app.stop());
      const env = { AUTHCLI_RESET: `${(isOther ? other : app).url}/_authcli/reset` };
      const argv = ['explore', '--url', `${app.url}/callback`, ...breaking, '--json'];
      const [failure] = JSON.parse((await cli(argv, { env })).stdout).failures;
      assert.equal(failure.broken_since, isOther);
      assert.equal(failure.steps.length === 4, !isOther);
    }
  });

  it('is given to the command behind `emulate`', async () => {
    for (const [side, callback] of Object.entries({ app: '/callback', service: '' })) {
      let given: Readonly<Record<string, string>> = {};
      const runChild = async ({ env }: { readonly env: typeof given }) => {
        given = env;
        return 0;
      };
      await cli(['emulate', side, '--', 'program'], { context: { runChild } });
      const url = given.AUTHCLI_URL ?? given.AUTHCLI_AUTH_URL;
      assert.equal(url, given.AUTHCLI_RESET?.replace('/_authcli/reset', callback));
    }
  });
});
