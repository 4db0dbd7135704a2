import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { makeCertificate } from '../support/certificates.ts';
import { violations } from '../support/json-schema.ts';
import { newProfile } from '../support/tls-emulator.ts';

const schema = JSON.parse(readFileSync('schemas/tls-1.json', 'utf8')) as { $defs: object };
const listening = { $ref: '#/$defs/listening', $defs: schema.$defs };

describe('schemas/tls-1.json', () => {
  it('describes what tls and commands that listen print with --json', async (test) => {
    const { run, listen, folder } = newProfile();
    const printed = async (...argv: string[]) => {
      const { status, stdout, stderr } = await run('tls', ...argv, '--json');
      assert.equal(status, 0, stderr);
      const document = JSON.parse(stdout);
      assert.deepEqual(violations(document, schema), [], stdout);
      return document;
    };
    assert.equal((await printed('show')).ca, null);
    assert.equal((await printed('ca')).command, 'tls ca');
    assert.equal((await printed('show')).server, null);
    const { tls } = await listen(test, 'emulate', 'app', '--tls');
    assert.deepEqual(violations(tls, listening), []);
    assert.deepEqual((await printed('show')).server.names, tls.names);
    assert.deepEqual((await printed('cert', '--client', 'c', '--out', 'client')).names, []);
    assert.equal((await printed('remove')).removed, true);
    const { cert, key } = makeCertificate();
    writeFileSync(join(folder, 'cert.pem'), cert);
    writeFileSync(join(folder, 'key.pem'), key, { mode: 0o600 });
    const given = ['--tls-cert', 'cert.pem', '--tls-key', 'key.pem'];
    const other = await listen(test, 'emulate', 'service', ...given);
    assert.deepEqual(violations(other.tls, listening), []);
    assert.notDeepEqual(violations({ ...other.tls, valid_to: 'soon' }, listening), []);
  });
});
