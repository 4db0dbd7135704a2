import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { run } from '../support/run.ts';

const folder = mkdtempSync(join(tmpdir(), 'authcli-meant-file-'));
const key = 'q4XyVb0RkfM2sPzL8aWnTd6HjC1uEg9Y';
writeFileSync(join(folder, 'public.pem'), 'no key either\n');
writeFileSync(join(folder, 'key.txt'), key, { mode: 0o600 });
mkdirSync(join(folder, 'folder'));

const authcli = (...argv: readonly string[]) =>
  run(argv, { cwd: folder, configFile: join(folder, 'config.json') });

describe('the name of a file where its content belongs', () => {
  after(() => rmSync(folder, { recursive: true, force: true }));

  const named: readonly (readonly [argv: readonly string[], note: string])[] = [
    [
      ['key', 'wrap', 'file:key.txt', '--public-key', 'public.pem'],
      'note: --public-key: this is the name of a file; to read the file, put @ before it.',
    ],
    [
      ['key', 'inspect', 'public.pem'],
      'note: <text>: this is the name of a file; to read the file, put @ before it.',
    ],
    [
      ['decrypt', 'AAAA', '--key', 'key.txt'],
      'note: --key: this is the name of a file; to read the file, put file: before it.',
    ],
  ];
  for (const [argv, note] of named) {
    it(`is reported by ${argv.slice(0, 2).join(' ')}`, async () => {
      const { status, stderr } = await authcli(...argv);
      assert.notEqual(status, 0);
      assert.ok(stderr.split('\n').includes(note), stderr);
    });
  }

  const others: readonly (readonly [about: string, argv: readonly string[]])[] = [
    ['no file', ['key', 'inspect', 'private.pem']],
    ['a folder', ['key', 'inspect', 'folder']],
    ['a name that no file can have', ['key', 'inspect', 'x'.repeat(5000)]],
    ['a file that was read', ['key', 'inspect', '@public.pem']],
    ['a text that served', ['encrypt', 'key.txt', '--key', key]],
  ];
  for (const [about, argv] of others) {
    it(`is not said of ${about}`, async () => {
      assert.doesNotMatch((await authcli(...argv)).stderr, /name of a file/);
    });
  }
});
