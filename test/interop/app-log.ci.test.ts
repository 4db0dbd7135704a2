import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { notInstalled } from '../../scripts/test/programs.ts';
import { authcli, type Change, edit, scratchFolder } from '../support/example-application.ts';
import { freePort } from '../support/free-port.ts';
import { bin, isRunning, start } from '../support/program.ts';

/* The examples refuse without a reason, which is in their log alone; --app reads it there. */

/** How each is started, its file, and what makes it log where an exception was raised. */
const examples: Readonly<Record<string, readonly [string, string, ...Change]>> = JSON.parse(
  readFileSync('fixtures/opaque-examples.json', 'utf8'),
);

interface Output {
  readonly error: {
    readonly message: string;
    readonly evidence: { readonly source: string; readonly log: readonly string[] };
  };
}

const scratch = scratchFolder();

/** A copy of an example with changes, and how --app starts it. */
async function copyOf(program: string, changes: readonly Change[]) {
  const [command = '', file = '', ...logs] = examples[program] ?? [];
  const folder = mkdtempSync(join(scratch, 'copy-'));
  cpSync(join('examples', program), folder, { recursive: true });
  edit(join(folder, file), [logs as Change, ...changes]);
  const port = await freePort();
  const app = `export PORT=${port} CLIENT_ID=my-shop DATA=${folder}/users; ${command}`;
  const lines = readFileSync(join(folder, file), 'utf8').split('\n');
  const lineOf = (text: string) => `${file}:${lines.findIndex((line) => line.includes(text)) + 1}`;
  return { folder, file, app, lineOf, url: `http://127.0.0.1:${port}/callback` };
}

describe('--app', () => {
  for (const row of readFileSync('fixtures/opaque-refusals.tsv', 'utf8').trimEnd().split('\n')) {
    const [program = '', from = '', to = '', reported = '', raisedAt = ''] = row.split('\t');
    it(`quotes ${program} on ${to}`, { skip: notInstalled(program) }, async () => {
      const { folder, app, url, lineOf } = await copyOf(program, [[from, to]]);
      const argv = ['simulate-signup', url, '--app', app];
      const { status, output } = await authcli<Output>(argv, folder);
      assert.ok(status === 1 || status === 3); // a panic in Go closes the connection
      const { evidence, message } = output.error;
      assert.match(evidence.log.join('\n'), new RegExp(reported));
      assert.equal(evidence.source, lineOf(raisedAt || to), message);
    });
  }

  it('says that it does not start, and why', async () => {
    const { folder, url } = await copyOf('node', []);
    const argv = ['simulate-signup', url, '--app', 'node nothing.mjs'];
    const { status, output } = await authcli<Output>(argv, folder);
    assert.equal(status, 3);
    assert.match(output.error.message, /ended with status 1 before it listened/);
    assert.match(output.error.evidence.log.join(), /Cannot find module/);
  });
});

describe('verify --watch', () => {
  it('restarts the application for a change, says what it fixed, and leaves nothing behind', async () => {
    const wrong: Change = ['key } = users.get(ptn_cd)', 'key } = users.get(partner_sp)'];
    const { folder, file, app, url, lineOf } = await copyOf('node', [wrong]);
    const line = lineOf(wrong[1]);
    const argv = [bin, 'verify', url, '--client-id', 'my-shop', '--watch'];
    const check = ['--check', 'registration/answers-success', '--app', `echo $$ >> pids; ${app}`];
    const running = start(process.execPath, [...argv, ...check], { cwd: folder });
    await running.says(`log:   ${line}`);
    await delay(500);
    edit(join(folder, file), [[wrong[1], wrong[0]]]);
    await running.says('1 check fixed');
    await running.says('application.mjs changed');
    running.child.kill('SIGINT');
    const { status } = await running.ended;
    assert.equal(status, 130);
    const pids = readFileSync(join(folder, 'pids'), 'utf8').trim().split('\n').map(Number);
    assert.deepEqual(pids.map(isRunning), [false, false]);
  });
});
