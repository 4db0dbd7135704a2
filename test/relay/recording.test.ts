import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { Secret } from '../../src/crypto/secret.ts';
import type { CapturedExchange } from '../../src/relay/capture.ts';
import { isRecordingHeader, RecordingWriter, readRecording } from '../../src/relay/recording.ts';
import { linesOf } from '../../src/relay/sources/lines.ts';
import { violations } from '../support/json-schema.ts';

const schema = JSON.parse(readFileSync('schemas/recording-1.json', 'utf8'));
const key = 'kQ8vR2mXw7ZtB4nLp9cYd6sFh3gJa5uE';
const encPartnerKey = Buffer.alloc(256, 7).toString('base64');
const partnerSp = Buffer.alloc(32, 9).toString('base64');

const exchange: CapturedExchange = {
  source: 'relay',
  operation: 'key-exchange',
  ptnCd: 'u-1',
  startedAt: 1_700_000_000_123,
  durationMs: 12.5,
  request: {
    method: 'POST',
    target: '/callback?x=1',
    headers: [
      ['Content-type', 'application/json;charset=utf-8'],
      ['Authorization', 'Bearer of-the-service'],
    ],
    body: Buffer.from('{"client_id":"c","used_type":"1","ptn_cd":"u-1","public_key":"MIIB"}'),
  },
  response: {
    status: 200,
    statusText: 'OK',
    headers: [['X-Debug', `key=${key}`]],
    body: Buffer.from(
      `{"code": "0000",\n"message":"","result":{"enc_partner_key":"${encPartnerKey}"}}`,
    ),
  },
  key: Secret.key(key),
};
const registration: CapturedExchange = {
  source: 'relay',
  operation: 'registration',
  ptnCd: 'u-1',
  request: {
    body: Buffer.from(
      `{"client_id":"c","used_type":"2","ptn_cd":"u-1","partner_sp":"${partnerSp}","ubifill":${JSON.stringify(partnerSp.replace('=', ''))}}`,
    ),
  },
  response: { status: 500, body: Buffer.from([0xff, 0xfe, 0x00]), isCut: true },
  failure: { code: 'reset', message: 'The connection was closed.', hint: 'Try.', calls: {} },
};

const writer = (showSecrets: boolean, salt = 1) =>
  new RecordingWriter({
    version: '1.2.3',
    startedAt: 0,
    salt: Buffer.alloc(32, salt),
    showSecrets,
  });

function write(showSecrets: boolean, salt?: number): string {
  const recording = writer(showSecrets, salt);
  return recording.header + [exchange, registration].map((each) => recording.line(each)).join('');
}

async function read(text: string | Buffer) {
  const notes: string[] = [];
  const exchanges: CapturedExchange[] = [];
  const reading = readRecording(linesOf([Buffer.from(text)]), (note) => notes.push(note));
  for await (const each of reading) exchanges.push(each);
  return { exchanges, notes };
}

