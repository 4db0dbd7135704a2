import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { after, before, describe, it } from 'node:test';
import { completesToOneWord } from '../../support/completed-values.ts';
import { type CompletionHome, completionHome } from '../../support/completion.ts';
import { draws } from '../../support/draws.ts';

let home: CompletionHome;
before(async () => {
  home = await completionHome('fish');
});
after(() => home.remove());

/** What fish offers for a line, without what is said of each. */
function offered(line: string): string[] {
  const argv = ['--no-config', '-c', 'source $argv[1]; complete -C $argv[2]', home.script, line];
  const stdout = execFileSync('fish', argv, { cwd: home.cwd, env: home.env, encoding: 'utf8' });
  return stdout
    .split('\n')
    .filter((row) => row !== '')
    .map((row) => row.replace(/\t.*$/s, ''));
}

const cases: readonly (readonly [line: string, expected: readonly string[]])[] = [
  ['authcli dem', ['demo']],
  ['authcli --json key w', ['wrap']],
  ['authcli verify --upd', ['--update-expect']],
  ['authcli verify --check key-exchange/w', ['key-exchange/wraps-key']],
  ['authcli verify --format g', ['github']],
  ['authcli emulate app --fault oaep-sha51', ['oaep-sha512']],
  ['authcli decrypt --cipher aria-256-g', ['aria-256-gcm']],
  ['authcli users show al', ['alice-1']],
  ['authcli users list --profile st', ['staging']],
  ['authcli key unwrap x --private-key keys/pri', ['keys/private key.pem']],
  ['authcli key pair --out ke', ['keys/']],
];

describe('completion in fish', () => {
  for (const [line, expected] of cases) {
    it(`of: ${line}`, () => assert.deepEqual(offered(line), expected));
  }

  it('says what each offer is', () => {
    const argv = ['--no-config', '-c', 'source $argv[1]; complete -C "authcli dem"', home.script];
    const stdout = execFileSync('fish', argv, { cwd: home.cwd, env: home.env, encoding: 'utf8' });
    assert.match(stdout, /^demo\ta sign-up and a sign-in/);
  });

  it('completes any value to one word, whatever quote is open', () =>
    completesToOneWord('fish', draws(8)));
});
