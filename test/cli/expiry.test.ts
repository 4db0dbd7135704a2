import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { describe, it } from 'node:test';
import { listen } from '../support/fault-server.ts';
import { workspace } from './workspace.ts';

const { cli } = workspace();
const noon = 'Wed, 01 Jul 2026 12:00:00 GMT';
const offsets =
  /by the Date header of the response, if tokens live so long: \+05:30 for 10m, \+05:00 for 40m, \+04:30 for 70m/;

describe('the expiry of a token', () => {
  for (const [expireDt, date, zone, what, message] of [
    ['20260701174000', noon, '', 'comes with the offsets that fit, and their lifetimes', offsets],
    ['20260801000000', noon, '', 'comes without an offset where none fits', /is (UTC or )?local\)/],
    ['20260701121000', '', '', 'comes without an offset or a Date', /is (UTC or )?local\)/],
    ['20260701211000', noon, 'Asia/Seoul', 'fits the zone', /^(?!.*note).*-01T21:10:00\+09:00/],
  ] as const) {
    it(what, async () => {
      const server = createServer((_, response) => {
        response.sendDate = false;
        if (date !== '') response.setHeader('date', date);
        response.setHeader('content-type', 'application/json');
        const result = { acs_token: 'acs-0123456789', expire_dt: expireDt, ptn_cd: 'alice' };
        response.end(JSON.stringify({ code: '0000', message: '', result }));
      });
      const { url, close } = await listen(server, 'http');
      const flags = zone === '' ? [] : ['--expire-time-zone', zone];
      const argv = ['token', '--auth-url', url.href, '--client-id', 'shop', '--show-secrets'];
      const env = { AUTHCLI_SECRET_KEY: 'secret', AUTHCLI_PTN_TOKEN: 'ptn-token' };
      const terminal = { env, isTerminal: true, columns: 300 };
      const { status, stdout, stderr } = await cli([...argv, ...flags], terminal).finally(close);
      assert.equal(status, 0);
      assert.match(`${stderr}${stdout}`.replaceAll('\n', ' '), message);
    });
  }
});
