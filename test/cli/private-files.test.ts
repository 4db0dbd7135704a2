import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { run } from '../support/run.ts';

const folder = mkdtempSync(join(tmpdir(), 'authcli-private-'));
after(() => rmSync(folder, { recursive: true, force: true }));

const verify = ['verify', '--url', 'http://127.0.0.1:1/callback', '--check', 'protocol/tls'];
const modeOf = (file: string): string => (statSync(file).mode & 0o777).toString(8);

describe('a file with secrets', () => {
  const load = ['load', '--url', 'http://127.0.0.1:1/callback', '--signups', '1'];
  const writers: readonly (readonly [name: string, argv: (file: string) => string[]])[] = [
    ['verify --report', (file) => [...verify, '--report', `html=${file}`]],
    ['verify --har', (file) => [...verify, '--har', file]],
    ['load --report', (file) => [...load, '--report', `json=${file}`]],
  ];
  for (const [name, argvFor] of writers) {
    it(`is private from the start, also where it was not before (${name})`, async () => {
      for (const before of [undefined, 0o644, 0o666]) {
        const file = join(folder, `${name.replaceAll(' ', '')}-${before ?? 'new'}`);
        if (before !== undefined) writeFileSync(file, '');
        if (before !== undefined) chmodSync(file, before);
        const argv = [...argvFor(file), '--show-secrets'];
        await run(argv, { configFile: join(folder, 'config.json') });
        assert.equal(modeOf(file), '600');
        assert.notEqual(statSync(file).size, 0);
      }
    });
  }

  it('is an ordinary file without secrets', async () => {
    const file = join(folder, 'shared.json');
    writeFileSync(file, 'old');
    chmodSync(file, 0o644);
    const argv = [...verify, '--report', `json=${file}`];
    await run(argv, { configFile: join(folder, 'config.json') });
    assert.equal(modeOf(file), '644');
  });
});
