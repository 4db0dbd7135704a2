import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { describe, it } from 'node:test';
import { listen } from '../support/fault-server.ts';
import { run } from '../support/run.ts';

/** Asks a service for a token whose response was sent at 12:00 UTC. */
async function token(expire_dt: string, zone: readonly string[] = [], date?: string) {
  const server = createServer((_, response) => {
    response.sendDate = false;
    if (date !== '') response.setHeader('date', date ?? 'Wed, 01 Jul 2026 12:00:00 GMT');
    response.setHeader('content-type', 'application/json');
    const result = { acs_token: 'acs-0123456789', expire_dt, ptn_cd: 'alice' };
    response.end(JSON.stringify({ code: '0000', message: '', result }));
  });
  const { url, close } = await listen(server, 'http');
  const argv = ['token', '--auth-url', url.href, '--client-id', 'shop', '--show-secrets', ...zone];
  const env = { AUTHCLI_SECRET_KEY: 'secret', AUTHCLI_PTN_TOKEN: 'ptn-token' };
  const configFile = '/no-such-folder/config.json';
  return run(argv, { configFile, env, isTerminal: true, columns: 300 }).finally(close);
}
const seoul = ['--expire-time-zone', 'Asia/Seoul'];

describe('the expiry of a token', () => {
  it('comes with the offsets that fit, and the lifetime that each assumes', async () => {
    const { stdout } = await token('20260701174000');
    assert.match(
      stdout,
      /by the Date header of the response, \+05:30 if tokens live 10 min, \+05:00 if 40 min, \+04:30 if 1 h 10 min/,
    );
  });

  it('comes without an offset where nothing can be said', async () => {
    const all = [await token('20260801000000'), await token('20260701121000', [], '')];
    for (const { stdout } of all) assert.match(stdout, /if it is (?:UTC or )?local\)/);
  });

  it('is noted where it has passed in the configured time zone', async () => {
    const { status, stderr } = await token('20260701121000', seoul);
    assert.equal(status, 0);
    assert.match(
      stderr.replaceAll('\n', ' '),
      /note: in the configured time zone Asia\/Seoul the token expired 8 h 50 min before the response was sent\. The time zone may be \+00:00 if tokens live 10 min/,
    );
  });

  it('is not remarked on where it fits the configured time zone', async () => {
    const { stdout, stderr } = await token('20260701211000', seoul);
    assert.match(stdout, /2026-07-01T21:10:00\+09:00/);
    assert.doesNotMatch(stderr, /note/);
  });
});
