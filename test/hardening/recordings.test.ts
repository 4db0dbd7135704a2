import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { AuthcliError } from '../../src/errors.ts';
import type { CapturedExchange } from '../../src/traffic/capture.ts';
import { readRecording } from '../../src/traffic/recording.ts';
import { linesOf } from '../../src/traffic/sources/lines.ts';
import { violations } from '../support/json-schema.ts';

const schema = JSON.parse(readFileSync('schemas/recording-1.json', 'utf8'));

const header = {
  schema: 'authcli/recording/1',
  version: '1.2.3',
  started_at: '2026-11-23T03:04:05.678Z',
  secrets: 'values',
};
const exchange = {
  operation: 'key-exchange',
  ptn_cd: 'ada',
  started_at: '2026-11-23T03:04:05+01:00',
  duration_ms: 8.5,
  request: { method: 'POST', target: '/callback', headers: [['A', 'b']], body: '{}' },
  response: {
    status: 200,
    status_text: 'OK',
    headers: [
      ['Content-Type', 'text/plain'],
      ['Via', '1'],
    ],
    body_base64: '//79',
    is_cut: true,
  },
  failure: { code: 'reset', message: 'Cut.', hint: 'Try.' },
  key: 'a-key',
};
type Json = object | string | number | boolean | null;

/** The fault that the reader finds; undefined for a recording that it reads. */
async function faultOf(...lines: readonly (Json | undefined)[]): Promise<string | undefined> {
  const text = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line)));
  try {
    const notes: string[] = [];
    const found = readRecording(linesOf([Buffer.from(text.join('\n'))]), (note) =>
      notes.push(note),
    );
    for await (const each of found) assert.ok(each.source);
    return notes[0];
  } catch (error) {
    assert.ok(error instanceof AuthcliError, String(error));
    assert.equal(error.code, 'usage');
    return error.message;
  }
}

const hostile: readonly (readonly [line: string, fault: RegExp])[] = [
  [
    JSON.stringify({ ...header, secrets: null }),
    /^Line 1 .*: secrets is not "redacted" or "values"/,
  ],
  [JSON.stringify({ ...header, secrets: { encoding: 'x' } }), /^Line 1 .*: secrets is not/],
  ['{"schema":"authcli/recording/1","__proto__":{"secrets":"values"}}', /: version is missing/],
  [JSON.stringify({ ...header, started_at: 'now' }), /^Line 1 .*: started_at is not an instant/],
];

const wrong: readonly (readonly [line: object, fault: string])[] = [
  [{ ...exchange, operation: '__proto__' }, 'operation is not an operation'],
  [{ ...exchange, request: null }, 'request is not an object'],
  [{ ...exchange, request: { body: 'a', body_base64: 'a' } }, 'request has not one of body and'],
  [{ ...exchange, response: { status: 200 } }, 'response has not one of body and body_base64'],
  [
    { ...exchange, request: { body: '', headers: [['a', 'b'], ['c']] } },
    'request.headers[1] is not',
  ],
  [{ ...exchange, response: { body: '', status: 'ok' } }, 'response.status is not a whole number'],
  [{ ...exchange, failure: { code: 'reset', hint: '' } }, 'failure.message is missing'],
  [{ ...exchange, duration_ms: -1 }, 'duration_ms is not a number from 0'],
];

/** Every place of a value: how it is replaced in a copy of the whole. */
function* places(value: unknown): Generator<(other: Json | undefined) => unknown> {
  yield (other) => other;
  if (typeof value !== 'object' || value === null) return;
  for (const [name, inner] of Object.entries(value)) {
    for (const change of places(inner)) {
      yield (other) => {
        if (Array.isArray(value)) return value.with(Number(name), change(other));
        return { ...value, [name]: change(other) };
      };
    }
  }
}

const others: readonly (Json | undefined)[] = [
  ...[null, true, false, 0, -1, 1.5, 1e300, '', 'x', 'values', 'other', [], {}, undefined],
  ...[[['a', 'b']], ['a', 'b'], ['a', 1], { body: '' }, { body_base64: '' }, { body: null }],
  ...['2026-11-23T03:04:05Z', '2026-13-23T03:04:05Z', '2026-11-23', 'constructor', { length: 2 }],
];

describe('a recording', () => {
  it('is refused with the line and the field that does not follow the schema', async () => {
    for (const [line, fault] of hostile) assert.match((await faultOf(line)) ?? '', fault);
    for (const [line, fault] of wrong) {
      const found = (await faultOf(header, exchange, line)) ?? '';
      assert.ok(found.startsWith(`Line 3 of the recording: ${fault}`), found);
    }
  });

  it('is read exactly where the published schema holds', async () => {
    let [read, refused] = [0, 0];
    for (const whole of [header, exchange]) {
      for (const change of places(whole)) {
        for (const other of others) {
          const line = change(other);
          // without an object it is a damaged line; with another schema, another version
          if (typeof line !== 'object' || line === null || Array.isArray(line)) continue;
          if (whole === header && !('schema' in line && line.schema === header.schema)) continue;
          const copy = JSON.parse(JSON.stringify(line));
          const isRight = violations(copy, schema).length === 0;
          assert.equal((await faultOf(header, line)) === undefined, isRight, JSON.stringify(line));
          if (isRight) read += 1;
          else refused += 1;
        }
      }
    }
    assert.ok(read > 50 && refused > 300, `${read} read, ${refused} refused`);
  });

  it('gives no more than the bytes of its lines', async () => {
    const nested = JSON.stringify({ a: JSON.stringify({ b: 'x'.repeat(1 << 18) }) });
    const request = { body: nested, secrets: { x: nested }, $ref: '#' };
    const line = {
      ...exchange,
      request,
      secrets: [nested],
      __proto__: null,
      aliases: '*'.repeat(99),
    };
    const text = `${JSON.stringify(header)}\n${`${JSON.stringify(line)}\n`.repeat(20)}`;
    const exchanges: CapturedExchange[] = [];
    for await (const each of readRecording(linesOf([Buffer.from(text)]), assert.fail)) {
      exchanges.push(each);
    }
    const bodies = exchanges.flatMap(({ request, response }) => [request?.body, response?.body]);
    const bytes = bodies.reduce((sum, body) => sum + (body?.length ?? 0), 0);
    assert.equal(exchanges.length, 20);
    assert.ok(bytes > 20 * nested.length && bytes < text.length, String(bytes));
  });
});
