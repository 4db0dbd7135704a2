import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import module, { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, describe, it } from 'node:test';
import { behavesAsInstalled } from './bin.ts';
import { bin } from './support/program.ts';

/*
 * The program as it is installed: the bundle in dist/, started as a process of its own.
 */

const folder = mkdtempSync(join(tmpdir(), 'authcli-bin-'));

describe('the installed program', () => {
  after(() => rmSync(folder, { recursive: true, force: true }));

  behavesAsInstalled([process.execPath, bin], { keepsCode: 'enableCompileCache' in module });

  it('says how to build what is not built', () => {
    const bare = join(folder, 'bare');
    cpSync('bin', join(bare, 'bin'), { recursive: true });
    for (const argv of [['--version'], ['key', 'generate']]) {
      const started = spawnSync(process.execPath, [join(bare, 'bin/authcli.js'), ...argv]);
      assert.match(started.stderr.toString(), /not built yet/);
      assert.equal(started.status, 70);
    }
  });

  it('is a library too', async () => {
    const library = (await import(resolve('dist/index.js'))) as typeof import('../src/index.ts');
    const { publicKey, privateKey } = await library.generateKeyPair();
    const key = library.generateUserKey();
    const encPartnerKey = library.wrapKey({ key, publicKey });
    assert.equal(library.unwrapKey({ encPartnerKey, privateKey }).key, key);
    const required = createRequire(import.meta.url)('authcli') as typeof library;
    assert.deepEqual(Object.keys(required), Object.keys(library));
  });

  it('leaves the process of those who import it alone', () => {
    const files = new Set(['index.cjs']);
    for (const file of files) {
      const text = readFileSync(join('dist', file), 'utf8');
      assert.doesNotMatch(text, /setFlagsFromString|process\.(?:argv|exit|stdout|stderr)\b/, file);
      for (const [, chunk = ''] of text.matchAll(/=require\("\.\/([^"]+)"\)/g)) files.add(chunk);
    }
  });
});
