import assert from 'node:assert/strict';
import { createCipheriv } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { formatExpireDt } from '../../src/protocol/expiry.ts';
import { run } from '../support/run.ts';
import { seededBytes } from '../support/seeded-bytes.ts';

const folder = mkdtempSync(join(tmpdir(), 'authcli-recorded-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const environment = { configFile: join(folder, 'config.json'), cwd: folder };

const key = seededBytes('recorded')(16).toString('hex');
const client = { client_id: 'shop', secret_key: 'the-secret-of-the-shop' };
const at = Date.UTC(2026, 0, 2, 3, 0, 0);

function ecb(text: string): string {
  const cipher = createCipheriv('aes-256-ecb', key, null);
  return Buffer.concat([cipher.update(text), cipher.final()]).toString('base64');
}

/** A morning of a service with a cipher, a zone and codes of its own, as a recording by hand. */
function recordingOf(secrets: 'values' | 'pseudonyms'): string {
  const exchange = (request: object, response: object) => ({
    started_at: new Date(at).toISOString(),
    duration_ms: 1,
    request: { body: JSON.stringify({ ...client, ...request }) },
    response: {
      status: 200,
      headers: [['Content-Type', 'application/json;charset=UTF-8']],
      body: JSON.stringify({ message: 'SUCCESS', ...response }),
    },
    ...(secrets === 'values' && { key }),
  });
  const signins = [1, 2, 3].flatMap((number) => {
    const acs_token = `access-token-${number}`;
    const expire_dt = formatExpireDt(new Date(at + 600_000), 'Asia/Seoul');
    return [
      exchange(
        { ptn_token: `partner-token-${number}` },
        { code: '0000', result: { acs_token, expire_dt, ptn_cd: 'ada' } },
      ),
      exchange({ acs_token }, { code: '0000', result: { ptn_sp: ecb('the passcode of ada') } }),
    ];
  });
  const used = exchange({ acs_token: 'access-token-1' }, { code: '4101', message: 'used' });
  const header = { schema: 'authcli/recording/1', version: '0.0.0', secrets };
  return [header, ...signins, used].map((line) => `${JSON.stringify(line)}\n`).join('');
}

writeFileSync(join(folder, 'values.jsonl'), recordingOf('values'));
writeFileSync(join(folder, 'pseudonyms.jsonl'), recordingOf('pseudonyms'));

const unsendable = [
  ['X-Control', 'a\r\nX-Injected: 1'],
  ['X-Korean', '김'],
  ['X \u0001', 'x'],
  ['X-Plain', 'kept'],
];
writeFileSync(
  join(folder, 'headers.jsonl'),
  recordingOf('values').replaceAll(
    '"headers":[',
    `"headers":[${JSON.stringify(unsendable).slice(1, -1)},`,
  ),
);

interface Child {
  readonly url: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Runs an emulator for as long as `visit` takes, in the place of the command after `--`. */
async function emulating(argv: readonly string[], visit: (child: Child) => Promise<void>) {
  let visited = false;
  const result = await run([...argv, '--', 'visitor'], {
    ...environment,
    context: {
      now: () => at,
      runChild: async ({ env }) => {
        await visit({ url: env.AUTHCLI_AUTH_URL ?? '', env });
        visited = true;
        return 0;
      },
    },
  });
  assert.ok(visited, result.stderr);
  return result;
}

async function post(url: string, fields: object): Promise<Record<string, unknown>> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json;charset=utf-8' },
    body: JSON.stringify(fields),
  });
  return (await response.json()) as Record<string, unknown>;
}

async function ptnToken(secretKey: string, ptnCd = 'ada'): Promise<string> {
  const argv = ['issue-ptn-token', '--ptn-cd', ptnCd, '--client-id', 'shop', '--json'];
  const { stdout } = await run([...argv, '--secret-key', secretKey], {
    ...environment,
    context: { now: () => at },
  });
  return JSON.parse(stdout).ptn_token;
}

