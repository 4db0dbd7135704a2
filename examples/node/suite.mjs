// The tests of the application, for node:test (application.test.mjs) and vitest (application.vitest.mjs).
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { formatReport, startService, verifyCallback } from 'authcli';
import { createApplication } from './application.mjs';
import { createApplicationServer } from './server.mjs';

export function describeApplication({ describe, it, beforeAll, afterAll }) {
  describe('the application', () => {
    let service;
    let application;
    let server;
    let callback;

    beforeAll(async () => {
      service = await startService();
      const { clientId, secretKey, url: authUrl } = service;
      application = createApplication({ clientId, secretKey, authUrl });
      server = createApplicationServer(application).listen(0, '127.0.0.1');
      await once(server, 'listening');
      callback = { url: `http://127.0.0.1:${server.address().port}/callback` };
    });

    afterAll(async () => {
      server.close();
      await service.close();
    });

    it('responds to the callbacks as the interface says', async () => {
      const { ok, report } = await verifyCallback(callback);
      assert.ok(ok, await formatReport(report));
    }, 60_000);

    it('signs in whom it signed up', async () => {
      const { ptnCd } = await service.signUp(callback);
      assert.equal(await application.signIn(service.issuePtnToken(ptnCd)), ptnCd);
    });

    it('lets no user in with another passcode', async () => {
      const { ptnCd } = await service.signUp(callback);
      service.faults.on({ name: 'wrong-passcode', times: 1 });
      await assert.rejects(application.signIn(service.issuePtnToken(ptnCd)), /another passcode/);
    });

    it('lets no unknown user in', async () => {
      service.addUser({ ptnCd: 'mallory', key: 'k'.repeat(32), superPasscode: '482913' });
      await assert.rejects(application.signIn(service.issuePtnToken('mallory')), /not registered/);
    });

    it('lets no user in while the service refuses', async () => {
      const { ptnCd } = await service.signUp(callback);
      service.faults.on({ name: 'refuses-token', times: 1 });
      await assert.rejects(application.signIn(service.issuePtnToken(ptnCd)), /process.token/);
    });
  });
}
