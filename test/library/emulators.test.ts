import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { startApplication, startService } from '../../src/library/emulators.ts';
import { signIn } from '../../src/library/signin.ts';

describe('startApplication', () => {
  it('keeps nothing beside itself: two know different users', async () => {
    const users = [{ ptnCd: 'alice', key: 'k'.repeat(32), state: 'known' }] as const;
    await using one = await startApplication({ users });
    await using other = await startApplication();
    const known = one.users().map(({ ptnCd, key, state }) => ({ ptnCd, key, state }));
    assert.deepEqual([known, other.users()], [users, []]);
    assert.notEqual(one.port, other.port);
    assert.equal(one.url, `http://127.0.0.1:${one.port}/callback`);
  });

  it('switches faults on and off, and refuses those that there are not', async () => {
    await using application = await startApplication({ faults: ['oaep-sha1'] });
    const { faults } = application;
    const once = { name: 'hex', times: 2, ptnCd: 'alice' };
    faults.on(once);
    assert.deepEqual(faults.active(), [{ name: 'oaep-sha1' }, once]);
    assert.deepEqual([faults.off('hex'), faults.off()], [1, 1]);
    assert.throws(() => faults.on('oaep-sha'), { code: 'usage', hint: /oaep-sha1/ });
    await assert.rejects(startApplication({ faults: ['nonsense'] }), { code: 'usage' });
  });

  it('closes once, by itself or by its signal', async () => {
    const controller = new AbortController();
    const application = await startApplication({ signal: controller.signal });
    controller.abort();
    await application.close();
    await application.close();
    await assert.rejects(fetch(application.url), TypeError);
    await assert.rejects(startApplication({ signal: controller.signal }), { name: 'AbortError' });
  });
});

describe('startService', () => {
  it('shows secrets in the journal only where it is asked to', async () => {
    for (const showSecrets of [false, true]) {
      await using service = await startService({ showSecrets });
      const { clientId, secretKey, url: authUrl } = service;
      const ptnToken = service.issuePtnToken('alice');
      await signIn({ authUrl, clientId, secretKey, ptnToken });
      const [asked] = service.journal({ operation: 'token' });
      assert.equal(asked?.client_id, clientId);
      for (const secret of [secretKey, ptnToken])
        assert.equal(JSON.stringify(asked).includes(secret), showSecrets);
    }
  });

  it('signs up on request of another process, without telling a secret', async () => {
    await using application = await startApplication();
    await using service = await startService({ callbackUrl: application.url });
    const order = async (fields: object) => {
      const body = JSON.stringify({ ptn_cd: 'carol', ...fields });
      const response = await fetch(`${service.url}/_authcli/signup`, { method: 'POST', body });
      return response.text();
    };
    const text = await order({ super_passcode: 'a-passcode-of-carol' });
    const { ptn_cd, signed_up } = JSON.parse(text);
    assert.deepEqual([ptn_cd, signed_up], ['carol', true]);
    const { key = '', superPasscode } = application.user('carol') ?? {};
    assert.equal(superPasscode, 'a-passcode-of-carol');
    for (const secret of [key, 'a-passcode-of-carol']) assert.ok(!text.includes(secret));
    application.faults.on('code=E42:Cannot store carol.private@example.com');
    const failed = await order({ email: 'carol.private@example.com' });
    assert.match(failed, /Cannot store \[redacted\]/);
    assert.doesNotMatch(failed, /carol\.private/);
  });

  it('knows its users, and needs to know where to sign up', async () => {
    await using service = await startService({ secretKey: 's3cret' });
    const { clientId, secretKey, url: authUrl } = service;
    assert.equal(secretKey, 's3cret');
    await assert.rejects(service.signUp(), { code: 'usage', message: /No callback URL/ });
    service.addUser({ ptnCd: 'dave', key: 'k'.repeat(32), superPasscode: '1234' });
    const ptnToken = service.issuePtnToken('dave');
    const { ok, ptnCd } = await signIn({ authUrl, clientId, secretKey, ptnToken });
    assert.deepEqual([ok, ptnCd], [true, 'dave']);
  });
});
