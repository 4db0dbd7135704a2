import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { describe, it } from 'node:test';
import { ExpiryLesson } from '../../../src/traffic/learn.ts';
import { readTraffic } from '../../../src/traffic/sources/read.ts';

const keyRequest = { client_id: 'c', used_type: '1', ptn_cd: 'ada', public_key: 'MIIB' };
const ok = { code: '0000', message: '' };
const quoted = { code: '0000', message: 'a "quoted" one' };
const keyResponse = { ...quoted, result: { enc_partner_key: 'eA==' } };
const registration = { client_id: 'c', used_type: '2', ptn_cd: 'ada', partner_sp: 'AAAA' };
const accepted = ok;
const token = { client_id: 'c', secret_key: 's', ptn_token: 't' };
const issued = { ...ok, result: { acs_token: 'a', expire_dt: '1', ptn_cd: 'ada' } };

const bobsRequest = { ...keyRequest, ptn_cd: 'bob' };
const bobsResponse = { ...keyResponse, result: { enc_partner_key: 'eQ==' } };

const json = (value: unknown) => JSON.stringify(value);

/** The exchanges in a text, their bodies as JSON. */
async function read(text: string | Buffer, chunkBytes = 1 << 16) {
  const notes: string[] = [];
  const bytes = Buffer.from(text);
  async function* chunks() {
    for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes);
  }
  const found = [];
  const bodyOf = (message?: { readonly body: Uint8Array }) =>
    message && JSON.parse(String(message.body));
  for await (const exchange of readTraffic(chunks(), {
    note: (note) => notes.push(note),
    whole: buffer,
  })) {
    const [sent, received] = [exchange.request, exchange.response].map(bodyOf);
    found.push({ ...exchange, sent, received });
  }
  return { found, notes, pairs: found.map(({ sent, received }) => [sent, received]) };
}

const readAll = (...all: readonly unknown[]) => read(all.map(json).join('\n'));

const signUp = [
  [keyRequest, keyResponse],
  [registration, accepted],
];
async function expectSignUp(text: string, chunkBytes?: number): Promise<void> {
  const { pairs, notes } = await read(text, chunkBytes);
  assert.deepEqual(pairs, signUp);
  assert.deepEqual(notes, []);
}

const bodies = [keyRequest, keyResponse, registration, accepted];
const time = '2026-11-23T03:04:05Z';
const each = (write: (text: string, index: number) => string, end = '\n') =>
  bodies.map((body, index) => write(json(body), index)).join(end);
