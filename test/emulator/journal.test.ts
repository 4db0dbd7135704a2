import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Secret } from '../../src/crypto/secret.ts';
import type { CallFacts } from '../../src/emulator/handling.ts';
import { type Delivery, type EmulatorRequest, jsonResponse } from '../../src/emulator/http.ts';
import { Journal } from '../../src/emulator/journal.ts';
import { Recent } from '../../src/latest-results.ts';
import { post, startOfTime } from './support.ts';

/** Its redaction replaces secrets in the JSON text: enough for these tests. */
function newJournal(limit?: number) {
  const known: string[] = [];
  const redacted = (text: string) =>
    known.reduce((shown, secret) => shown.replaceAll(secret, '[redacted]'), text);
  const redaction = {
    addFromPeer: (secret: Secret) => known.push(secret.reveal()),
    json: (value: unknown) => JSON.parse(redacted(JSON.stringify(value))),
    head: (text: string, maxUnits: number) => redacted(text).slice(0, maxUnits),
  };
  const journal = new Journal(redaction, limit);
  const record = (
    facts: Partial<CallFacts> = {},
    request: EmulatorRequest = post({ a: 1 }),
    delivery?: Delivery,
  ) =>
    journal.record({
      request,
      response: {
        ...jsonResponse(200, Buffer.from('{"code":"0000","message":"hello"}')),
        delivery,
      },
      facts: { faults: [], secrets: [], ...facts },
      receivedAt: startOfTime,
      durationMs: 3,
    });
  const seqs = (filter?: Parameters<Journal['read']>[0]) =>
    journal.read(filter).map(({ seq }) => seq);
  return { journal, record, seqs };
}

describe('the journal', () => {
  it('shows what was received and sent', () => {
    const { journal, record } = newJournal();
    const caller = { operation: 'key-exchange', ptnCd: 'user-1', clientId: 'client-1' } as const;
    record({ ...caller, code: '0000', faults: ['slow'] }, { ...post({ a: 1 }), query: 'b=2' });
    const headers = { 'content-type': 'application/json;charset=utf-8' };
    const shown = (body: string) => ({
      headers,
      body,
      body_encoding: 'utf-8',
      body_bytes: body.length,
      json: JSON.parse(body),
    });
    assert.deepEqual(journal.read(), [
      {
        seq: 1,
        received_at: '2026-01-02T03:04:05.000Z',
        duration_ms: 3,
        operation: 'key-exchange',
        ptn_cd: 'user-1',
        client_id: 'client-1',
        code: '0000',
        faults: ['slow'],
        request: { method: 'POST', path: '/callback', query: 'b=2', ...shown('{"a":1}') },
        answer: { status: 200, ...shown('{"code":"0000","message":"hello"}') },
      },
    ]);
  });

  it('keeps the latest calls, and counts all, also after a reset', () => {
    const { journal, record, seqs } = newJournal(2);
    for (let call = 0; call < 5; call += 1) record();
    assert.deepEqual(seqs(), [4, 5]);
    assert.equal(journal.total, 5);
    assert.equal(journal.reset(), 2);
    assert.deepEqual(seqs(), []);
    record();
    assert.deepEqual(seqs(), [6]);
  });

  it('is read by user, operation, code, path, fault, number and count', () => {
    const { record, seqs } = newJournal();
    record({ ptnCd: 'a', operation: 'key-exchange', code: '0000' });
    record({ ptnCd: 'b', operation: 'registration', code: 'A101' });
    record({ ptnCd: 'a', operation: 'registration', faults: ['slow'] });
    for (const [filter, found] of [
      [{ ptnCd: 'a' }, [1, 3]],
      [{ operation: 'registration' }, [2, 3]],
      [{ code: 'A101' }, [2]],
      [{ path: '/other' }, []],
      [{ fault: 'slow' }, [3]],
      [{ after: 1 }, [2, 3]],
      [{ last: 1 }, [3]],
      [{ last: 0 }, []],
      [{ ptnCd: 'a', last: 1 }, [3]],
    ] as const)
      assert.deepEqual(seqs(filter), found, JSON.stringify(filter));
  });

  it('hides the secrets of every call in all of them', () => {
    const { journal, record } = newJournal();
    record({ ptnCd: 'a' }, post({ leak: 'key-of-a', other: 'key-of-b' }));
    record({ ptnCd: 'a', secrets: [Secret.text('key-of-a')] });
    record({ ptnCd: 'b', secrets: [Secret.text('key-of-b')] }, post({ leak: 'key-of-b' }));
    const leaks = journal.read().map(({ request }) => request.json);
    const both = { leak: '[redacted]', other: '[redacted]' };
    assert.deepEqual(leaks, [both, { a: 1 }, { leak: '[redacted]' }]);
  });

  const deep = '['.repeat(20_000) + ']'.repeat(20_000);
  for (const [what, body, shown, encoding, bytes] of [
    ['no UTF-8', Buffer.of(0xff, 0x00), '/wA=', 'base64', 2],
    ['nothing', Buffer.of(), '', 'utf-8', 0],
    ['long', Buffer.from('x'.repeat(100_000)), 'x'.repeat(65_536), 'utf-8', 100_000],
    ['deep JSON', Buffer.from(deep), deep, 'utf-8', 40_000],
  ] as const) {
    it(`shows a body that is ${what}, and a response that was broken off`, () => {
      const { journal, record } = newJournal();
      const broken = record({}, { ...post(''), body }, { breakOff: 'reset' });
      const { request, answer } = journal.show(broken);
      const found = [request.body, request.body_encoding, request.body_bytes, 'json' in request];
      assert.deepEqual(found, [shown, encoding, bytes, false]);
      assert.equal(answer.broken_off, 'reset');
    });
  }
});

describe('recent items', () => {
  for (const [limits, sizes, kept] of [
    [{ count: 3, bytes: 1000 }, [1, 2, 3, 4, 5], [3, 4, 5]],
    [{ count: 100, bytes: 10 }, [4, 4, 4, 9, 1], [9, 1]],
    [{ count: 2, bytes: 10 }, [1, 99, 2], [2]],
  ] as const) {
    it(`of ${sizes} within ${JSON.stringify(limits)} are ${kept}, again once cleared`, () => {
      const numbers = new Recent<number, number>(limits.count, limits.bytes, (size) => size);
      for (let round = 0; round < 2; round += 1) {
        for (const [at, size] of sizes.entries()) numbers.set(at, size);
        assert.deepEqual([...numbers.values()], kept);
        numbers.clear();
      }
    });
  }
});
