import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isArchiveHead, readHar } from '../../../src/traffic/sources/har.ts';

const request = {
  method: 'POST',
  url: 'https://shop.example.com/callback?x=1',
  headers: [{ name: 'Content-Type', value: 'application/json' }],
  postData: { mimeType: 'application/json', text: '{"used_type":"2","ptn_cd":"ada"}' },
};
const response = (text: string, more: object = {}) => ({
  status: 200,
  headers: [],
  content: { mimeType: 'application/json', text, ...more },
});
const har = (...entries: object[]) =>
  JSON.stringify({ log: { version: '1.2', creator: { name: 'x', version: '1' }, entries } });

/** Without what is undefined. */
const plain = (value: unknown) => JSON.parse(JSON.stringify(value));

describe('an HTTP archive', () => {
  it('is read with its line, headers, bodies and times', () => {
    const at = { startedDateTime: '2026-11-23T03:04:05.5Z', time: 12.5 };
    const [entry] = readHar(har({ ...at, request, response: response('{"code":"0000"}') }));
    assert.deepEqual(
      plain(entry),
      plain({
        source: 'entry 1',
        operation: 'registration',
        ptnCd: 'ada',
        startedAt: Date.UTC(2026, 10, 23, 3, 4, 5, 500),
        durationMs: 12.5,
        request: {
          method: 'POST',
          target: '/callback?x=1',
          headers: [['Content-Type', 'application/json']],
          body: Buffer.from('{"used_type":"2","ptn_cd":"ada"}'),
        },
        response: { status: 200, body: Buffer.from('{"code":"0000"}') },
      }),
    );
  });

  it('may have bodies in Base64', () => {
    const text = Buffer.from([0xef, 0xbb, 0xbf, 0x7b, 0x7d]);
    const packed = response(text.toString('base64'), { encoding: 'base64' });
    const [entry] = readHar(har({ request, response: packed }));
    assert.deepEqual(entry?.response?.body, text);
  });

  it('says why a response is missing', () => {
    const failed = { request, response: { status: 0 } };
    const of = (comment?: string) => [...readHar(har({ ...failed, comment }))][0];
    assert.equal(of('timeout: No response.')?.failure?.code, 'timeout');
    assert.equal(of('invalid on purpose: json-none; refused: No.')?.failure?.code, 'refused');
    assert.equal(of()?.failure?.code, 'reset');
    assert.equal(of()?.response, undefined);
  });

  it('of authcli says what was wrong on purpose', () => {
    const right = { request, response: response('{}') };
    const [sent] = readHar(har({ ...right, comment: 'invalid on purpose: missing-ptn-cd' }));
    assert.equal(sent?.isTest, true);
    const received = 'received by the emulated service; invalid on purpose: token-code';
    const [entry] = readHar(har({ ...right, comment: received }));
    assert.deepEqual([entry?.isTest, entry?.response], [undefined, undefined]);
  });

  it('is recognised by its beginning, also after a byte order mark', () => {
    assert.ok(isArchiveHead(har()));
    assert.ok(isArchiveHead(`\ufeff{\n "log" : {\n  "version": "1.2",`));
    assert.ok(!isArchiveHead('{"log":"a line\\n","stream":"stdout"}'));
  });

  it('of any other content has no exchange', () => {
    for (const text of ['', '{', '[]', '{"log":[]}', '{"log":{"entries":[1,null,{}]}}'])
      for (const { operation } of readHar(text)) assert.equal(operation, 'other', text);
  });
});
