import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { inspectKeyText } from '../../src/diagnosis/key-text.ts';
import { diagnosePerUserKey } from '../../src/diagnosis/per-user-key.ts';
import { run } from '../support/run.ts';

const folder = mkdtempSync(join(tmpdir(), 'authcli-plurals-'));
const configFile = join(folder, 'config.json');

describe('one of a thing', () => {
  after(() => rmSync(folder, { recursive: true, force: true }));

  it('is a character in the notes and errors of a key', async () => {
    const payload = Buffer.alloc(32).toString('base64');
    const decrypted = await run(
      ['decrypt', payload, '--key', 'x', '--cipher', 'aes-256-cbc?key=sha256'],
      { configFile },
    );
    assert.match(decrypted.stderr, /the per-user key has 1 character;/);
    const wrapped = await run(
      ['key', 'wrap', 'x', '--public-key', '@fixtures/keys/public.spki.base64'],
      { configFile },
    );
    assert.match(wrapped.stderr, /The per-user key has 1 character;/);
    const { diagnoses } = diagnosePerUserKey(Buffer.from('x'));
    assert.match(diagnoses[0]?.message ?? '', /^The key has 1 character instead of 32/);
    assert.doesNotMatch(inspectKeyText('x').notes.join(), /1 characters/);
  });

  it('is a user in what doctor says', async () => {
    const row = JSON.stringify({ ptn_cd: 'alice', key: 'Zk3v9QxT1mB7cRf0LwY8nHs5JdPa2UgE' });
    await run(['users', 'import', '-'], { configFile, stdin: row });
    const { stdout } = await run(['doctor'], { configFile });
    assert.match(stdout, /, 1 user known\./);
  });
});
