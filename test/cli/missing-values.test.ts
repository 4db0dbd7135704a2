import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AuthcliError } from '../../src/errors.ts';
import { scriptedUser } from '../support/prompts.ts';
import { type RunEnvironment, run } from '../support/run.ts';

const configFile = '/no-such-folder/config.json';
const inspect = (
  answers: Parameters<typeof scriptedUser>[0],
  argv: readonly string[] = [],
  environment: Partial<RunEnvironment> = {},
) => {
  const prompts = scriptedUser(answers);
  const result = run(['key', 'inspect', ...argv], { configFile, prompts, ...environment });
  return result.then((end) => ({ ...end, seen: prompts.seen }));
};

describe('a value that is missing', () => {
  it('is asked for on a terminal, and put again until it can be read', async () => {
    const answers = ['', '@no-such-file', '0123456789abcdef0123456789abcdef'];
    const { status, stdout, seen } = await inspect(answers);
    assert.equal(status, 0);
    assert.match(stdout, /per-user-key/);
    assert.equal(seen[0], 'the text; "-" reads standard input, @FILE a file (<text>):');
    assert.equal(seen[1], '> A value is required.');
    assert.match(seen[3] ?? '', /^> .*no-such-file.* doesn't exist\. Check the path\.$/);
  });

  it('is not shown while it is typed where it is a secret, and may be a reference', async () => {
    const prompts = scriptedUser(['token-value', 'http://service:9', 'my-app', 'env:SECRET']);
    const env = { SECRET: 's3cret-value' };
    const argv = ['signin', '--resolve', 'service:9:127.0.0.1'];
    const { status, stderr } = await run(argv, { configFile, prompts, env });
    assert.equal(status, 3, stderr);
    assert.deepEqual(prompts.unseen, [
      ...prompts.seen.filter((message) => message.includes('--ptn-token')),
      'the application server secret key (--secret-key):',
    ]);
    assert.doesNotMatch(stderr, /s3cret-value|token-value|--ptn-token -/);
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
    const { status, stderr } = await inspect([new AuthcliError('interrupted', 'Interrupted.')]);
    assert.deepEqual([status, stderr], [130, 'Interrupted.\n']);
  });

  const pipe = { isTerminal: false, columns: 80, write: () => {} };
  const stdin = { isTerminal: false, chunks: async function* () {} };
  for (const [name, argv, environment] of [
    ['--no-input', ['--no-input'], {}],
    ['--json', ['--json'], {}],
    ['CI', [], { env: { CI: 'true' } }],
    ['a dumb terminal', [], { env: { TERM: 'dumb' } }],
    ['standard input from elsewhere', [], { context: { stdin } }],
    ['standard error to elsewhere', [], { context: { stderr: pipe } }],
  ] as const) {
    it(`is never prompted for under ${name}`, async () => {
      const { status, seen } = await inspect([], argv, environment);
      assert.deepEqual([status, seen], [2, []]);
    });
  }
});
