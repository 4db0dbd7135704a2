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
import { completionScripts } from '../../src/cli/complete/completion-scripts.ts';
import { draws } from '../support/draws.ts';
import { fc } from '../support/fast-check.ts';
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
const completions: readonly (readonly [typed: string, added: string])[] = [
  ['dem', 'o'],
  ['key w', 'rap'],
  ['config prof', 'ile'],
  ['--json key w', 'rap'],
  ['verify --upd', 'ate-expect'],
  ['verify --strict --str', ''],
  ['verify --check key-exchange/wr', 'aps-key'],
  ['verify --format g', 'ithub'],
  ['emulate app --fault oaep-sha51', '2'],
  ['decrypt --cipher aria-256-g', 'cm'],
  ['config set expire', '-time-zone'],
  ['users list --profile st', 'aging'],
  ['users show al', 'ice-1'],
  ['signin --ptn-cd al', 'ice-1'],
  ['emulate app -- cat pay', 'load.txt'],
];

/** How a user begins to type a value. */
const typings = ['bare', 'single', 'double', 'escape'] as const;

/** What shells read as something else than itself, commands that leave a file, and text that is only text. */
const pieces = [
  ...`'"\\$\`;|&!*?~#()<>{}[]^%=:@,-+ ab`,
  ...['é', '한', '😀', '\u00a0', '$HOME', '{a,b}', '!!', '!$', '~root', '--', '$(touch ran)'],
  ...[';touch ran;', '|touch ran', '`touch ran`', '&&touch ran', '>ran'],
  ...["';touch ran;'", '";touch ran;"'],
];

interface Case {
  readonly value: string;
  /** How much of it is typed, in UTF-16 units. */
  readonly typed: number;
  readonly typing: (typeof typings)[number];
}

/** Values of which no two begin alike, though with any sign. */
function cases(shell: Shell, count: number): readonly Case[] {
  const piece = fc.constantFrom(...pieces);
  const parts = fc.array(piece, { minLength: 1, maxLength: 4 });
  const drawn = fc
    .tuple(piece, parts, fc.nat(3), fc.constantFrom(...typings))
    .map(([lead, all, more, typing]) => {
      return { lead, all, typing, more: all.slice(0, Math.min(more, all.length - 1)) };
    })
    // fish closes no quote where nothing is added, and reads even a quoted * that is typed as any text.
    .filter(({ lead, more }) => shell !== 'fish' || !/[*?]/.test([lead, ...more].join('')));
  return fc.sample(drawn, count).map(({ lead, all, more, typing }, index) => {
    const start = `${lead}q${index.toString(36).padStart(2, '0')}`;
    const typed = start.length + more.join('').length;
    return { value: `${start}${all.join('')}`, typed, typing };
  });
}

/** The start of a word that becomes the start of the value, as each shell's manual has it. */
function begun(shell: Shell, { value, typed, typing }: Case): string {
  const text = value.slice(0, typed);
  const bare = text.replace(/[^\w\u0080-\uffff-]/g, '\\$&');
  // Untypable without a second quoted part: a quote between single quotes of zsh, and a backtick between double ones of fish.
  const sign = { single: shell === 'zsh' ? "'" : '', double: shell === 'fish' ? '`' : '' };
  if (typing === 'escape') return /^[!-,./:-@[-`{-~]/.test(value.slice(typed)) ? `${bare}\\` : bare;
  // fish closes no quote behind these, as it adds no blank.
  const isLeftOpen = shell === 'fish' && /[/=@:.,-]$/.test(value);
  if (typing === 'bare' || isLeftOpen || (sign[typing] !== '' && text.includes(sign[typing])))
    return bare;
  return typing === 'single' ? `'${single[shell](text)}` : `"${double[shell](text)}`;
}

const single: Readonly<Record<Shell, (text: string) => string>> = {
  bash: (text) => text.replaceAll("'", `'\\''`),
  zsh: (text) => text,
  fish: (text) => text.replace(/['\\]/g, '\\$&'),
};

const double: Readonly<Record<Shell, (text: string) => string>> = {
  bash: (text) => text.replace(/["$`\\]/g, '\\$&').replaceAll('!', `"'!'"`),
  zsh: (text) => text.replace(/["$`\\!]/g, '\\$&'),
  fish: (text) => text.replace(/["$\\]/g, '\\$&'),
};

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

    it('completes any value to one word, whatever quote is open', async () => {
      const drawn = cases(shell, draws(8));
      const lines = drawn.map((each) => `authcli users show ${begun(shell, each)}`);
      const values = drawn.map(({ value }) => value);
      const got = await typed(shell, lines, values);
      const expected = values.map((value) => ['users', 'show', value]);
      assert.deepEqual(
        got.map((argv, index) => [lines[index], ...argv]),
        expected.map((argv, index) => [lines[index], ...argv]),
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
