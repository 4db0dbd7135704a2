import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { errnoCode, fileError } from '../../src/state/files.ts';
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

  it('is told from a mistake of the program', () => {
    for (const error of [new TypeError('x'), Object.assign(new Error(), { code: 'X' }), 'text']) {
      assert.equal(fileError(error, 'write', 'F'), error);
      assert.equal(errnoCode(error), undefined);
    }
  });
});
