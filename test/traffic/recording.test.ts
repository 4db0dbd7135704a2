import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { Secret } from '../../src/crypto/secret.ts';
import { diagnosis } from '../../src/diagnosis/diagnosis.ts';
import { Redactor } from '../../src/reports/redact.ts';
import type { CapturedExchange } from '../../src/traffic/capture.ts';
import { isRecordingHeader, readRecording, recordingWriter } from '../../src/traffic/recording.ts';
import { linesOf } from '../../src/traffic/sources/lines.ts';
import { violations } from '../support/json-schema.ts';

const schema = JSON.parse(readFileSync('schemas/recording-1.json', 'utf8'));
const key = 'kQ8vR2mXw7ZtB4nLp9cYd6sFh3gJa5uE';
const encPartnerKey = Buffer.alloc(256, 7).toString('base64');
const partnerSp = Buffer.alloc(32, 9).toString('base64');

const headers = [
  ['Content-type', 'application/json;charset=utf-8'],
  ['Authorization', 'Bearer of-the-service'],
] as const;
const sentKey = '{"client_id":"c","used_type":"1","ptn_cd":"u-1","public_key":"MIIB"}';
const keyResult = `{"code": "0000",\n"message":"","result":{"enc_partner_key":"${encPartnerKey}"}}`;
const fields = { client_id: 'c', used_type: '2', ptn_cd: 'u-1', partner_sp: partnerSp };
const exchange: CapturedExchange = {
  source: 'relay',
  operation: 'key-exchange',
  ptnCd: 'u-1',
  startedAt: 1_700_000_000_123,
  durationMs: 12.5,
  request: { method: 'POST', target: '/callback?x=1', headers, body: Buffer.from(sentKey) },
  response: {
    status: 200,
    statusText: 'OK',
    headers: [['X-Debug', `key=${key}`]],
    body: Buffer.from(keyResult),
  },
  key: Secret.key(key),
};
const registration: CapturedExchange = {
  source: 'relay',
  operation: 'registration',
  ptnCd: 'u-1',
  request: { body: Buffer.from(JSON.stringify(fields)) },
  response: { status: 500, body: Buffer.from([0xff, 0xfe, 0x00]), isCut: true },
  failure: diagnosis('reset', 'The connection was closed.', 'Try.'),
};

const writer = (showSecrets: boolean) => {
  const redactor = showSecrets ? undefined : new Redactor();
  return recordingWriter({ version: '1.2.3', startedAt: 0, redactor });
};

function write(showSecrets: boolean): string {
  const recording = writer(showSecrets);
  return recording.header + [exchange, registration].map((each) => recording.line(each)).join('');
}

async function read(text: string | Buffer) {
  const notes: string[] = [];
  const exchanges: CapturedExchange[] = [];
  const reading = readRecording(linesOf([Buffer.from(text)]), (note) => notes.push(note));
  for await (const each of reading) exchanges.push(each);
  return { exchanges, notes };
}

/** Without what is undefined, bodies as Latin-1. */
const plain = (value: unknown) =>
  JSON.parse(
    JSON.stringify(value, (_, each) => {
      if (each instanceof Uint8Array) return Buffer.from(each).toString('latin1');
      return each?.type === 'Buffer' ? Buffer.from(each.data).toString('latin1') : each;
    }),
  );

describe('a recording', () => {
  it('follows its schema, and gives back with values what was written', async () => {
    for (const line of [true, false].flatMap((values) => write(values).trimEnd().split('\n')))
      assert.deepEqual(violations(JSON.parse(line), schema), []);
    const { exchanges, notes } = await read(write(true));
    assert.deepEqual(notes, []);
    const expected = [{ ...exchange, key }, registration].map((each, index) => ({
      ...each,
      source: `line ${index + 2}`,
    }));
    const found = exchanges.map((each) => ({ ...each, key: each.key?.reveal() }));
    assert.deepEqual(plain(found), plain(expected));
  });

  it('contains no key and no credential by default, and what it needs to be judged', async () => {
    const text = write(false);
    for (const secret of [key, 'of-the-service']) assert.ok(!text.includes(secret), secret);
    assert.match(text, /"Authorization","\[redacted\]"/);
    assert.match(text, /"X-Debug","key=\[redacted\]"/);
    assert.match(text, /\{\\"code\\": \\"0000\\",\\n/);
    const [first] = (await read(text)).exchanges;
    assert.deepEqual([first?.isRedacted, first?.key], [true, undefined]);
    assert.equal(JSON.parse(String(first?.response?.body)).result.enc_partner_key, encPartnerKey);
  });

  it('is recognised by its first line', () => {
    assert.ok(isRecordingHeader(writer(false).header));
    assert.ok(isRecordingHeader('{ "schema": "authcli/recording/9" }'));
    assert.ok(!isRecordingHeader('{"schema":"authcli/verify/1"}'));
  });

  it('loses a damaged line alone, and one that was cut off, with a note', async () => {
    const [header, first, second = ''] = write(true).split('\n');
    const damaged = [header, '{"x"', first, '\0', second.slice(0, -40)].join('\n');
    const { exchanges, notes } = await read(damaged);
    assert.equal(exchanges.length, 1);
    assert.deepEqual(notes, [
      'Line 2 of the recording is not a JSON object; it was left out.',
      'Line 4 of the recording is not a JSON object; it was left out.',
      'Line 5 of the recording was cut off; it was left out.',
    ]);
  });
});
