import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readTraffic } from '../../../src/relay/sources/read.ts';

const keyRequest = { client_id: 'c', used_type: '1', ptn_cd: 'ada', public_key: 'MIIB' };
const keyResponse = {
  code: '0000',
  message: 'a "quoted" one',
  result: { enc_partner_key: 'eA==' },
};
const registration = { client_id: 'c', used_type: '2', ptn_cd: 'ada', partner_sp: 'AAAA' };
const accepted = { code: '0000', message: '' };
const token = { client_id: 'c', secret_key: 's', ptn_token: 't' };
const issued = {
  code: '0000',
  message: '',
  result: { acs_token: 'a', expire_dt: '1', ptn_cd: 'ada' },
};

const json = (value: unknown) => JSON.stringify(value);
const pretty = (value: unknown) => JSON.stringify(value, null, 2);

/** The exchanges in a text, as "operation user at line: request -> response". */
async function read(text: string | Buffer, chunkBytes = 1 << 16) {
  const notes: string[] = [];
  const bytes = Buffer.from(text);
  async function* chunks() {
    for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes);
  }
  const found = [];
  for await (const exchange of readTraffic(chunks(), { note: (note) => notes.push(note) })) {
    const body = (message?: { readonly body: Uint8Array }) =>
      message && JSON.parse(String(message.body));
    const { operation, ptnCd, source, startedAt, durationMs, request, response } = exchange;
    found.push({
      operation,
      ptnCd,
      source,
      startedAt,
      durationMs,
      sent: body(request),
      received: body(response),
    });
  }
  return { found, notes };
}

async function expectSignUp(text: string, chunkBytes?: number): Promise<void> {
  const { found, notes } = await read(text, chunkBytes);
  assert.deepEqual(
    found.map(({ sent, received }) => [sent, received]),
    [
      [keyRequest, keyResponse],
      [registration, accepted],
    ],
  );
  assert.deepEqual(notes, []);
}

const bodies = [keyRequest, keyResponse, registration, accepted];
const forms: Readonly<Record<string, string>> = {
  'one body a line': bodies.map(json).join('\n'),
  'prefixes with braces and quotes': bodies
    .map(
      (body, index) =>
        `2026-11-23 03:04:0${index},5 INFO [http-1] c.e.Callback{x} it's "a" {} ${json(body)} done`,
    )
    .join('\r\n'),
  'bodies over several lines': bodies
    .map((body) => `INFO body: ${pretty(body)}`)
    .join('\nINFO next\n'),
  'the JSON of a logger': bodies
    .map((body) =>
      json({ '@timestamp': '2026-11-23T03:04:05Z', level: 'INFO', message: `body ${json(body)}` }),
    )
    .join('\n'),
  'bodies as objects within the JSON of a logger': `${json({ req: { body: keyRequest }, res: { body: keyResponse } })}\n${json({ req: { body: registration }, res: { status: 200, body: json(accepted) } })}`,
  'the json-file driver of Docker': bodies
    .map((body) =>
      json({ log: `${json(body)}\n`, stream: 'stdout', time: '2026-11-23T03:04:05.123456789Z' }),
    )
    .join('\n'),
  'Docker, over several lines': bodies
    .flatMap((body) => pretty(body).split('\n'))
    .map((line) => json({ log: `${line}\n`, stream: 'stdout', time: '2026-11-23T03:04:05Z' }))
    .join('\n'),
  'Kubernetes (CRI), one line in two parts': bodies
    .map(json)
    .flatMap((line) => [`P ${line.slice(0, 20)}`, `F ${line.slice(20)}`])
    .map((line) => `2026-11-23T03:04:05.123456789Z stdout ${line}`)
    .join('\n'),
  'an export of CloudWatch': pretty({
    events: bodies.map((body) => ({
      timestamp: 1_795_000_000_000,
      message: `callback ${json(body)}`,
    })),
  }),
  'nginx with escape=json': [
    json({
      time: '2026-11-23T03:04:05+09:00',
      request_body: json(keyRequest),
      response_body: json(keyResponse),
    }),
    json({
      time: '2026-11-23T03:04:05+09:00',
      request_body: json(registration),
      response_body: json(accepted),
    }),
  ].join('\n'),
  'escapes within escapes': bodies
    .map((body) => json({ log: json({ message: json({ body: json(body) }) }) }))
    .join('\n'),
};

