import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { resolve } from 'node:path';

/** What was on the screen when the program had ended. */
export interface TerminalRun {
  readonly status: number;
  readonly lines: readonly string[];
  /** Everything that was written to the terminal, control sequences and all. */
  readonly raw: string;
}

/** What is waited for on the screen, and the keys that are typed then. */
export type Step = readonly [shown: string, keys: string];

/** Keys as a terminal sends them. */
export const keys = {
  enter: '\r',
  tab: '\t',
  down: '\x1b[B',
  ctrlC: '\x03',
  ctrlD: '\x04',
} as const;

/** Where a program runs. */
interface TerminalEnvironment {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly columns?: number;
}

/** Runs the installed program on a pseudo-terminal. */
export function runOnTerminal(
  argv: readonly string[],
  steps: readonly Step[],
  environment: TerminalEnvironment,
): Promise<TerminalRun> {
  return runAnyOnTerminal(
    [process.execPath, resolve('bin/authcli.js'), ...argv],
    steps,
    // as npx starts it
    { ...environment, env: { npm_command: 'exec', ...environment.env } },
  );
}

/** Runs a program, by its whole path, on a pseudo-terminal, which Python's standard library brings. */
export async function runAnyOnTerminal(
  argv: readonly string[],
  steps: readonly Step[],
  { cwd, env, columns = 100 }: TerminalEnvironment,
): Promise<TerminalRun> {
  const order = {
    argv,
    env: { PATH: process.env.PATH ?? '', HOME: cwd, TERM: 'xterm-256color', ...env },
    cwd,
    columns,
    steps,
  };
  const driver = resolve('test/interop/python/terminal.py');
  const output = await new Promise<string>((done, fail) => {
    execFile('python3', [driver, JSON.stringify(order)], (error, stdout) =>
      error === null ? done(stdout) : fail(error),
    );
  });
  const { waiting, ...run } = JSON.parse(output) as TerminalRun & { waiting: string[] };
  assert.deepEqual(waiting, [], `still waited for it:\n${run.lines.join('\n')}`);
  return run;
}
