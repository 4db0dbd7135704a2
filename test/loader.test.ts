import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';

/*
 * The program is loaded with the code that the build compiled for one release of Node, its machine
 * and its flags. It must run all the same where there is none, or one that V8 doesn't take.
 */

const folder = mkdtempSync(join(tmpdir(), 'authcli-loader-'));
const compiled = join(folder, 'dist/compiled', `${process.version}-${process.arch}`);
const built = join('dist/compiled', `${process.version}-${process.arch}`, 'main.cjs');

/** What V8 said of the compiled code of each file, by a program that asks at its end. */
const asking = `
  const { load, scripts } = require(${JSON.stringify(join(folder, 'bin/authcli.js'))});
  load('main.cjs').main(['key', 'generate']).then(() => {
    const said = [...scripts.values()].map(({ cachedDataRejected }) => cachedDataRejected);
    process.stderr.write(JSON.stringify(said));
  });`;

function node(flags: readonly string[], ...argv: string[]) {
  const env = { ...process.env, AUTHCLI_CONFIG: join(folder, 'config.json') };
  const options = { encoding: 'utf8', env } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, [...flags, ...argv], options);
  return { status, stdout, stderr };
}

function generatesKey(...flags: string[]): void {
  const { status, stdout, stderr } = node(flags, join(folder, 'bin/authcli.js'), 'key', 'generate');
  assert.equal(stderr, '');
  assert.equal(status, 0);
  assert.match(stdout, /^[A-Za-z0-9]{32}\n$/);
}

describe('the files of the program', () => {
  it('are ASCII, as which they are read', () => {
    // Node itself loads what a thread of its own runs.
    const files = readdirSync('dist').filter(
      (name) => name.endsWith('.cjs') && name !== 'load-worker.cjs',
    );
    assert.ok(files.includes('main.cjs'));
    const others = files.filter((name) =>
      readFileSync(join('dist', name)).some((byte) => byte > 0x7f),
    );
    // esbuild can't write a template that has a tag in another way: such text is written &middot;
    assert.deepEqual(others, []);
  });
});

describe('loading the program', () => {
  for (const name of ['bin', 'dist', 'package.json']) {
    cpSync(name, join(folder, name), { recursive: true });
  }
  after(() => rmSync(folder, { recursive: true, force: true }));

  it('takes the compiled code where this Node built it, in a folder that it may not write to', () => {
    if (existsSync(built)) chmodSync(compiled, 0o555);
    const { stderr } = node([], '-e', asking);
    const said = new Set(JSON.parse(stderr) as readonly (boolean | null)[]);
    assert.deepEqual([...said], [existsSync(built) ? false : null]);
    generatesKey();
  });

  it('works under other flags than it was compiled for', () => generatesKey('--no-opt'));

  for (const [name, content] of [
    ['damaged', Buffer.from('no compiled code')],
    ['empty', Buffer.alloc(0)],
    ['zeroes', Buffer.alloc(4096)],
    ['cut short', existsSync(built) ? readFileSync(built).subarray(0, 5000) : Buffer.alloc(100)],
  ] as const) {
    it(`works with compiled code that is none: ${name}`, () => {
      if (existsSync(compiled)) chmodSync(compiled, 0o755);
      mkdirSync(compiled, { recursive: true });
      writeFileSync(join(compiled, 'main.cjs'), content);
      generatesKey();
    });
  }

  it('works without compiled code', () => {
    rmSync(join(folder, 'dist/compiled'), { recursive: true });
    generatesKey();
  });

  for (const missing of ['dist/main.cjs', 'dist']) {
    it(`says how to build what is not built: no ${missing}`, () => {
      rmSync(join(folder, missing), { recursive: true });
      const { status, stderr } = node([], join(folder, 'bin/authcli.js'), 'key', 'generate');
      assert.equal(status, 70);
      assert.match(stderr, /not built yet/);
    });
  }
});
