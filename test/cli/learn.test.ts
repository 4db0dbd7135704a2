import assert from 'node:assert/strict';
import { createCipheriv } from 'node:crypto';
import { describe, it } from 'node:test';
import { formatExpireDt } from '../../src/protocol/expiry.ts';
import { violations } from '../support/json-schema.ts';
import { seededBytes } from '../support/seeded-bytes.ts';
import { schemaOf, workspace } from './workspace.ts';

const { save, cli, cliJson } = workspace();
const learn = (...argv: readonly string[]) => cli(['learn', ...argv]);

const draw = seededBytes('learn');
const cipher = 'aes-256-cbc?key=utf8&iv=prefix&padding=pkcs7&encoding=base64';

function encrypt(text: string, key: string): string {
  const iv = draw(16);
  const aes = createCipheriv('aes-256-cbc', key, iv);
  return Buffer.concat([iv, aes.update(text), aes.final()]).toString('base64');
}

const recordedAt = '2026-11-23T03:04:05Z';
/** Lines of a recording, as schemas/recording-1.json has them, written by hand. */
const recordingOf = (secrets: string, lines: readonly object[]) =>
  [{ schema: 'authcli/recording/1', version: '0.0.0', started_at: recordedAt, secrets }, ...lines]
    .map((line) => `${JSON.stringify(line)}\n`)
    .join('');
const exchangeOf = (target: string, request: object, response: object) => ({
  operation: 'other',
  request: { method: 'POST', target, headers: [], body: JSON.stringify(request) },
  response: { status: 200, headers: [], body: JSON.stringify(response) },
});

const lines = ['ada', 'grace', 'edsger'].flatMap((user, index) => {
  const key = draw(16).toString('hex');
  const at = new Date(Date.UTC(2026, 10, 23, 3, 4 + index, 5));
  const times = { started_at: at.toISOString(), duration_ms: 8 };
  const registration = {
    client_id: 'shop',
    used_type: '2',
    ptn_cd: user,
    partner_sp: encrypt(`passcode of ${user}`, key),
    ubifill: encrypt(JSON.stringify({ email: `${user}@example.com` }), key),
  };
  const token = { client_id: 'shop', secret_key: 'the-secret', ptn_token: `p-${index}-token` };
  const expireDt = formatExpireDt(new Date(at.getTime() + 300_000), 'Asia/Seoul');
  const result = { acs_token: `a-${index}-token`, expire_dt: expireDt, ptn_cd: user };
  return [
    { ...times, ...exchangeOf('/callback', registration, { code: '0000', message: 'OK' }), key },
    { ...times, ...exchangeOf('/process/token', token, { code: '0000', message: '', result }) },
  ];
});
save('values.jsonl', recordingOf('values', lines));
const withoutKeys = lines.map((line) => ({ ...line, key: undefined }));
save('redacted.jsonl', recordingOf('redacted', withoutKeys));

/** A key exchange in which both sides depart from the interface, by the form alone. */
const wrong = exchangeOf(
  '/callback',
  { client_id: 'shop', used_type: 1, ptn_cd: 7, public_key: 'no key' },
  { code: 0, message: 'OK', result: { enc_partner_key: 'x' } },
);
save('wrong.jsonl', recordingOf('values', [wrong, wrong]));

describe('learn', () => {
  it('prints what both sides do wrong', async () => {
    const { stdout } = await learn('wrong.jsonl');
    const [, service = '', application = ''] = stdout.split(/\nthe (?:service|application)\n/);
    assert.match(
      service,
      / {2}Expected Content-type: .* callback\/content-type, 2 times, first in line 2\n/,
    );
    assert.match(
      application,
      /^ {2}Expected code as a string; .* key-exchange\/response-shape, 2 times/,
    );
  });

  it('gives departures to programs as the schema describes', async () => {
    const { json } = await cliJson(['learn', 'wrong.jsonl']);
    assert.deepEqual(violations(json, schemaOf('learn')), []);
    const told = (side: readonly { id: string; count: number }[]) =>
      side.map(({ id, count }) => `${id} ${count}`);
    const ids = ['content-type', 'request-shape', 'request-shape', 'public-key'];
    const service = ids.map((id) => `callback/${id} 2`);
    assert.deepEqual(told(json.departures.service), service);
    assert.deepEqual(told(json.departures.application), ['key-exchange/response-shape 2']);
  });

  it('prints each setting with its confidence, its evidence and the line that sets it', async () => {
    const { stdout } = await learn('values.jsonl');
    assert.match(stdout, /^Learned from 6 exchanges:\n\ncipher {2}aes-256-cbc\S+ {2}certain\n/);
    assert.match(stdout, /6 payloads \(partner_sp, ubifill\) of 3 users: line 2, line 4, line 6\./);
    assert.ok(stdout.includes(`authcli config set cipher '${cipher}'`));
    assert.match(stdout, /\nexpire-time-zone {2}\+09:00 {2}likely\n {2}Assumes .* 5m/);
    assert.match(stdout, /\n {2}codes of registration: "0000" \(OK\)\n/);
  });

  it('gives the same to programs, and stores what is certain, nothing else', async () => {
    const { json } = await cliJson(['learn', 'values.jsonl', '--save-settings']);
    const found = json.settings.find(({ setting }: { setting: string }) => setting === 'cipher');
    assert.deepEqual([json.exchanges, found.value, found.confidence], [6, cipher, 'certain']);
    assert.deepEqual(json.saved, ['cipher']);
    const { stdout } = await cli(['config', 'list', '--json']);
    assert.ok(stdout.includes(cipher) && !stdout.includes('+09:00'));
  });

  it('names what needs values as unknown, with the flags that record them', async () => {
    const { stdout, stderr } = await learn('redacted.jsonl');
    assert.match(stdout, /\ncipher {2}unknown\n {2}The key of 6 encrypted payloads is not known/);
    assert.match(stderr, /relay --decrypt --record FILE --show-secrets/);
  });

  const foreign = recordingOf('values', [exchangeOf('/', {}, {})]);
  for (const [file, text, message] of [
    ['foreign.jsonl', foreign, /No traffic of this interface was found in foreign\.jsonl/],
    ['.', undefined, /"\." is a folder/],
  ] as const) {
    it(`refuses ${file}, by its name`, async () => {
      if (text !== undefined) save(file, text);
      const { status, stderr } = await learn(file);
      assert.equal(status, 2);
      assert.match(stderr, message);
    });
  }
});
