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
  for (const option of ['--report', '--har']) {
    it(`is private from the start, also where it was not before (${option})`, async () => {
      for (const before of [undefined, 0o644, 0o666]) {
        const file = join(folder, `${option.slice(2)}-${before ?? 'new'}`);
        if (before !== undefined) writeFileSync(file, 'old');
        if (before !== undefined) chmodSync(file, before);
        const value = option === '--report' ? `json=${file}` : file;
        const argv = [...verify, option, value, '--show-secrets'];
        await run(argv, { configFile: join(folder, 'config.json') });
        assert.equal(modeOf(file), '600');
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
