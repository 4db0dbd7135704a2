import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { makeCertificate } from '../support/certificates.ts';

// Node reads the variable when it starts.
it('trusts the authorities of NODE_EXTRA_CA_CERTS, also beside an added one', () => {
  const authority = makeCertificate({ commonName: 'Test Root', isAuthority: true });
  const other = makeCertificate({ isAuthority: true });
  const good = makeCertificate({ issuer: authority });
  const extra = join(tmpdir(), 'extra.pem');
  writeFileSync(extra, authority.cert);
  const script = `
    import { always, okResponse } from './test/support/fault-server.ts';
    import { exchangeWith } from './test/support/client.ts';
    const extraCa = ${JSON.stringify(authority.cert)};
    for (const options of [{}, { ca: ${JSON.stringify(other.cert)}, extraCa }]) {
      const serve = always(okResponse('{}'));
      const { exchange } = await exchangeWith(serve, options, ${JSON.stringify(good)});
      console.log(exchange.response?.status);
    }`;
  const argv = ['--import', 'tsx', '--input-type=module', '--eval', script];
  const env = { ...process.env, NODE_EXTRA_CA_CERTS: extra };
  const { stdout, stderr } = spawnSync(process.execPath, argv, { encoding: 'utf8', env });
  assert.equal(stdout, '200\n200\n', stderr);
});
