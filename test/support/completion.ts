import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { completionScripts, type Shell } from '../../src/cli/complete/completion-scripts.ts';
import { run } from './run.ts';

/** A folder to complete in: `authcli` on the PATH, the script of the shell, some files, a profile and a user. */
export interface CompletionHome {
  readonly cwd: string;
  readonly script: string;
  readonly env: Readonly<Record<string, string>>;
  remove(): void;
}

/** The program is the installed one, so that the build's ready data is what responds. */
export async function completionHome(shell: Shell): Promise<CompletionHome> {
  const cwd = mkdtempSync(join(tmpdir(), 'authcli-completion-'));
  const configFile = join(cwd, 'config.json');
  const script = join(cwd, '_authcli');
  writeFileSync(script, completionScripts[shell]);
  mkdirSync(join(cwd, 'bin'));
  const bin = join(cwd, 'bin', 'authcli');
  writeFileSync(bin, `#!/bin/sh\nexec '${process.execPath}' '${resolve('bin/authcli.js')}' "$@"\n`);
  chmodSync(bin, 0o755);
  mkdirSync(join(cwd, 'keys'));
  writeFileSync(join(cwd, 'keys', 'private key.pem'), '');
  writeFileSync(join(cwd, 'payload.txt'), '');
  await run(['config', 'profile', 'create', 'staging'], { configFile });
  const user = JSON.stringify({ ptn_cd: 'alice-1', key: 'k'.repeat(32) });
  await run(['users', 'import', '-'], { configFile, stdin: user });
  const PATH = `${join(cwd, 'bin')}:${process.env.PATH ?? ''}`;
  return {
    cwd,
    script,
    env: { PATH, HOME: cwd, AUTHCLI_CONFIG: configFile, LC_ALL: 'C.UTF-8' },
    remove: () => rmSync(cwd, { recursive: true, force: true }),
  };
}
