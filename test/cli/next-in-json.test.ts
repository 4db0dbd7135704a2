import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AuthcliError } from '../../src/errors.ts';
import { run } from '../support/run.ts';

const environment = { configFile: '/nonexistent/config.json' };
const closed = [
  '--url',
  'http://127.0.0.1:9/callback',
  '--no-save',
  '--super-passcode',
  'sesame-of-bob',
];

describe('error.next of --json', () => {
  const failures = [
    ['users', 'show', 'alice'],
    ['key', 'inspect', 'nonsense'],
    ['simulate-signup', '--url', 'nowhere'],
    ['simulate-signpu', ...closed.slice(0, 2)],
    ['simulate-signup', ...closed, '--no-sav'],
    ['simulate-signup', '--ptn-cd', 'bob', ...closed],
    ['decrypt', 'AAAA', '--key', '01234567890123456789012345678901'],
  ];
  for (const argv of failures) {
    it(`is the command that is printed otherwise: ${argv.join(' ')}`, async () => {
      const { stderr } = await run(argv, environment);
      const [, printed] = /^next: +(.*)$/m.exec(stderr) ?? [];
      const { error } = JSON.parse((await run([...argv, '--json'], environment)).stdout);
      assert.ok(printed);
      // a corrected line keeps what shapes the output
      assert.equal(error.next.replace(/ --json$/, ''), printed);
      assert.doesNotMatch(error.next, /sesame/);
    });
  }

  it('is absent where the user stopped the run', async () => {
    const stop = new AbortController();
    stop.abort(new AuthcliError('interrupted', 'Interrupted.'));
    const argv = ['simulate-signup', ...closed, '--json'];
    const { stdout } = await run(argv, { ...environment, signal: stop.signal });
    const { error } = JSON.parse(stdout);
    assert.equal(error.code, 'interrupted');
    assert.equal('next' in error, false);
  });
});
