import assert from 'node:assert/strict';
import { constants, createPublicKey, publicEncrypt } from 'node:crypto';
import { createServer } from 'node:http';
import { json } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { listen, type TestServer } from '../support/fault-server.ts';
import { workspace } from './workspace.ts';

const { save, cli, cliJson } = workspace();

/** An application by Node's own functions; it refuses registrations once `isBroken`. */
let isBroken = false;
const received: Record<string, string>[] = [];
const server = createServer(async (request, response) => {
  const call = (await json(request)) as Record<string, string>;
  received.push(call);
  response.setHeader('Content-Type', 'application/json');
  const answer = (body: object) => void response.end(JSON.stringify(body));
  if (call.used_type === '2') {
    answer(isBroken ? { code: '5000', message: 'database is down' } : done);
    return;
  }
  const der = Buffer.from(call.public_key ?? '', 'base64');
  const key = createPublicKey({ key: der, format: 'der', type: 'spki' });
  const padding = constants.RSA_PKCS1_PADDING;
  const wrapped = publicEncrypt({ key, padding }, Buffer.from('kPz3VwQ9sLxT7bRmYc2NfHgJ5dEa8uWq'));
  answer({ ...done, result: { enc_partner_key: wrapped.toString('base64') } });
});
const done = { code: '0000', message: '' };
let endpoint: TestServer;
let to: readonly string[] = [];
before(async () => {
  endpoint = await listen(server, 'http');
  to = ['--to', `${endpoint.url.origin}/callback`];
});
after(() => endpoint.close());

const line = (request: object, response: object) => ({
  duration_ms: 12,
  request: { method: 'POST', target: '/callback', headers: [], body: JSON.stringify(request) },
  response: {
    status: 200,
    headers: [['Content-Type', 'application/json']],
    body: JSON.stringify(response),
  },
});
const recording = [
  { schema: 'authcli/recording/1', version: '0.0.0', secrets: 'redacted' },
  line(
    { client_id: 'shop', used_type: '1', ptn_cd: 'ada', public_key: 'MIIB' },
    { ...done, result: { enc_partner_key: 'x' } },
  ),
  line({ client_id: 'shop', used_type: '2', ptn_cd: 'ada', partner_sp: 'x', ubifill: 'y' }, done),
  line({ client_id: 'shop', secret_key: 'the-secret', ptn_token: 'the-token' }, done),
];
const file = 'session.jsonl';

describe('replay', () => {
  before(async () => {
    // The recorded key must be one: the same as an application would get.
    const { json: pair } = await cliJson(['key', 'pair']);
    const text = recording.map((each) => `${JSON.stringify(each)}\n`).join('');
    save(file, text.replace('MIIB', pair.public_key));
  });

  it('finds nothing in an application that responds as recorded', async () => {
    received.length = 0;
    const { status, stdout } = await cli(['replay', file, ...to]);
    assert.equal(status, 0, stdout);
    assert.match(stdout, /✓ line 2 {2}key-exchange {2}authcli-[0-9a-f]{12} {2}12 ms, now \d+ ms\n/);
    assert.match(stdout, /2 callbacks sent again, 0 with a different response\.\n$/);
    const sent = received.map((call) => `${call.client_id} ${call.used_type}`);
    assert.deepEqual(sent, ['shop 1', 'shop 2']);
    assert.equal(received[0]?.ptn_cd, received[1]?.ptn_cd);
    assert.notEqual(received[0]?.ptn_cd, 'ada');
  });

  it('exits with 1 for another response, and says which and in what', async (test) => {
    isBroken = true;
    test.after(() => {
      isBroken = false;
    });
    const { status, json: document } = await cliJson(['replay', file, ...to]);
    const { different, callbacks, error } = document;
    assert.deepEqual([status, different, error.code], [1, 1, 'code-not-success']);
    const difference = { what: 'code', recorded: '"0000"', replayed: '"5000"' };
    assert.deepEqual(callbacks[1].differences, [difference]);
    assert.equal(callbacks[1].source, 'line 3');
  });

  it('sends another client_id if asked to', async () => {
    received.length = 0;
    await cli(['replay', file, ...to, '--client-id', 'staging']);
    assert.deepEqual(new Set(received.map((call) => call.client_id)), new Set(['staging']));
  });

  it('refuses a recording without callbacks', async () => {
    save(
      'token.jsonl',
      [recording[0], recording[3]].map((each) => JSON.stringify(each)).join('\n'),
    );
    const { status, stderr } = await cli(['replay', 'token.jsonl', ...to]);
    assert.equal(status, 2);
    assert.match(stderr, /No callback was found in .*token\.jsonl/);
  });

  it('exits with 3 where the application is down', async () => {
    const { status, stdout } = await cli(['replay', file, '--to', 'http://127.0.0.1:1/callback']);
    assert.equal(status, 3);
    assert.match(stdout, /response: recorded HTTP 200, now none/);
  });
});
