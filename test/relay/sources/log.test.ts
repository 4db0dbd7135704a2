import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { describe, it } from 'node:test';
import { ExpiryLesson } from '../../../src/relay/lessons/expiry.ts';
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
    const { isPairUnsure } = exchange;
    found.push({
      ...(isPairUnsure && { isPairUnsure }),
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
  'an export in CSV': ['"@timestamp","@message"']
    .concat(bodies.map((body) => `"2026-11-23 03:04:05.000","${json(body).replaceAll('"', '""')}"`))
    .join('\n'),
  'the response of Loki to query_range': json({
    status: 'success',
    data: {
      resultType: 'streams',
      result: [
        {
          stream: { app: 'shop' },
          values: bodies.map((body) => ['1795632600000000000', `body ${json(body)}`]),
        },
      ],
    },
  }),
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

  it('shows no time zone if its times have no offset', async () => {
    const lessonOf = async (offset: string) => {
      const lesson = new ExpiryLesson();
      const response = { ...issued, result: { ...issued.result, expire_dt: '20261123031405' } };
      const lines = [token, response].map((body) => `2026-11-23T03:04:05${offset} ${json(body)}`);
      const chunks = Readable.from([Buffer.from(lines.join('\n'))]);
      for await (const each of readTraffic(chunks, { note() {} })) lesson.observe(each);
      return lesson.read()[0];
    };
    assert.equal((await lessonOf('Z'))?.value, '+00:00');
    const local = await lessonOf('');
    assert.equal(local?.confidence, 'unknown');
    assert.match(local?.evidence ?? '', /have no offset/);
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
    const twice = [keyRequest, keyRequest, keyResponse, keyResponse].map(json);
    const other = { ...keyResponse, result: { enc_partner_key: 'eQ==' } };
    const { found } = await read([...twice, json(other)].join('\n'));
    assert.deepEqual(
      found.map(({ sent, received }) => [sent, received]),
      [
        [keyRequest, keyResponse],
        [undefined, other],
      ],
    );
  });

  it('takes a response that is logged late a second time for no other request', async () => {
    const bobs = { ...keyRequest, ptn_cd: 'bob' };
    const own = { ...keyResponse, result: { enc_partner_key: 'eQ==' } };
    const { found } = await read(
      [keyRequest, keyResponse, bobs, keyResponse, own].map(json).join('\n'),
    );
    assert.deepEqual(
      found.map(({ ptnCd, received }) => [ptnCd, received]),
      [
        ['ada', keyResponse],
        ['bob', own],
      ],
    );
  });

  it('takes the same response to another user for one, if no other follows', async () => {
    const bobs = { ...keyRequest, ptn_cd: 'bob' };
    const { found } = await read([keyRequest, keyResponse, bobs, keyResponse].map(json).join('\n'));
    assert.deepEqual(
      found.map(({ ptnCd, received }) => [ptnCd, received]),
      [
        ['ada', keyResponse],
        ['bob', keyResponse],
      ],
    );
  });

  const newestFirst: Readonly<Record<string, readonly string[]>> = {
    'with times': bodies.map((body, index) => `2026-11-23 03:04:0${index}.5 ${json(body)}`),
    'without times': bodies.map(json),
  };
  for (const [name, lines] of Object.entries(newestFirst)) {
    it(`is read backwards if it is newest first, ${name}`, async () => {
      const { found, notes } = await read([...lines].reverse().join('\n'));
      assert.deepEqual(
        found.map(({ sent, received }) => [sent, received]),
        [
          [keyRequest, keyResponse],
          [registration, accepted],
        ],
      );
      assert.deepEqual(notes, ['The log is newest first; it was read backwards.']);
    });
  }

  it('is read forwards if it begins with a response', async () => {
    const other = { ...keyResponse, result: { enc_partner_key: 'eQ==' } };
    const { found, notes } = await read([other, ...bodies, token].map(json).join('\n'));
    assert.deepEqual(
      found.map(({ received }) => received),
      [other, keyResponse, accepted, undefined],
    );
    assert.deepEqual(notes, []);
  });

  it('pairs a request with the response before it in the same object', async () => {
    const both = (sent: object, received: object) => json({ res: received, req: sent });
    await expectSignUp(`${both(keyRequest, keyResponse)}\n${both(registration, accepted)}`);
  });

  const workers: Readonly<Record<string, (worker: number, body: object) => string>> = {
    'the name of a worker in front': (worker, body) => `[http-${worker}] ${json(body)}`,
    'an id in the same JSON': (worker, body) =>
      json({ level: 'info', traceId: `t${worker}`, body }),
  };
  const bobsRequest = { ...keyRequest, ptn_cd: 'bob' };
  const bobsResponse = { ...keyResponse, result: { enc_partner_key: 'eQ==' } };
  for (const [name, line] of Object.entries(workers)) {
    it(`pairs responses that are out of order by ${name}`, async () => {
      const lines = [
        line(1, keyRequest),
        line(2, bobsRequest),
        line(2, bobsResponse),
        line(1, keyResponse),
      ];
      const { found, notes } = await read(lines.join('\n'));
      assert.deepEqual(
        found.map(({ ptnCd, received, isPairUnsure }) => [ptnCd, received, isPairUnsure]),
        [
          ['bob', bobsResponse, undefined],
          ['ada', keyResponse, undefined],
        ],
      );
      assert.deepEqual(notes, []);
    });
  }

  it('says which pairs are not sure', async () => {
    const lines = [keyRequest, bobsRequest, bobsResponse, keyResponse].map(json);
    const { found, notes } = await read(lines.join('\n'));
    assert.deepEqual(
      found.map(({ isPairUnsure }) => isPairUnsure),
      [true, true],
    );
    assert.match(notes.join(), /^1 response fitted several open requests, the first in line 3/);
  });

  it('takes a message of the log, or of another interface, for no response', async () => {
    const others = [
      { level: 'debug', code: 'CACHE_MISS', message: 'user not in cache' },
      { code: 550, message: 'mailbox full', status: 'error' },
    ];
    for (const other of others) {
      const lines = [keyRequest, other, keyResponse, registration, other, accepted].map(json);
      await expectSignUp(lines.join('\n'));
    }
  });

  it('takes a refusal of a key exchange for one', async () => {
    const refused = { code: 'E1', message: 'no' };
    const { found } = await read([keyRequest, refused].map(json).join('\n'));
    assert.deepEqual(
      found.map(({ received }) => received),
      [refused],
    );
  });

  for (const mask of [
    '****',
    '[FILTERED]',
    'REDACTED',
    '<hidden>',
    null,
    'ab**wx'.replace('**', '****'),
    'MIIB…',
    'MIIB...',
  ]) {
    it(`leaves out what a logger masked as ${mask}`, async () => {
      const masked = [
        keyRequest,
        { ...keyResponse, result: { enc_partner_key: mask } },
        { ...registration, partner_sp: mask },
        accepted,
      ];
      const { found, notes } = await read(masked.map(json).join('\n'));
      const { partner_sp: _, ...rest } = registration;
      assert.deepEqual(
        found.map(({ operation, sent, received }) => [operation, sent, received]),
        [
          ['key-exchange', keyRequest, { ...keyResponse, result: {} }],
          ['registration', rest, accepted],
        ],
      );
      assert.deepEqual(notes, [
        '2 values masked or cut by a logger, the first in line 2: what needs them was not judged (enc_partner_key, partner_sp).',
      ]);
    });
  }

  it('takes null beside a refusal as it is', async () => {
    const refused = { code: 'E1', message: 'no', result: { enc_partner_key: null } };
    const { found, notes } = await read([keyRequest, refused].map(json).join('\n'));
    assert.deepEqual(found[0]?.received, refused);
    assert.deepEqual(notes, []);
  });

  it('notes bodies whose end is missing', async () => {
    const cut = json(registration).slice(0, -10);
    const { found, notes } = await read([json(keyRequest), cut, 'done', cut].join('\n'));
    assert.equal(found.length, 1);
    assert.match(
      notes[0] ?? '',
      /^2 texts .* left out, the first in line 2: not JSON, or cut off\.$/,
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
