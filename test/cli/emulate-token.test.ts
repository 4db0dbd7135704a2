import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { run } from '../support/run.ts';
import { startSide } from '../support/side.ts';

const folder = mkdtempSync(join(tmpdir(), 'authcli-emulate-token-'));
const configFile = join(folder, 'config.json');
const account = { AUTHCLI_CLIENT_ID: 'shop', AUTHCLI_SECRET_KEY: 'a-secret-key-of-the-tests' };

async function askForToken(origin: string, fields: object): Promise<Response> {
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify(fields);
  return fetch(new URL('/_authcli/ptn-token', origin), { method: 'POST', headers, body });
}

describe('POST /_authcli/ptn-token', () => {
  after(() => rmSync(folder, { recursive: true, force: true }));

  it('issues a token with which the user signs in', async () => {
    const application = await startSide(['app'], { configFile, env: account });
    const signup = ['simulate-signup', '--url', application.url, '--ptn-cd', 'alice'];
    await run(signup, { configFile, env: account });
    await application.stop();
    const service = await startSide(['service'], { configFile, env: account });
    const issued = (await (await askForToken(service.url, { ptn_cd: 'alice' })).json()) as {
      readonly ok: boolean;
      readonly ptn_token: string;
    };
    assert.equal(issued.ok, true);
    const refused = await askForToken(service.url, {});
    const env = { ...account, AUTHCLI_PTN_TOKEN: issued.ptn_token };
    const signin = await run(['signin', '--auth-url', service.url, '--json'], { configFile, env });
    const { stdout } = await service.stop();
    assert.equal((JSON.parse(signin.stdout) as { passcode: string }).passcode, 'match');
    assert.equal(refused.status, 400);
    assert.equal(stdout.includes(issued.ptn_token), false, 'the journal does not show it');
  });

  it('is not a path of the emulated application', async () => {
    const application = await startSide(['app'], { configFile, env: account });
    const { status } = await askForToken(application.url, { ptn_cd: 'alice' });
    await application.stop();
    assert.equal(status, 404);
  });

  it('can be made to refuse a sign-in with a chosen code', async () => {
    const fault = ['--fault', 'code=E900:Wait a minute'];
    const service = await startSide(['service', ...fault], { configFile, env: account });
    const env = { ...account, AUTHCLI_PTN_TOKEN: 'any-token-of-a-user' };
    const { stdout } = await run(['signin', '--auth-url', service.url, '--json'], {
      configFile,
      env,
    });
    await service.stop();
    const { token } = JSON.parse(stdout) as { token: { code: string; message: string } };
    assert.deepEqual([token.code, token.message], ['E900', 'Wait a minute']);
  });
});
