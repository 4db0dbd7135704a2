import assert from 'node:assert/strict';
import { constants, createPublicKey, publicEncrypt } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { run } from '../support/run.ts';

const folder = mkdtempSync(join(tmpdir(), 'authcli-replay-'));
const environment = { configFile: join(folder, 'config.json'), cwd: folder };

/** An application by Node's own functions; it refuses registrations once `isBroken`. */
let isBroken = false;
const received: Record<string, unknown>[] = [];
const server = createServer(async (request, response) => {
  let text = '';
  for await (const chunk of request) text += chunk;
  const call = JSON.parse(text);
  received.push(call);
  response.setHeader('Content-Type', 'application/json');
  if (call.used_type === '2') {
    const code = isBroken ? '5000' : '0000';
    response.end(JSON.stringify({ code, message: isBroken ? 'database is down' : '' }));
    return;
  }
  const key = createPublicKey({
    key: Buffer.from(call.public_key, 'base64'),
    format: 'der',
    type: 'spki',
  });
  const padding = constants.RSA_PKCS1_PADDING;
  const wrapped = publicEncrypt({ key, padding }, Buffer.from('kPz3VwQ9sLxT7bRmYc2NfHgJ5dEa8uWq'));
  const result = { enc_partner_key: wrapped.toString('base64') };
  response.end(JSON.stringify({ code: '0000', message: '', result }));
});
let url = '';
before(async () => {
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`;
});
after(async () => {
  await new Promise((closed) => server.close(closed));
  rmSync(folder, { recursive: true, force: true });
});

const line = (request: object, response: object) => ({
  duration_ms: 12,
  request: { method: 'POST', target: '/callback', headers: [], body: JSON.stringify(request) },
  response: {
    status: 200,
    headers: [['Content-Type', 'application/json']],
    body: JSON.stringify(response),
  },
});
const done = { code: '0000', message: '' };
const recording = [
  { schema: 'authcli/recording/1', version: '0.0.0', secrets: 'pseudonyms' },
  line(
    { client_id: 'shop', used_type: '1', ptn_cd: 'ada', public_key: 'MIIB' },
    { ...done, result: { enc_partner_key: 'x' } },
  ),
  line({ client_id: 'shop', used_type: '2', ptn_cd: 'ada', partner_sp: 'x', ubifill: 'y' }, done),
  line({ client_id: 'shop', secret_key: 'the-secret', ptn_token: 'the-token' }, done),
];
/** The recorded key must be one: the same as an application would get. */
async function recordingFile(publicKey: string): Promise<string> {
  const file = join(folder, 'session.jsonl');
  const text = recording.map((each) => `${JSON.stringify(each)}\n`).join('');
  writeFileSync(file, text.replace('MIIB', publicKey));
  return file;
}

describe('replay', () => {
  let file = '';
  before(async () => {
    const { stdout } = await run(['key', 'pair', '--json'], environment);
    file = await recordingFile(JSON.parse(stdout).public_key);
  });

  it('finds nothing in an application that responds as recorded', async () => {
    received.length = 0;
    const { status, stdout } = await run(['replay', file, '--to', url], environment);
    assert.equal(status, 0, stdout);
    assert.match(stdout, /✓ line 2 {2}key-exchange {2}authcli-[0-9a-f]{12} {2}12 ms, now \d+ ms\n/);
    assert.match(stdout, /2 callbacks sent again, 0 with a different response\.\n$/);
    assert.deepEqual(
      received.map(({ client_id: clientId, used_type: usedType }) => [clientId, usedType]),
      [
        ['shop', '1'],
        ['shop', '2'],
      ],
    );
    assert.equal(received[0]?.ptn_cd, received[1]?.ptn_cd);
    assert.notEqual(received[0]?.ptn_cd, 'ada');
  });

  it('exits with 1 for another response, and says which and in what', async () => {
    isBroken = true;
    try {
      const { status, stdout } = await run(['replay', file, '--to', url, '--json'], environment);
      assert.equal(status, 1);
      const { different, callbacks, error } = JSON.parse(stdout);
      assert.equal(different, 1);
      assert.deepEqual(callbacks[1].differences, [
        { what: 'code', recorded: '"0000"', replayed: '"5000"' },
      ]);
      assert.equal(callbacks[1].source, 'line 3');
      assert.equal(error.code, 'code-not-success');
    } finally {
      isBroken = false;
    }
  });

  it('sends another client_id if asked to', async () => {
    received.length = 0;
    await run(['replay', file, '--to', url, '--client-id', 'staging'], environment);
    assert.deepEqual(new Set(received.map((call) => call.client_id)), new Set(['staging']));
  });

  it('refuses a recording without callbacks', async () => {
    const other = join(folder, 'token.jsonl');
    const lines = [recording[0], recording[3]].map((each) => `${JSON.stringify(each)}\n`);
    writeFileSync(other, lines.join(''));
    const { status, stderr } = await run(['replay', other, '--to', url], environment);
    assert.equal(status, 2);
    assert.match(stderr, /No callback was found in .*token\.jsonl/);
  });

  it('exits with 3 where the application is down', async () => {
    const down = 'http://127.0.0.1:1/callback';
    const { status, stdout } = await run(['replay', file, '--to', down], environment);
    assert.equal(status, 3);
    assert.match(stdout, /response: recorded HTTP 200, now none/);
  });
});
