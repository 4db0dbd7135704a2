import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { makeCertificate } from '../support/certificates.ts';
import { violations } from '../support/json-schema.ts';
import { newProfile } from '../support/tls-emulator.ts';

const schema = JSON.parse(readFileSync('schemas/tls-1.json', 'utf8'));

it('schemas/tls-1.json describes how commands listen with https', async (test) => {
  const { listen, folder } = newProfile();
  const { tls } = await listen(test, 'emulate', 'app', '--tls');
  assert.deepEqual(violations(tls, schema), []);
  const { cert, key } = makeCertificate();
  writeFileSync(join(folder, 'cert.pem'), cert);
  writeFileSync(join(folder, 'key.pem'), key, { mode: 0o600 });
  const given = ['--tls-cert', 'cert.pem', '--tls-key', 'key.pem'];
  const other = await listen(test, 'emulate', 'service', ...given);
  assert.deepEqual(violations(other.tls, schema), []);
  assert.notDeepEqual(violations({ ...other.tls, valid_to: 'soon' }, schema), []);
});