describe('emulate service --from', () => {
  it('leaves out recorded headers that no response can carry, and says so', async () => {
    const token = await ptnToken(client.secret_key);
    const headers = { 'content-type': 'application/json;charset=utf-8' };
    const { stderr } = await emulating(
      ['emulate', 'service', '--from', 'headers.jsonl'],
      async ({ url }) => {
        const body = JSON.stringify({ ...client, ptn_token: token });
        const response = await fetch(`${url}/process/token`, { method: 'POST', headers, body });
        assert.equal(response.headers.get('x-plain'), 'kept');
        for (const name of ['x-control', 'x-korean', 'x-injected'])
          assert.equal(response.headers.get(name), null);
      },
    );
    assert.match(
      stderr,
      /^note: headers that can't be sent are left out: "X-Control", "X-Korean", "X \\u0001"$/m,
    );
  });

  it('signs a recorded user in, with the recorded client, cipher, zone and messages', async () => {
    const token = await ptnToken(client.secret_key);
    await emulating(['emulate', 'service', '--from', 'values.jsonl'], async ({ url, env }) => {
      assert.equal(env.AUTHCLI_CLIENT_ID, 'shop');
      assert.equal(env.AUTHCLI_SECRET_KEY, client.secret_key);
      const issued = await post(`${url}/process/token`, { ...client, ptn_token: token });
      assert.equal(issued.message, 'SUCCESS');
      const { expire_dt, acs_token, ptn_cd } = issued.result as Record<string, string>;
      assert.deepEqual([expire_dt, ptn_cd], ['20260102121000', 'ada']);
      const call = { ...client, acs_token };
      const { result } = await post(`${url}/process/authenticate`, call);
      assert.deepEqual(result, { ptn_sp: ecb('the passcode of ada') });
      assert.deepEqual(await post(`${url}/process/authenticate`, call), {
        code: '4101',
        message: 'used',
      });
    });
  });

  it('leaves what a flag says', async () => {
    const argv = ['emulate', 'service', '--from', 'values.jsonl', '--client-id', 'other'];
    const zone = ['--expire-time-zone', 'UTC', '--secret-key', 'another-secret'];
    await emulating([...argv, ...zone], async ({ env }) => {
      assert.equal(env.AUTHCLI_CLIENT_ID, 'other');
      assert.equal(env.AUTHCLI_SECRET_KEY, 'another-secret');
    });
  });

  it('takes no secret from a recording of pseudonyms', async () => {
    await emulating(['emulate', 'service', '--from', 'pseudonyms.jsonl'], async ({ env }) => {
      assert.equal(env.AUTHCLI_CLIENT_ID, 'shop');
      assert.notEqual(env.AUTHCLI_SECRET_KEY, client.secret_key);
    });
  });
});

describe('emulate service --from a recording of callbacks alone', () => {
  it('sends sign-ups in their form', async () => {
    const callback = {
      request: { body: '{"v":2,"ptn_cd":"ada","used_type":1,"public_key":"x"}' },
      response: { status: 200, body: '{"code":"0000","result":{"enc_partner_key":"x"}}' },
    };
    const header = { schema: 'authcli/recording/1', version: '0.0.0', secrets: 'values' };
    const lines = [header, callback].map((line) => `${JSON.stringify(line)}\n`);
    writeFileSync(join(folder, 'callbacks.jsonl'), lines.join(''));
    let received = '';
    const application = createServer((request, response) => {
      let text = '';
      request.on('data', (part) => {
        text += part;
      });
      request.on('end', () => {
        received = text;
        response.end('{"code":"9999","message":""}');
      });
    }).listen(0, '127.0.0.1');
    await once(application, 'listening');
    const to = `http://127.0.0.1:${(application.address() as AddressInfo).port}/callback`;
    const argv = ['emulate', 'service', '--from', 'callbacks.jsonl', '--callback-url', to];
    const { stderr } = await emulating(argv, async ({ url }) => {
      await post(`${url}/_authcli/signup`, { ptn_cd: 'grace' });
    });
    assert.match(stderr, /and callbacks, whose form its sign-ups have/);
    assert.match(received, /^\{"v":2,"ptn_cd":"grace","used_type":1,"public_key":"[^"]{300,}"\}$/);
    application.close();
  });
});

describe('emulate app --from', () => {
  it('refuses a recording of a service, and names the command for it', async () => {
    const { status, stderr } = await run(['emulate', 'app', '--from', 'values.jsonl'], environment);
    assert.equal(status, 2);
    assert.match(stderr, /No response of an application was found in values\.jsonl/);
    assert.match(stderr, /emulate service --from values\.jsonl/);
  });
});
