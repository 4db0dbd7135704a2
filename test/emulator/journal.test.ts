import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Secret } from '../../src/crypto/secret.ts';
import type { CallFacts } from '../../src/emulator/handling.ts';
import { type EmulatorRequest, jsonResponse } from '../../src/emulator/http.ts';
import { Journal, type Redaction } from '../../src/emulator/journal.ts';
import { post, startOfTime } from './support.ts';

/** Replaces secrets in the JSON text: enough for these tests. */
function simpleRedaction(): Redaction {
  const known: string[] = [];
  const redacted = (text: string) =>
    known.reduce((shown, secret) => shown.replaceAll(secret, '[redacted]'), text);
  return {
    hide: (secrets) => known.push(...secrets.map((secret) => secret.reveal())),
    json: (value) => JSON.parse(redacted(JSON.stringify(value))),
    head: (text, maxUnits) => redacted(text).slice(0, maxUnits),
  };
}

function recordIn(
  journal: Journal,
  facts: Partial<CallFacts> = {},
  request: EmulatorRequest = post({ a: 1 }),
) {
  const response = jsonResponse(200, Buffer.from('{"code":"0000","message":"hello"}'));
  const all = { faults: [], secrets: [], ...facts };
  return journal.record({
    request,
    response,
    facts: all,
    receivedAt: startOfTime,
    durationMs: 3,
  });
}

describe('the journal', () => {
  it('shows what was received and sent', () => {
    const journal = new Journal({ redaction: simpleRedaction() });
    const facts: CallFacts = {
      operation: 'key-exchange',
      ptnCd: 'user-1',
      clientId: 'client-1',
      code: '0000',
      faults: ['slow'],
      secrets: [],
    };
    recordIn(journal, facts, { ...post({ a: 1 }), query: 'b=2' });
    const headers = { 'content-type': 'application/json;charset=utf-8' };
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
        request: {
          method: 'POST',
          path: '/callback',
          query: 'b=2',
          headers,
          body: '{"a":1}',
          body_encoding: 'utf-8',
          body_bytes: 7,
          json: { a: 1 },
        },
        answer: {
          status: 200,
          headers,
          body: '{"code":"0000","message":"hello"}',
          body_encoding: 'utf-8',
          body_bytes: 33,
          json: { code: '0000', message: 'hello' },
        },
      },
    ]);
  });

  it('keeps the latest calls, and counts all', () => {
    const journal = new Journal({ limit: 2, redaction: simpleRedaction() });
    for (let call = 0; call < 5; call += 1) recordIn(journal);
    assert.deepEqual(
      journal.read().map(({ seq }) => seq),
      [4, 5],
    );
    assert.equal(journal.total, 5);
  });

  it('is empty after a reset, and counts on', () => {
    const journal = new Journal({ redaction: simpleRedaction() });
    recordIn(journal);
    recordIn(journal);
    assert.equal(journal.reset(), 2);
    assert.deepEqual(journal.read(), []);
    recordIn(journal);
    assert.deepEqual(
      journal.read().map(({ seq }) => seq),
      [3],
    );
  });

  const filters = [
    [{ ptnCd: 'a' }, [1, 3]],
    [{ operation: 'registration' }, [2, 3]],
    [{ code: 'A101' }, [2]],
    [{ path: '/callback' }, [1, 2, 3]],
    [{ path: '/other' }, []],
    [{ fault: 'slow' }, [3]],
    [{ after: 1 }, [2, 3]],
    [{ last: 1 }, [3]],
    [{ last: 0 }, []],
    [{ last: 9 }, [1, 2, 3]],
    [{ ptnCd: 'a', last: 1 }, [3]],
    [{ ptnCd: 'a', operation: 'registration', after: 2 }, [3]],
  ] as const;
  for (const [filter, seqs] of filters) {
    it(`is read by ${JSON.stringify(filter)}`, () => {
      const journal = new Journal({ redaction: simpleRedaction() });
      recordIn(journal, { ptnCd: 'a', operation: 'key-exchange', code: '0000' });
      recordIn(journal, { ptnCd: 'b', operation: 'registration', code: 'A101' });
      recordIn(journal, { ptnCd: 'a', operation: 'registration', faults: ['slow'] });
      assert.deepEqual(
        journal.read(filter).map(({ seq }) => seq),
        seqs,
      );
    });
  }

  it('hides the secrets of every call in all of them', () => {
    const journal = new Journal({ redaction: simpleRedaction() });
    recordIn(journal, { ptnCd: 'a' }, post({ leak: 'key-of-a', other: 'key-of-b' }));
    recordIn(journal, { ptnCd: 'a', secrets: [Secret.text('key-of-a')] });
    recordIn(
      journal,
      { ptnCd: 'b', secrets: [Secret.text('key-of-b')] },
      post({ leak: 'key-of-b' }),
    );
    const leaks = journal.read().map(({ request }) => request.json);
    assert.deepEqual(leaks, [
      { leak: '[redacted]', other: '[redacted]' },
      { a: 1 },
      { leak: '[redacted]' },
    ]);
  });

  const bodies = [
    ['text', Buffer.from('hello'), 'hello', 'utf-8'],
    ['no UTF-8', Buffer.of(0xff, 0x00), '/wA=', 'base64'],
    ['nothing', Buffer.of(), '', 'utf-8'],
  ] as const;
  for (const [what, body, shown, encoding] of bodies) {
    it(`shows a body that is ${what}`, () => {
      const journal = new Journal({ redaction: simpleRedaction() });
      const [entry] = [journal.show(recordIn(journal, {}, { ...post(''), body }))];
      assert.equal(entry?.request.body, shown);
      assert.equal(entry?.request.body_encoding, encoding);
      assert.ok(!('json' in entry.request));
    });
  }

  it('cuts long bodies, and leaves deep JSON as text', () => {
    const journal = new Journal({ redaction: simpleRedaction() });
    const long = journal.show(recordIn(journal, {}, post(`"${'x'.repeat(100_000)}"`)));
    assert.equal(long.request.body.length, 65_536);
    assert.equal(long.request.body_bytes, 100_002);
    const deep = journal.show(recordIn(journal, {}, post('['.repeat(20_000) + ']'.repeat(20_000))));
    assert.equal(deep.request.body.length, 40_000);
    assert.ok(!('json' in deep.request));
  });

  it('says how a response was broken off', () => {
    const journal = new Journal({ redaction: simpleRedaction() });
    const response = {
      ...jsonResponse(200, Buffer.of()),
      delivery: { breakOff: 'reset' } as const,
    };
    const facts = { faults: [], secrets: [] };
    const times = { receivedAt: startOfTime, durationMs: 0 };
    const entry = journal.show(journal.record({ request: post(''), response, facts, ...times }));
    assert.equal(entry.answer.broken_off, 'reset');
  });
});
