import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileError, replaceFiles } from '../../src/state/files.ts';
import { coded, temporaryFolder } from './temporary-state.ts';

it('a refusal of the platform is put in words, and a mistake of the program is left', () => {
  for (const [code, message, hint] of [
    ['EACCES', "Can't write F: permission denied.", /owner and the mode/],
    ['ENOSPC', "Can't write F: the disk is full.", /Free some space/],
    ['EIO', "Can't write F: the system reports EIO.", /^$/],
  ] as const) {
    const cause = Object.assign(new Error('secret'), { code, syscall: 'open', errno: -1 });
    const error = fileError(cause, 'write', 'F');
    coded('config', message, hint)(error);
    assert.equal((error as Error).cause, cause);
  }
  for (const error of [new TypeError('x'), Object.assign(new Error(), { code: 'X' }), 'text'])
    assert.equal(fileError(error, 'write', 'F'), error);
});

describe('replacing files', () => {
  it('puts all in place, and lets others have their turn', async () => {
    const folder = temporaryFolder();
    const files = Array.from({ length: 600 }, (_, index) => {
      return { file: join(folder, `${index}`), text: `${index}` };
    });
    let turns = 0;
    const timer = setInterval(() => {
      turns += 1;
    }, 0);
    await replaceFiles(files, randomBytes, () => {});
    clearInterval(timer);
    assert.equal(readdirSync(folder).length, 600);
    for (const { file, text } of files) assert.equal(readFileSync(file, 'utf8'), text);
    assert.ok(turns > 0);
  });

  it('changes nothing when one of them can not be written, or the lock was lost', async () => {
    const folder = temporaryFolder();
    const first = { file: join(folder, 'first'), text: 'after' };
    writeFileSync(first.file, 'before');
    const second = { file: join(folder, 'missing', 'second'), text: '' };
    const gone = coded('config', /^Can't write .*second: its folder is gone\.$/);
    await assert.rejects(
      replaceFiles([first, second], randomBytes, () => {}),
      gone,
    );
    const confirm = () => {
      throw new Error('lost');
    };
    await assert.rejects(replaceFiles([first], randomBytes, confirm), /lost/);
    assert.deepEqual(readdirSync(folder), ['first']);
    assert.equal(readFileSync(first.file, 'utf8'), 'before');
  });
});