const cri = bodies.map(json).flatMap((line) => [`P ${line.slice(0, 20)}`, `F ${line.slice(20)}`]);
const values = bodies.map((body) => ['1795632600000000000', `body ${json(body)}`]);
const forms: Readonly<Record<string, string>> = {
  'one body a line': each((text) => text),
  'prefixes with braces and quotes': each(
    (text, at) =>
      `2026-11-23 03:04:0${at},5 INFO [http-1] c.e.Callback{x} it's "a" {} ${text} done`,
    '\r\n',
  ),
  'the JSON of a logger': each((text) => json({ '@timestamp': time, message: `body ${text}` })),
  'Kubernetes (CRI), one line in two parts': cri
    .map((line) => `2026-11-23T03:04:05.123456789Z stdout ${line}`)
    .join('\n'),
  'an export in CSV': `"@timestamp","@message"\n${each(
    (text) => `"2026-11-23 03:04:05.000","${text.replaceAll('"', '""')}"`,
  )}`,
  'the response of Loki to query_range': json({
    status: 'success',
    data: { resultType: 'streams', result: [{ values }] },
  }),
  'escapes within escapes': each((text) => json({ log: json({ message: json({ body: text }) }) })),
};

const logs = 'fixtures/logs';
const messages = JSON.parse(readFileSync(`${logs}/messages.json`, 'utf8'));
const printed = readdirSync(logs).filter((name) => name.endsWith('.log'));

describe('what a program printed', () => {
  for (const file of printed) {
    const [, ...sections] = readFileSync(`${logs}/${file}`, 'utf8').split(/^=== /m);
    for (const section of sections) {
      const [title = '', ...lines] = section.split('\n');
      it(`is read as what was sent: ${file}, ${title}`, async () => {
        const text = lines.join('\n').replaceAll('done, see (1)', '');
        for (const chunkBytes of [1 << 16, 7]) {
          const { found, pairs, notes } = await read(text, chunkBytes);
          assert.deepEqual(pairs, [messages.slice(0, 2), messages.slice(2)]);
          assert.deepEqual(notes, []);
          assert.ok(!found.some(({ request, response }) => request?.isCut || response?.isCut));
        }
      });
    }
  }
});

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
    const [exchange, ...others] = (await read(lines.join('\n'))).found;
    const { operation, ptnCd, source, startedAt, durationMs, sent, received } = exchange ?? {};
    assert.deepEqual([operation, ptnCd, source], ['token', 'ada', 'line 2']);
    assert.deepEqual([startedAt, durationMs], [Date.UTC(2026, 10, 23, 3, 4, 5, 100), 250]);
    assert.deepEqual([sent, received, others], [token, issued, []]);
  });

  it('shows no time zone if its times have no offset', async () => {
    const lessonOf = async (offset: string) => {
      const lesson = new ExpiryLesson();
      const response = { ...issued, result: { ...issued.result, expire_dt: '20261123031405' } };
      const lines = [token, response].map((body) => `2026-11-23T03:04:05${offset} ${json(body)}`);
      const chunks = Readable.from([Buffer.from(lines.join('\n'))]);
      for await (const each of readTraffic(chunks, { note() {}, whole: buffer }))
        lesson.observe(each);
      return lesson.read()[0];
    };
    assert.equal((await lessonOf('Z'))?.value, '+00:00');
    const local = await lessonOf('');
    assert.equal(local?.confidence, 'unknown');
    assert.match(local?.evidence ?? '', /have no offset/);
  });

  it('pairs interleaved requests by their operation, in order', async () => {
    const grace = { ...registration, ptn_cd: 'grace' };
    const gracesKey = { ...keyRequest, ptn_cd: 'grace' };
    const { pairs } = await readAll(keyRequest, grace, gracesKey, keyResponse, accepted);
    const [sent, received] = [0, 1].map((side) => pairs.map((pair) => pair[side]));
    assert.deepEqual(sent, [keyRequest, grace, gracesKey]);
    assert.deepEqual(received, [keyResponse, accepted, undefined]);
  });

  it('takes a body that two programs logged once, and a response without a request', async () => {
    const twice = [keyRequest, keyRequest, keyResponse, keyResponse];
    const { pairs } = await readAll(...twice, bobsResponse);
    assert.deepEqual(pairs, [
      [keyRequest, keyResponse],
      [undefined, bobsResponse],
    ]);
  });

  it('takes a response that is logged late a second time for no other request, unless no other follows', async () => {
    const lines = [keyRequest, keyResponse, bobsRequest, keyResponse];
    const [adas, bobs] = (await readAll(...lines, bobsResponse)).pairs;
    assert.deepEqual([adas, bobs], [signUp[0], [bobsRequest, bobsResponse]]);
    assert.deepEqual((await readAll(...lines)).pairs, [signUp[0], [bobsRequest, keyResponse]]);
  });

  it('pairs nothing with what came before it, and says how to turn a log around', async () => {
    const lines = bodies.map((body, index) => `2026-11-23 03:04:0${index}.5 ${json(body)}`);
    const { pairs, notes } = await read(lines.toReversed().join('\n'));
    assert.ok(pairs.every((pair) => pair.includes(undefined)));
    assert.match(notes.join(), /newest first.*tac FILE/);
  });

  it('pairs a request with the response before it in the same object', async () => {
    const both = (sent: object, received: object) => json({ res: received, req: sent });
    await expectSignUp(`${both(keyRequest, keyResponse)}\n${both(registration, accepted)}`);
  });

  const traced = (worker: number, body: object) =>
    json({ level: 'x', traceId: `t${worker}`, body });
  const workers: Readonly<Record<string, (worker: number, body: object) => string>> = {
    'the name of a worker in front': (worker, body) => `[http-${worker}] ${json(body)}`,
    'an id in the same JSON': traced,
  };
  for (const [name, line] of Object.entries(workers)) {
    it(`pairs responses that are out of order by ${name}`, async () => {
      const requests = [line(1, keyRequest), line(2, bobsRequest)];
      const responses = [line(2, bobsResponse), line(1, keyResponse)];
      const { found, pairs, notes } = await read([...requests, ...responses].join('\n'));
      assert.deepEqual(pairs, [[bobsRequest, bobsResponse], signUp[0]]);
      assert.ok(!found.some(({ isPairUnsure }) => isPairUnsure));
      assert.deepEqual(notes, []);
    });
  }

  it('says which pairs are not sure', async () => {
    const lines = [keyRequest, bobsRequest, bobsResponse, keyResponse];
    const { found, notes } = await readAll(...lines);
    assert.ok(found.length === 2 && found.every(({ isPairUnsure }) => isPairUnsure));
    assert.match(notes.join(), /^1 response fitted several open requests, the first in line 3/);
  });

  it('takes a message of the log, or of another interface, for no response', async () => {
    const others = [
      { level: 'debug', code: 'CACHE_MISS', message: 'user not in cache' },
      { code: 550, message: 'mailbox full', status: 'error' },
      { code: 'E1', message: 'x', path: '/', trace: 'y', at: 1 },
      { code: 0, status: 'ok', result: { id: 1 } },
    ];
    for (const other of others) {
      const lines = [keyRequest, other, keyResponse, registration, other, accepted].map(json);
      await expectSignUp(lines.join('\n'));
    }
  });

  it('takes a refusal of a key exchange for one', async () => {
    const refused = { code: 'E1', message: 'no', result: { enc_partner_key: null } };
    for (const refusal of [{ code: 'E1', message: 'no' }, refused]) {
      const { pairs, notes } = await readAll(keyRequest, refusal);
      assert.deepEqual(pairs, [[keyRequest, refusal]]);
      assert.deepEqual(notes, []);
    }
  });

  it('leaves out what a logger masked', async () => {
    const whole = ['****', '[FILTERED]', 'REDACTED', '<hidden>', null];
    for (const mask of [...whole, 'ab****wx', 'MIIB…', 'MIIB...']) {
      const masked = { ...keyResponse, result: { enc_partner_key: mask } };
      const sent = { ...registration, partner_sp: mask };
      const { pairs, notes } = await readAll(keyRequest, masked, sent, accepted);
      const { partner_sp: _, ...rest } = registration;
      assert.deepEqual(
        pairs.flat(),
        [keyRequest, { ...quoted, result: {} }, rest, accepted],
        `${mask}`,
      );
      assert.deepEqual(notes, [
        '2 values masked or cut by a logger, the first in line 2: what needs them was not judged (enc_partner_key, partner_sp).',
      ]);
    }
  });

  it('notes bodies whose end is missing', async () => {
    const cut = json(registration).slice(0, -10);
    const { found, notes } = await read([json(keyRequest), cut, 'done', cut].join('\n'));
    assert.deepEqual(
      found.map(({ ptnCd, request }) => [ptnCd, request?.isCut]),
      [
        ['ada', undefined],
        ['ada', true],
      ],
    );
    assert.match(notes[0] ?? '', /^2 bodies, the first in line 2: the end is missing/);
  });

  it('takes a status without an id for that of another request, where statuses have ids', async () => {
    const lines = ['a', 'b', 'c'].flatMap((user, at) => [
      `[req-${at}] in ${json({ ...registration, ptn_cd: user })}`,
      ...(at > 0 ? ['"POST /login HTTP/1.1" 500'] : []),
      `[req-${at}] Completed ${at === 2 ? 503 : 200} in 3 ms`,
    ]);
    const { found } = await read(lines.join('\n'));
    const failed = found
      .filter(({ failure }) => failure)
      .map(({ ptnCd, failure }) => [ptnCd, failure]);
    assert.match(JSON.stringify(failed), /^\[\["c",\{.*HTTP 503/);
  });

  it('takes no response for that of a request a minute before', async () => {
    const late = json({ code: 'E9', message: 'of another call' });
    const lines = `2026-11-23T03:04:05Z ${json(registration)}\n2026-11-23T03:05:06Z ${late}`;
    assert.deepEqual((await read(lines)).pairs, [[registration, undefined]]);
  });

  it('says what it saw where no body can be read', async () => {
    for (const [text, note] of [
      [
        'no ptn_cd in the body\nptn_cd missing\n',
        /^2 lines with names of the interface, the first in line 1: no body/,
      ],
      ["{ code: '0000', message: '', result: [Object] }\n", /^1 object, .*line 1: .*JSON/],
      ['"GET /a HTTP/1.1" 500\n"POST /a HTTP/1.1" 503 -\n', /^1 POST .*line 2: 1 failed with/],
      ['start\nbody com.shop.Callback@1b2c3d4\n', /^1 Java object, .*line 2: .*toString/],
      [`in {app 1 ada MIIB${'A'.repeat(60)} }\n`, /^1 Go struct, .*line 1: .*%\+v/],
      [`mail a@beefcafe ${json(registration)}\n`, /^$/],
    ] as const)
      assert.match((await read(text)).notes.join(), note);
  });

  it('finds a body behind an object that is never closed', async () => {
    const open = 'Handler { state\nINFO { "a": {"b": 1},';
    const { pairs } = await read(`${open}\n${json(registration)}\nend\n${json(accepted)}`);
    assert.deepEqual(pairs, [[registration, accepted]]);
  });

  const hostile: Readonly<Record<string, Buffer>> = {
    'a huge line': Buffer.from(`${'{"ptn_cd":'.repeat(100_000)}\n`),
    'a huge line without an end': Buffer.alloc(6_000_000, '{"code":'),
    'deep JSON': Buffer.from(`{"used_type":${'['.repeat(20_000)}${']'.repeat(20_000)}}\n`),
    'open braces on every line': Buffer.from('{"code":\n'.repeat(4000)),
    'bytes that are not UTF-8, and NUL': Buffer.from([0xff, 0xfe, 0, 0x7b, 0x22, 0, 0x0a, 0xc3]),
  };
  for (const [name, bytes] of Object.entries(hostile)) {
    it(`survives ${name}, and reads on`, async () => {
      const after = Buffer.from(`\n${json(registration)}\n${json(accepted)}\n`);
      const { pairs } = await read(Buffer.concat([bytes, after]));
      assert.deepEqual(
        pairs.find(([sent]) => sent?.ptn_cd === 'ada'),
        [registration, accepted],
      );
    });
  }
});
