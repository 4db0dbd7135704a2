import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { Secret } from '../../src/crypto/secret.ts';
import { AuthcliError, type ErrorCode } from '../../src/errors.ts';
import type { KnownUser } from '../../src/protocol/user.ts';
import { openState, type State } from '../../src/state/state.ts';

const folders: string[] = [];

after(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** An empty folder that is removed after the tests of the file. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'authcli-state-'));
  folders.push(folder);
  return folder;
}

/** The path of a config file that contains `content`; without content there is no file. */
export function configFile(content?: string | Uint8Array, name = 'config.json'): string {
  const file = join(temporaryFolder(), name);
  if (content !== undefined) writeFileSync(file, content, { mode: 0o600 });
  return file;
}

export function stateOf(file: string, profile?: string): State {
  return openState({ configFile: file, profile, randomBytes, os: process.platform });
}

/** The files of all profiles whose name ends so. */
export function ownFiles(file: string, end: string): string[] {
  return readdirSync(`${file}.profiles`, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(end))
    .map((name) => join(`${file}.profiles`, name));
}

export function userNamed(ptnCd: string, key = 'k'.repeat(32)): KnownUser {
  return { ptnCd, key: Secret.key(key), state: 'known' };
}

/** The permission bits of a file or folder, in octal. */
export function modeOf(path: string): string {
  return (statSync(path).mode & 0o777).toString(8);
}

/** Expects an AuthcliError by its code, its message and, where given, its hint. */
export function coded(code: ErrorCode, message: string | RegExp, hint?: string | RegExp) {
  return (error: unknown): true => {
    assert.ok(error instanceof AuthcliError, `no AuthcliError: ${String(error)}`);
    assert.equal(error.code, code);
    expectText(error.message, message);
    if (hint !== undefined) expectText(error.hint, hint);
    return true;
  };
}

function expectText(actual: string, expected: string | RegExp): void {
  if (typeof expected === 'string') assert.equal(actual, expected);
  else assert.match(actual, expected);
}