describe('a recording', () => {
  for (const showSecrets of [false, true]) {
    it(`follows its schema, ${showSecrets ? 'with' : 'without'} values`, () => {
      for (const line of write(showSecrets).trimEnd().split('\n')) {
        assert.deepEqual(violations(JSON.parse(line), schema), []);
      }
    });
  }

  it('gives back with values what was written', async () => {
    const { exchanges, notes } = await read(write(true));
    assert.deepEqual(notes, []);
    assert.deepEqual(
      exchanges.map((each) => ({ ...each, key: each.key?.reveal() })),
      [
        { ...exchange, source: 'line 2', key },
        { ...registration, source: 'line 3', key: undefined },
      ].map((each) => ({
        ...each,
        request: each.request && { ...each.request, body: Buffer.from(each.request.body) },
        response: each.response && { ...each.response, body: Buffer.from(each.response.body) },
      })),
    );
  });

  it('contains no value by default, in no field and no header', () => {
    const text = write(false);
    for (const secret of [key, encPartnerKey, partnerSp, 'of-the-service']) {
      assert.ok(!text.includes(secret), secret);
    }
    assert.match(text, /"Authorization","secret:\d+"/);
    assert.match(text, /"X-Debug","key=secret:\d+"/);
    assert.match(text, /"key":"secret:\d+"/);
    assert.match(text, /\{\\"code\\": \\"0000\\",\\n/);
  });

  it('names equal values alike, and in another recording differently', () => {
    const names = (text: string) => text.match(/secret:\d+/g) ?? [];
    assert.deepEqual(names(write(false, 1)), names(write(false, 1)));
    const other = new Set(names(write(false, 2)));
    assert.ok(names(write(false, 1)).every((name) => !other.has(name)));
    const keyNames = /"key=(secret:\d+)".*"key":"(secret:\d+)"/.exec(write(false)) ?? [];
    assert.equal(keyNames[1], keyNames[2]);
  });

  it('keeps the length and the encoding of what it hides', async () => {
    const [first, second] = (await read(write(false))).exchanges;
    const { result } = JSON.parse(String(first?.response?.body));
    const { partner_sp, ubifill } = JSON.parse(String(second?.request?.body));
    assert.equal(first?.isPseudonymous, true);
    assert.equal(first?.key, undefined);
    assert.equal(Buffer.from(result.enc_partner_key, 'base64').length, 256);
    assert.match(result.enc_partner_key, /^[\w+/]{342}==$/);
    assert.match(partner_sp, /^[\w+/]{43}=$/);
    assert.match(ubifill, /^[\w+/]{43}$/);
  });

  it('hides the fields of JSON in a string, of a form, and of a number', () => {
    const body = [
      '{"result":"{\\"acs_token\\":\\"token-of-a-string\\"}","ptn_token":7654321}',
      'secret_key=key-of-a-form&x=1',
    ].join('\n');
    const line = writer(false).line({
      source: '',
      operation: 'other',
      request: { body: Buffer.from(body) },
    });
    for (const secret of ['token-of-a-string', '7654321', 'key-of-a-form'])
      assert.ok(!line.includes(secret), secret);
    assert.match(line, /acs_token\\\\\\":\\\\\\"secret:\d+\\\\\\"/);
  });

  it('hides the fields of JSON also in arrays, objects and the numbers in them', () => {
    const body = { secret_key: ['in-an-array', 7654321], acs_token: { value: 'in-an-object' } };
    const response = { body: Buffer.from('{"echo":"in-an-array in-an-object","n":7654321}') };
    const request = { body: Buffer.from(JSON.stringify(body)) };
    const line = writer(false).line({ source: '', operation: 'other', request, response });
    for (const secret of ['in-an-array', 'in-an-object', '7654321'])
      assert.ok(!line.includes(secret), secret);
    const recorded = JSON.parse(line);
    assert.match(recorded.request.body, /^\{"secret_key":\["secret:\d+",1111111\],/);
    assert.equal(JSON.parse(recorded.response.body).n, 1111111);
  });

  it('hides the credentials of headers wherever they occur', () => {
    const headers = [
      ['Authorization', 'Bearer of-a-bearer'],
      ['Cookie', 'theme=dark; sid=of-a-session'],
      ['X-Session', 'in-any-case'],
      ['X-Authcli-Check', 'protocol/tls'],
    ] as const;
    const target = '/callback?from=of-a-session';
    const response = { body: Buffer.from('{"message":"of-a-bearer in-any-case in the dark"}') };
    const line = writer(false).line({
      source: '',
      operation: 'other',
      request: { target, headers, body: new Uint8Array() },
      response,
    });
    for (const secret of ['of-a-bearer', 'of-a-session', 'in-any-case'])
      assert.ok(!line.includes(secret), secret);
    assert.match(line, /in the dark/);
    assert.match(line, /"X-Authcli-Check","protocol\/tls"/);
  });

  it('is recognised by its first line', () => {
    assert.ok(isRecordingHeader(writer(false).header));
    assert.ok(isRecordingHeader('{ "schema": "authcli/recording/9" }'));
    assert.ok(!isRecordingHeader('{"schema":"authcli/verify/1"}'));
  });

  it('is read up to where it was cut off, with a note', async () => {
    const { exchanges, notes } = await read(write(true).slice(0, -40));
    assert.equal(exchanges.length, 1);
    assert.deepEqual(notes, ['Line 3 of the recording was cut off; it was left out.']);
  });

  it('loses a damaged line alone', async () => {
    const [header, first, second] = write(true).split('\n');
    const { exchanges, notes } = await read([header, '{"x"', first, '\0', second, ''].join('\n'));
    assert.equal(exchanges.length, 2);
    assert.deepEqual(notes, [
      'Line 2 of the recording is not a JSON object; it was left out.',
      'Line 4 of the recording is not a JSON object; it was left out.',
    ]);
  });

  it('of another version is refused by its name', async () => {
    await assert.rejects(read('{"schema":"authcli/recording/9"}\n'), {
      code: 'usage',
      message:
        'The recording is of the version authcli/recording/9; this authcli reads authcli/recording/1.',
    });
  });

  it('of wrong types is read as far as it makes sense', async () => {
    const line = {
      request: { headers: [1, ['a']], body: 5 },
      response: [],
      started_at: 'x',
      key: 1,
    };
    const { exchanges } = await read(`${write(true).split('\n')[0]}\n${JSON.stringify(line)}\n`);
    assert.deepEqual(exchanges, [
      {
        source: 'line 2',
        operation: 'other',
        request: { headers: [], body: Buffer.alloc(0) },
      },
    ]);
  });
});
