import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, it } from 'node:test';
import { fixture } from '../../support/fixtures.ts';
import { run } from '../../support/run.ts';

const password = 'changeit';
const keytool = (command: string, ...argv: string[]) =>
  execFileSync('keytool', [command, '-J-Duser.language=en', ...argv], {
    encoding: 'utf8',
    stdio: 'pipe',
  });

describe('keytool', () => {
  it('opens the key store that key convert writes, its key and its chain', async (context) => {
    const folder = mkdtempSync(join(tmpdir(), 'authcli-convert-keytool-'));
    context.after(() => rmSync(folder, { recursive: true, force: true }));
    const [ours, theirs, pem] = ['ours.p12', 'theirs.p12', 'key.pem'].map((n) => join(folder, n));
    const convert = async (from = '', to = '', more: readonly string[] = []) => {
      const argv = ['key', 'convert', from, '--private-key-password', 'env:OLD', '--out', to];
      const env = { OLD: from === theirs ? password : 'example', NEW: password };
      const configFile = join(folder, 'config.json');
      const { status, stderr } = await run([...argv, ...more], { configFile, env });
      assert.equal(status, 0, stderr);
    };
    await convert(resolve('fixtures/keys/stores/chain.p12'), ours, ['--out-password', 'env:NEW']);

    const list = (storepass: string) =>
      keytool('-list', '-v', '-keystore', ours ?? '', '-storepass', storepass);
    const listed = list(password);
    assert.match(listed, /Alias name: chain\n[\s\S]*Entry type: PrivateKeyEntry\n/);
    const length = fixture('keys/stores/chain.pem').match(/BEGIN CERTIFICATE/g)?.length;
    assert.match(listed, new RegExp(`Certificate chain length: ${length}\n`));
    assert.throws(() => list('another'), {
      stdout: /Integrity check failed|password was incorrect/,
    });

    const passwords = ['-srcstorepass', password, '-deststorepass', password];
    const stores = ['-srckeystore', ours ?? '', '-destkeystore', theirs ?? ''];
    keytool('-importkeystore', '-noprompt', ...stores, ...passwords);
    await convert(theirs, pem);
    const [key] =
      /-----BEGIN PRIVATE KEY[\s\S]*?END PRIVATE KEY-----\n/.exec(
        readFileSync(pem ?? '', 'utf8'),
      ) ?? [];
    assert.equal(key, fixture('keys/private.pkcs8.pem'));
  });
});
