import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it, type TestContext } from 'node:test';
import { startApplication } from '../../src/index.ts';
import { sealWith } from '../traffic/traffic.ts';
import { workspace } from './workspace.ts';

const { save, cli, cliJson } = workspace();
const done = { code: '0000', message: '' };
const line = (request: object, response: object) => ({
  operation: 'other',
  duration_ms: 12,
  request: { method: 'POST', target: '/callback', headers: [], body: JSON.stringify(request) },
  response: {
    status: 200,
    headers: [['Content-Type', 'application/json;charset=utf-8']],
    body: JSON.stringify(response),
  },
});
const publicKey = readFileSync('fixtures/keys/public.spki.base64', 'utf8').trim();
const user = { client_id: 'shop', ptn_cd: 'ada' };
const wrapped = { ...done, result: { enc_partner_key: 'x' } };
const recorded = { started_at: '2026-11-23T03:04:05Z', secrets: 'redacted' };
const head = { schema: 'authcli/recording/1', version: '0.0.0', ...recorded };
const token = line({ client_id: 'shop', secret_key: 'the-secret', ptn_token: 'the-token' }, done);
const saveLines = (name: string, ...lines: readonly object[]) =>
  save(name, lines.map((each) => `${JSON.stringify(each)}\n`).join(''));
const file = 'session.jsonl';
saveLines(
  file,
  ...[head, line({ ...user, used_type: '1', public_key: publicKey }, wrapped)],
  ...[line({ ...user, used_type: '2', partner_sp: 'x', ubifill: 'y' }, done), token],
);

/** An application, and the words that send the recording there. */
async function application(test: TestContext, ...faults: readonly string[]) {
  const app = await startApplication({ clientId: 'shop', faults });
  test.after(() => app.close());
  return { app, argv: ['replay', file, '--to', app.url] };
}

describe('replay', () => {
  it('finds nothing in an application that responds as recorded', async (test) => {
    const { app, argv } = await application(test);
    const { status, stdout } = await cli(argv);
    assert.equal(status, 0, stdout);
    assert.match(
      stdout,
      /✓ line 2 {2}key-exchange {2}authcli-[0-9a-f]{12} {2}still accepted {2}12 ms, now \d+ ms\n/,
    );
    assert.match(
      stdout,
      /2 callbacks sent again: 2 still accepted; 0 with another response than recorded\.\n$/,
    );
    const [first, second, ...others] = app.journal();
    assert.deepEqual([first?.operation, second?.operation], ['key-exchange', 'registration']);
    assert.deepEqual([others, second?.ptn_cd], [[], first?.ptn_cd]);
  });

  it('exits with 1 for another response, and says which and in what', async (test) => {
    const { argv } = await application(test, 'registration-code-1');
    const { status, json } = await cliJson(argv);
    const { different, callbacks, error } = json;
    assert.deepEqual([status, different, error.code], [1, 1, 'code-not-success']);
    const [, { source, differences }] = callbacks;
    const difference = { what: 'code', recorded: '"0000"', replayed: '"1"' };
    assert.deepEqual([source, differences], ['line 3', [difference]]);
  });

  it('sends another client_id if asked to', async (test) => {
    const { argv } = await application(test);
    const { json } = await cliJson([...argv, '--client-id', 'staging']);
    assert.equal(json.error.code, 'code-not-success');
  });

  it('says what is still refused and now accepted, with the cipher of the recording', async (test) => {
    const refusal = { code: 'E1', message: 'no' };
    const key = 'kQ8vR2mXw7ZtB4nLp9cYd6sFh3gJa5uE';
    const seal = sealWith('aes-256-ecb');
    const sent = { ...user, used_type: '2', partner_sp: seal('134457', key) };
    const info = { ubifill: seal('{"email":"ada@example.com","name":"Ada"}', key) };
    const exchanges = [
      line({ ...user, used_type: '1', public_key: publicKey }, refusal),
      { ...line({ ...sent, ...info }, refusal), key },
    ];
    saveLines('refused.jsonl', { ...head, secrets: 'values' }, ...exchanges);
    for (const [cipher, outcome, expected] of [
      ['aes-256-ecb', 'now accepted', 0],
      ['aes-256-cbc', 'still refused', 1],
    ] as const) {
      const app = await startApplication({ clientId: 'shop', cipher });
      test.after(() => app.close());
      const { status, json } = await cliJson(['replay', 'refused.jsonl', '--to', app.url]);
      const outcomes = json.callbacks.map((each: { outcome: string }) => each.outcome);
      assert.deepEqual([status, outcomes], [expected, ['now accepted', outcome]]);
    }
  });

  it('refuses a recording without callbacks', async () => {
    saveLines('token.jsonl', head, token);
    const { status, stderr } = await cli(['replay', 'token.jsonl', '--to', 'http://127.0.0.1:1/']);
    assert.equal(status, 2);
    assert.match(stderr, /No callback was found in .*token\.jsonl/);
  });

  it('exits with 3 where the application is down', async () => {
    const { status, stdout } = await cli(['replay', file, '--to', 'http://127.0.0.1:1/callback']);
    assert.equal(status, 3);
    assert.match(stdout, /response: recorded HTTP 200, now none/);
  });
});