describe('a log', () => {
  for (const [form, text] of Object.entries(forms)) {
    it(`is read in the form of ${form}`, async () => {
      await expectSignUp(text);
      await expectSignUp(text, 7);
      const noise = 'GET /health 200 "ok" {"a":1}\n'.repeat(400);
      await expectSignUp(`${noise}${text}\n${noise}`, 4096);
    });
  }

  it('names the line, and takes the times in front', async () => {
    const lines = [
      'GET /health',
      `2026-11-23T03:04:05.100Z in ${json(token)}`,
      `2026-11-23 03:04:05,350 out ${json(issued)}`,
    ];
    const { found } = await read(lines.join('\n'));
    assert.deepEqual(found, [
      {
        operation: 'token',
        ptnCd: 'ada',
        source: 'line 2',
        startedAt: Date.UTC(2026, 10, 23, 3, 4, 5, 100),
        durationMs: 250,
        sent: token,
        received: issued,
      },
    ]);
  });

  it('pairs interleaved requests by their operation, in order', async () => {
    const of = (user: string, body: object) => json({ ...body, ptn_cd: user });
    const { found } = await read(
      [
        of('ada', keyRequest),
        of('grace', registration),
        of('grace', keyRequest),
        json(keyResponse),
        json(accepted),
      ].join('\n'),
    );
    assert.deepEqual(
      found.map(({ operation, ptnCd, received }) => [operation, ptnCd, received !== undefined]),
      [
        ['key-exchange', 'ada', true],
        ['registration', 'grace', true],
        ['key-exchange', 'grace', false],
      ],
    );
  });

  it('takes a body that two programs logged once, and a response without a request', async () => {
    const twice = [json(keyRequest), json(keyRequest), json(keyResponse), json(keyResponse)];
    const { found } = await read(twice.join('\n'));
    assert.deepEqual(
      found.map(({ sent, received }) => [sent, received]),
      [
        [keyRequest, keyResponse],
        [undefined, keyResponse],
      ],
    );
  });

  it('takes no other JSON with a code for a response', async () => {
    const other = { code: 'E1', message: 'x', path: '/', trace: 'y', at: 1 };
    const { found } = await read([json(registration), json(other), json(accepted)].join('\n'));
    assert.deepEqual(found[0]?.received, accepted);
  });

  it('takes no response for that of a request a minute before', async () => {
    const { found } = await read(
      [
        `2026-11-23T03:04:05Z ${json(registration)}`,
        `2026-11-23T03:05:06Z ${json({ code: 'E9', message: 'of another call' })}`,
      ].join('\n'),
    );
    assert.deepEqual(
      found.map(({ sent, received }) => [sent, received]),
      [[registration, undefined]],
    );
  });

  it('takes no code of another interface for a response', async () => {
    const other = { code: 0, status: 'ok', result: { id: 1 } };
    const { found } = await read([json(registration), json(other), json(accepted)].join('\n'));
    assert.deepEqual(found[0]?.received, accepted);
  });

  it('notes what looks like a body and is not JSON', async () => {
    const { found, notes } = await read(
      "{'client_id': 'c', 'used_type': '1'}\n{used_type=1, ptn_cd=ada}\n",
    );
    assert.deepEqual(found, []);
    assert.match(notes[0] ?? '', /^2 texts in braces that contain field names/);
  });

  it('finds a body behind an object that is never closed', async () => {
    const { found } = await read(
      `Handler { state\nINFO { "a": {"b": 1},\n${json(registration)}\nend\n${json(accepted)}`,
    );
    assert.deepEqual(found[0]?.sent, registration);
    assert.deepEqual(found[0]?.received, accepted);
  });

  const hostile: Readonly<Record<string, Buffer>> = {
    'a huge line': Buffer.from(`${'{"ptn_cd":'.repeat(100_000)}\n`),
    'a huge line without an end': Buffer.alloc(6_000_000, '{"code":'),
    'deep JSON': Buffer.from(`{"used_type":${'['.repeat(20_000)}${']'.repeat(20_000)}}\n`),
    'open braces on every line': Buffer.from('{"code":\n'.repeat(20_000)),
    'bytes that are not UTF-8, and NUL': Buffer.from([0xff, 0xfe, 0, 0x7b, 0x22, 0, 0x0a, 0xc3]),
  };
  for (const [name, bytes] of Object.entries(hostile)) {
    it(`survives ${name}, and reads on`, async () => {
      const after = Buffer.from(`\n${json(registration)}\n${json(accepted)}\n`);
      const { found } = await read(Buffer.concat([bytes, after]));
      assert.deepEqual(found.at(-1)?.sent, registration);
      assert.deepEqual(found.at(-1)?.received, accepted);
    });
  }
});
