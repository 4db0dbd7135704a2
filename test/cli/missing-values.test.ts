import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { after, describe, it } from 'node:test';
import { AuthcliError } from '../../src/errors.ts';
import { scriptedUser } from '../support/prompts.ts';
import { run } from '../support/run.ts';

const folder = mkdtempSync(join(tmpdir(), 'authcli-missing-'));
const configFile = join(folder, 'config.json');
after(() => rmSync(folder, { recursive: true, force: true }));

describe('a value that is missing', () => {
  it('is asked for on a terminal, and put again until it can be read', async () => {
    const prompts = scriptedUser(['', '@no-such-file', '0123456789abcdef0123456789abcdef']);
    const { status, stdout } = await run(['key', 'inspect'], { configFile, prompts });
    assert.equal(status, 0);
    assert.match(stdout, /per-user-key/);
    assert.equal(prompts.seen[0], 'the text; "-" reads standard input, @FILE a file (<text>):');
    assert.equal(prompts.seen[1], '> A value is required.');
    assert.match(prompts.seen[3] ?? '', /^> .*no-such-file.* doesn't exist\. Check the path\.$/);
  });

  it('is not shown while it is typed where it is a secret, and may be a reference', async () => {
    const prompts = scriptedUser(['token-value', 'http://127.0.0.1:9', 'my-app', 'env:SECRET']);
    const env = { SECRET: 's3cret-value' };
    const argv = ['signin', '--timeout', '1s'];
    const { status, stderr } = await run(argv, { configFile, prompts, env });
    assert.equal(status, 3, stderr);
    assert.deepEqual(prompts.unseen, [
      ...prompts.seen.filter((message) => message.includes('--ptn-token')),
      'the application server secret key (--secret-key):',
    ]);
    assert.doesNotMatch(stderr, /s3cret-value|token-value/);
  });

  it('is asked for where another option makes it needed', async () => {
    const prompts = scriptedUser(['localhost:9', 'http://127.0.0.1:9/callback']);
    const asked = await run(['verify', '--timeout', '1s'], { configFile, prompts });
    assert.equal(asked.status, 3);
    assert.match(prompts.seen[1] ?? '', /has no scheme/);
    const listed = await run(['verify', '--list'], { configFile, prompts: scriptedUser([]) });
    assert.equal(listed.status, 0);
  });

  it('ends the run with 130 when the question is interrupted', async () => {
    const prompts = scriptedUser([new AuthcliError('interrupted', 'Interrupted.')]);
    const { status, stderr } = await run(['key', 'inspect'], { configFile, prompts });
    assert.equal(status, 130);
    assert.equal(stderr, 'Interrupted.\n');
  });

  const quiet = [
    { name: '--no-input', argv: ['--no-input'], env: {} },
    { name: '--json', argv: ['--json'], env: {} },
    { name: 'CI', argv: [], env: { CI: 'true' } },
    { name: 'a dumb terminal', argv: [], env: { TERM: 'dumb' } },
  ] as const;
  for (const { name, argv, env } of quiet) {
    it(`is never prompted for under ${name}`, async () => {
      const prompts = scriptedUser([]);
      const result = await run(['key', 'inspect', ...argv], { configFile, prompts, env });
      assert.equal(result.status, 2);
      assert.match(result.stdout + result.stderr, /key inspect needs <text>: the text/);
      assert.deepEqual(prompts.seen, []);
    });
  }

  for (const output of ['stdin', 'stderr'] as const) {
    it(`is never prompted for when ${output} is not a terminal`, async () => {
      const prompts = scriptedUser([]);
      const pipe = { isTerminal: false, columns: 80, write: () => {} };
      const context =
        output === 'stderr'
          ? { stderr: pipe }
          : { stdin: { isTerminal: false, chunks: () => Readable.from([]) } };
      const { status } = await run(['key', 'inspect'], { configFile, prompts, context });
      assert.equal(status, 2);
      assert.deepEqual(prompts.seen, []);
    });
  }
});
