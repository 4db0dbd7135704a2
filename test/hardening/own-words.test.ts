import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { startApplication } from '../../src/index.ts';
import { workspace } from '../cli/workspace.ts';
import { startRelayCommand } from '../support/side.ts';

const { path, freshConfig, cliJson } = workspace();
const words = ['POST', 'HTTP/1.1', '1.2', 'E201', '0000', '2026-01-02', '2026-01-02T03:04:05.006Z'];

describe('what authcli writes itself', () => {
  it('lets analyze judge a recorded right sign-up as right, whatever its tokens are', async () => {
    await using application = await startApplication();
    const files = ['--har', path('own.har'), '--record', path('own.jsonl')];
    const relay = await startRelayCommand(['--to', `${application.origin}/callback`, ...files], {
      configFile: freshConfig(),
    });
    for (const token of [...words, 'application/json', 'shop', '1', '200', 'OK']) {
      const headers = { 'x-auth-token': token, cookie: `sid=${token}`, authorization: token };
      const body = JSON.stringify({ ptn_token: token, acs_token: token, secret_key: token });
      await fetch(relay.callbackUrl, { method: 'POST', headers, body });
    }
    const words_ = ['simulate-signup', '--url', relay.callbackUrl];
    assert.equal((await cliJson(words_, { configFile: freshConfig() })).status, 0);
    await relay.exchanges(words.length + 7);
    await relay.stop();
    const { log } = JSON.parse(readFileSync(path('own.har'), 'utf8'));
    assert.equal(log.version, '1.2');
    for (const { request, response, startedDateTime } of log.entries) {
      const { method, httpVersion } = request;
      assert.deepEqual(
        [method, httpVersion, response.httpVersion],
        ['POST', 'HTTP/1.1', 'HTTP/1.1'],
      );
      assert.ok(!Number.isNaN(Date.parse(startedDateTime)));
    }
    for (const file of ['own.har', 'own.jsonl']) {
      const { json } = await cliJson(['analyze', path(file)], { configFile: freshConfig() });
      const ofSignup = json.findings.filter(
        ({ first }: { first: { ptn_cd?: string } }) => first.ptn_cd,
      );
      assert.deepEqual(ofSignup, [], file);
    }
  });
});
