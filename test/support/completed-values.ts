import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { completionHome } from './completion.ts';
import { fc } from './fast-check.ts';
import { run } from './run.ts';
import { runAnyOnTerminal, type Step } from './terminal.ts';

type Shell = 'bash' | 'zsh' | 'fish';

/** How a user begins to type a value. */
const typings = ['bare', 'single', 'double', 'escape'] as const;

/** What shells read as something else than itself, commands that leave a file, and text that is only text. */
const pieces = [
  ...`'"\\$\`;|&!*?~#()<>{}[]^%=:@,-+ ab`,
  ...['é', '한', '😀', '\u00a0', '$HOME', '{a,b}', '!!', '!$', '~root', '--', '$(touch ran)'],
  ...[
    ';touch ran;',
    '|touch ran',
    '`touch ran`',
    '&&touch ran',
    '>ran',
    "';touch ran;'",
    '";touch ran;"',
  ],
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
  // fish closes no quote where nothing is added, and reads even a quoted * that is typed as any text.
  const drawn = fc
    .tuple(piece, parts, fc.nat(3), fc.constantFrom(...typings))
    .map(([lead, all, more, typing]) => ({
      lead,
      all,
      typing,
      more: all.slice(0, Math.min(more, all.length - 1)),
    }))
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

/** Starts without any configuration; each prompt has its number. */
const starts: Readonly<Record<Shell, { readonly flags: readonly string[]; readonly set: string }>> =
  {
    bash: {
      flags: ['--norc', '-i'],
      set: `PROMPT_COMMAND='n=$((n+1))' PS1='<$n''>'; . ./_authcli`,
    },
    zsh: {
      flags: ['-f', '-i'],
      set: `precmd() { n=$((n+1)) }; setopt promptsubst; PS1='<$n''>'; autoload -U compinit; compinit -u -D; . ./_authcli`,
    },
    fish: {
      flags: ['--no-config', '--private', '-i'],
      set: `function fish_prompt; set -g n (math $n + 1); echo -n "<$n"">"; end; source ./_authcli`,
    },
  };

/**
 * Types the start of each value into a shell, Tab and Enter: the program must get that value as one
 * argument, and nothing else may run.
 */
export async function completesToOneWord(shell: Shell, count: number): Promise<void> {
  const home = await completionHome(shell);
  try {
    const drawn = cases(shell, count);
    const rows = drawn.map(({ value }) => JSON.stringify({ ptn_cd: value, key: 'k'.repeat(32) }));
    const configFile = join(home.cwd, 'config.json');
    const stored = await run(['users', 'import', '-'], { configFile, stdin: rows.join('\n') });
    assert.equal(stored.status, 0, stored.stderr);
    recordArguments(home.cwd);
    const before = readdirSync(home.cwd);
    const lines = drawn.map((each) => `authcli users show ${begun(shell, each)}`);
    const { flags, set } = starts[shell];
    const steps: Step[] = [
      ['', `${set}\r`],
      ...lines.map((line, index): Step => [`<${index + 1}>`, `${line}\t\r`]),
      [`<${count + 1}>`, 'exit\r'],
    ];
    const program = execFileSync('which', [shell], { encoding: 'utf8' }).trim();
    await runAnyOnTerminal([program, ...flags], steps, { ...home, columns: 300 });
    const got = recorded(home.cwd);
    assert.deepEqual(
      got.map((argv, index) => [lines[index], ...argv]),
      drawn.map(({ value }, index) => [lines[index], 'users', 'show', value]),
    );
    const after = readdirSync(home.cwd).filter((name) => name !== 'arguments');
    assert.deepEqual(
      after.filter((name) => !name.startsWith('.')),
      before.filter((name) => !name.startsWith('.')),
      'something else ran',
    );
  } finally {
    home.remove();
  }
}

/** Puts a program before authcli on the PATH that completes as authcli does, and otherwise writes down its arguments. */
function recordArguments(cwd: string): void {
  const bin = join(cwd, 'bin', 'authcli');
  renameSync(bin, `${bin}-itself`);
  writeFileSync(
    bin,
    `#!/bin/sh
[ "$1" = __complete ] && exec '${bin}-itself' "$@"
{ printf '%s\\0' "$@"; printf '\\n\\0'; } >>'${join(cwd, 'arguments')}'
`,
  );
  chmodSync(bin, 0o755);
}

function recorded(cwd: string): readonly (readonly string[])[] {
  const file = join(cwd, 'arguments');
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  return text
    .split('\n\0')
    .slice(0, -1)
    .map((argv) => argv.split('\0').slice(0, -1));
}
