import { execFileSync } from 'node:child_process';
import { after, before, describe, it } from 'node:test';
import { completesToOneWord } from '../../support/completed-values.ts';
import { type CompletionHome, completionHome } from '../../support/completion.ts';
import { draws } from '../../support/draws.ts';
import { keys, runAnyOnTerminal, type Step } from '../../support/terminal.ts';

let home: CompletionHome;
before(async () => {
  home = await completionHome('zsh');
});
after(() => home.remove());

const { tab, enter, ctrlC } = keys;

/** The prompt; nothing else on the screen looks like it. */
const ready = 'ready>';

/** Typed, and the line after completion. */
const cases: readonly (readonly [typed: string, completed: string])[] = [
  ['authcli dem', 'authcli demo '],
  ['authcli config prof', 'authcli config profile '],
  ['authcli --json key w', 'key wrap '],
  ['authcli verify --upd', '--update-expect '],
  ['authcli verify --check key-exchange/wr', 'key-exchange/wraps-key '],
  ['authcli verify --format g', 'github '],
  ['authcli emulate app --fault oaep-sha51', 'oaep-sha512 '],
  ['authcli decrypt --cipher aria-256-g', 'aria-256-gcm '],
  ['authcli users show al', 'alice-1 '],
  ['authcli users list --profile st', 'staging '],
  ['authcli key unwrap x --private-key keys/pri', 'keys/private\\ key.pem '],
];

describe('completion in zsh', () => {
  it('comes when Tab is pressed', async () => {
    const start = 'autoload -U compinit; compinit -u -D; . ./_authcli';
    const steps: Step[] = [[ready, `${start}${enter}`]];
    for (const [typed, completed] of cases) {
      steps.push([ready, typed + tab], [completed, ctrlC]);
    }
    steps.push([ready, `exit${enter}`]);
    const zsh = execFileSync('bash', ['-c', 'command -v zsh'], { encoding: 'utf8' }).trim();
    await runAnyOnTerminal([zsh, '-f', '-i'], steps, {
      ...home,
      env: { ...home.env, PS1: ready },
      columns: 160,
    });
  });

  it('is loaded from a folder of functions as well', async () => {
    const start = 'fpath=($PWD $fpath); autoload -U compinit; compinit -u -D';
    const steps: Step[] = [
      [ready, `${start}${enter}`],
      [ready, `authcli dem${tab}`],
      ['authcli demo ', ctrlC],
      [ready, `exit${enter}`],
    ];
    const zsh = execFileSync('bash', ['-c', 'command -v zsh'], { encoding: 'utf8' }).trim();
    await runAnyOnTerminal([zsh, '-f', '-i'], steps, { ...home, env: { ...home.env, PS1: ready } });
  });

  it('completes any value to one word, whatever quote is open', () =>
    completesToOneWord('zsh', draws(8)));
});
