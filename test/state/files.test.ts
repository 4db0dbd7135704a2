import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { errnoCode, fileError, makeFolder, makeFolders } from '../../src/state/files.ts';
import { coded } from './temporary-state.ts';

describe('a refusal of the platform', () => {
  const refusal = (code: string) =>
    Object.assign(new Error('secret'), { code, syscall: 'open', errno: -1 });

  for (const [code, message, hint] of [
    ['EACCES', "Can't write F: permission denied.", /owner and the mode/],
    ['EPERM', "Can't write F: permission denied.", /owner and the mode/],
    ['EROFS', "Can't write F: the file system is read-only.", /can be written/],
    ['ENOSPC', "Can't write F: the disk is full.", /Free some space/],
    ['EDQUOT', "Can't write F: the disk quota is used up.", /Free some space/],
    ['EISDIR', "Can't write F: it is a folder, not a file.", /Name a file/],
    ['EIO', "Can't write F: the system reports EIO.", /^$/],
  ] as const) {
    it(`is said in words: ${code}`, () => {
      const error = refusal(code);
      const said = fileError(error, 'write', 'F');
      coded('config', message, hint)(said);
      assert.equal((said as Error).cause, error);
    });
  }

  it('is distinguished from a mistake of the program', () => {
    for (const error of [new TypeError('x'), Object.assign(new Error(), { code: 'X' }), 'text']) {
      assert.equal(fileError(error, 'write', 'F'), error);
      assert.equal(errnoCode(error), undefined);
    }
  });
});

describe('a folder that is made', () => {
  const folder = mkdtempSync(join(tmpdir(), 'authcli-files-'));
  after(() => rmSync(folder, { recursive: true }));

  it('is made with those above it, for the owner alone, and may exist', () => {
    const inner = join(folder, 'a', 'b', 'c');
    makeFolder(inner);
    makeFolder(inner);
    for (const each of [inner, join(folder, 'a')]) assert.equal(statSync(each).mode & 0o777, 0o700);
  });

  it('is refused in the place of a file, and below one', () => {
    const file = join(folder, 'file');
    writeFileSync(file, '');
    for (const [path, code] of [
      [file, 'EEXIST'],
      [join(file, 'x', 'y'), 'ENOTDIR'],
    ] as const) {
      assert.throws(() => makeFolders(path), { code });
      assert.throws(() => makeFolder(path), coded('config', /a file is where a folder is needed/));
    }
  });

  it('is refused at once where nothing can be made, such as below /proc', () => {
    assert.throws(() => makeFolder('/proc/authcli/x/y'), coded('config', /^Can't make the folder/));
  });
});
