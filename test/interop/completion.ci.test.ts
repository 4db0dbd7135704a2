import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { notInstalled } from '../../scripts/test/programs.ts';
import { completionScripts } from '../../src/cli/complete/completion.ts';
import { fixtureRows } from '../support/fixtures.ts';
import { bin } from '../support/program.ts';
import { run } from '../support/run.ts';
import { runAnyOnTerminal, type Step } from '../support/terminal.ts';

/*
 * Lines are typed into real shells, with Tab and Enter at their end. The program on the PATH completes as the installed one
 * does, so from the ready data of the build, and otherwise writes down its arguments.
 */

type Shell = 'bash' | 'zsh' | 'fish';

/** Starts without any configuration; each prompt has its number, and nothing else on the screen looks like it. */
const starts: Readonly<Record<Shell, readonly [flags: string, set: string]>> = {
  bash: ['--norc -i', `PROMPT_COMMAND='n=$((n+1))' PS1='<$n''>'; . ./_authcli`],
  zsh: [
    '-f -i',
    `precmd() { n=$((n+1)) }; setopt promptsubst; PS1='<$n''>'; autoload -U compinit; compinit -u -D; . ./_authcli`,
  ],
  fish: [
    '--no-config --private -i',
    `function fish_prompt; set -g n (math $n + 1); echo -n "<$n"">"; end; source ./_authcli`,
  ],
};
const functionsOfZsh = starts.zsh[1]
  .replace('autoload', 'fpath=($PWD $fpath); autoload')
  .replace('. ./_authcli', '');

/** Types each line in a folder of its own, with these users; the arguments that the program got, line by line. */
async function typed(
  shell: Shell,
  lines: readonly string[],
  users: readonly string[] = [],
  [flags, set] = starts[shell],
): Promise<readonly (readonly string[])[]> {
  const cwd = mkdtempSync(join(tmpdir(), 'authcli-completion-'));
  const configFile = join(cwd, 'config.json');
  const environment = { configFile };
  writeFileSync(join(cwd, '_authcli'), completionScripts[shell]);
  for (const folder of ['bin', 'keys']) mkdirSync(join(cwd, folder));
  for (const file of ['keys/private key.pem', 'payload.txt']) writeFileSync(join(cwd, file), '');
  const program = join(cwd, 'bin', 'authcli');
  writeFileSync(
    program,
    `#!/bin/sh
[ "$1" = __complete ] && exec '${process.execPath}' '${bin}' "$@"
{ printf '%s\\0' "$@"; printf '\\n\\0'; } >>'${join(cwd, 'arguments')}'
`,
  );
  chmodSync(program, 0o755);
  const rows = users.map((ptn_cd) => JSON.stringify({ ptn_cd, key: 'k'.repeat(32) }));
  await run(['config', 'profile', 'create', 'staging'], environment);
  const stored = await run(['users', 'import', '-'], { ...environment, stdin: rows.join('\n') });
  assert.equal(stored.status, 0, stored.stderr);
  try {
    const before = readdirSync(cwd);
    const steps: Step[] = [
      ['', `${set}\r`],
      ...lines.map((line, index): Step => [`<${index + 1}>`, `${line}\t\r`]),
      // Completion alone runs nothing of a line.
      [`<${lines.length + 1}>`, 'authcli decrypt $(touch ran) --ke\t\x15exit\r'],
    ];
    const path = execFileSync('which', [shell], { encoding: 'utf8' }).trim();
    const PATH = `${join(cwd, 'bin')}:${process.env.PATH}`;
    const env = { PATH, HOME: cwd, AUTHCLI_CONFIG: configFile, LC_ALL: 'C.UTF-8' };
    await runAnyOnTerminal([path, ...flags.split(' ')], steps, { cwd, env, columns: 300 });
    const made = readdirSync(cwd).filter((name) => !before.includes(name) && !/^\./.test(name));
    assert.deepEqual(made, ['arguments'], 'something else ran');
    const recorded = readFileSync(join(cwd, 'arguments'), 'utf8').split('\n\0').slice(0, -1);
    return recorded.map((argv) => argv.split('\0').slice(0, -1));
  } finally {
    rmSync(cwd, { recursive: true, force: true });
  }
}

/** Typed, and what Tab adds to it; in the end the arguments are separated by one blank. */
const completions = fixtureRows<readonly [typed: string, added: string]>(
  'readings/completions.jsonl',
);

/** What shells read as something else than itself, commands that leave a file, and text that is only text. */
const hostile = [
  ...[`'"\\$\`;|&!`, '#()<>{}[]^%=:@,-+~ ab', 'é한😀\u00a0$HOME{a,b}!!!$--', '*?~root'],
  ...['$(touch ran)`touch ran`;touch ran;|touch ran&&touch ran>ran', `';touch ran;'";touch ran;"`],
];

/** Values of which no two begin alike, and how a user begins to type each: bare, behind a quote, escaped. */
function cases(shell: Shell): readonly (readonly [begun: string, value: string])[] {
  const escaped = (text: string) => text.replace(/[^\w\u0080-\uffff-]/g, '\\$&');
  return hostile.flatMap((text, index) => [
    ...['', "'", '"'].map((quote, by) => {
      const start = `q${index}${by}`;
      return [`${quote}${start}`, `${start}${text}z`] as const;
    }),
    [`q${index}x\\`, `q${index}x ${text}z`],
    // fish reads even an escaped * that is typed as any text.
    ...(shell === 'fish' && /[*?]/.test(text)
      ? []
      : [[`${escaped(text)}q${index}`, `${text}q${index}z`] as const]),
  ]);
}

for (const shell of ['bash', 'zsh', 'fish'] as const) {
  describe(`completion in ${shell}`, { skip: notInstalled(shell) }, () => {
    it('comes when Tab is pressed', async () => {
      const lines = completions.map(([line]) => `authcli ${line}`);
      const file = 'authcli key unwrap x --private-key keys/pri';
      const got = await typed(shell, [...lines, file], ['alice-1']);
      assert.deepEqual(got, [
        ...completions.map(([line, added]) => `${line}${added}`.split(' ')),
        ['key', 'unwrap', 'x', '--private-key', 'keys/private key.pem'],
      ]);
    });

    // In bash, no value that needs quotes is offered.
    if (shell === 'bash') return;
    it('completes any value to one word, whatever quote is open', async () => {
      const begun = cases(shell);
      const lines = begun.map(([start]) => `authcli users show ${start}`);
      const values = begun.map(([, value]) => value);
      const got = await typed(shell, lines, values);
      assert.deepEqual(
        got,
        values.map((value) => ['users', 'show', value]),
      );
    });
  });
}

it('completion in zsh is loaded from a folder of functions as well', {
  skip: notInstalled('zsh'),
}, async () => {
  const got = await typed('zsh', ['authcli dem'], [], ['-f -i', functionsOfZsh]);
  assert.deepEqual(got, [['demo']]);
});

it('completion in fish says what each offer is', { skip: notInstalled('fish') }, () => {
  const code = `${completionScripts.fish}\ncomplete -C 'authcli dem'`;
  const folder = mkdtempSync(join(tmpdir(), 'authcli-completion-'));
  const program = join(folder, 'authcli');
  writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' '${bin}' "$@"\n`, { mode: 0o755 });
  const env = { ...process.env, PATH: `${folder}:${process.env.PATH}` };
  const shown = execFileSync('fish', ['--no-config', '-c', code], { env, encoding: 'utf8' });
  assert.match(shown, /^demo\ta sign-up and a sign-in/);
});
