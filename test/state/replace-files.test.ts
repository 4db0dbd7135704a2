import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { isTemporaryName, replaceFiles } from '../../src/state/replace-files.ts';
import { coded, temporaryFolder } from './temporary-state.ts';

const options = { randomBytes };

describe('replacing files', () => {
  it('puts all of them in place', async () => {
    const folder = temporaryFolder();
    const files = Array.from({ length: 1000 }, (_, index) => ({
      file: join(folder, `${index}.json`),
      text: `text ${index}`,
    }));
    await replaceFiles(files, options);
    assert.equal(readdirSync(folder).length, 1000);
    for (const { file, text } of files) assert.equal(readFileSync(file, 'utf8'), text);
  });

  it('reports now and then how many are written', async () => {
    const folder = temporaryFolder();
    const files = Array.from({ length: 600 }, (_, index) => ({
      file: join(folder, `${index}`),
      text: '',
    }));
    const told: number[] = [];
    await replaceFiles(files, { randomBytes, onWritten: (count) => told.push(count) });
    assert.deepEqual(told, [255, 511]);
  });

  it('lets others have their turn in between', async () => {
    const folder = temporaryFolder();
    const files = Array.from({ length: 600 }, (_, index) => ({
      file: join(folder, `${index}`),
      text: '',
    }));
    let turns = 0;
    const timer = setInterval(() => {
      turns += 1;
    }, 0);
    await replaceFiles(files, options);
    clearInterval(timer);
    assert.ok(turns > 0);
  });

  it('changes nothing when one of them can not be written', async () => {
    const folder = temporaryFolder();
    const first = join(folder, 'first');
    writeFileSync(first, 'before');
    const files = [
      { file: first, text: 'after' },
      { file: join(folder, 'missing', 'second'), text: '' },
    ];
    await assert.rejects(
      replaceFiles(files, options),
      coded('config', /^Can't write .*second: its folder is gone\.$/),
    );
    assert.deepEqual(readdirSync(folder), ['first']);
    assert.equal(readFileSync(first, 'utf8'), 'before');
  });

  it('changes nothing when the lock was lost meanwhile', async () => {
    const folder = temporaryFolder();
    const lost = () => {
      throw new Error('lost');
    };
    await assert.rejects(
      replaceFiles([{ file: join(folder, 'a'), text: '' }], { randomBytes, confirm: lost }),
      /lost/,
    );
    assert.deepEqual(readdirSync(folder), []);
  });
});

describe('the names of unfinished writes', () => {
  for (const [name, expected] of [
    ['config.json.tmp-0123456789abcdef', true],
    ['a.json.tmp-00ff', true],
    ['config.json', false],
    ['config.json.tmp-', false],
    ['config.json.tmp-note', false],
  ] as const) {
    it(`${expected ? 'include' : 'do not include'} ${name}`, () => {
      assert.equal(isTemporaryName(name), expected);
    });
  }
});
