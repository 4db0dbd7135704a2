import assert from 'node:assert/strict';
import {
  constants,
  createDecipheriv,
  createPublicKey,
  publicEncrypt,
  randomBytes,
} from 'node:crypto';
import { describe, it } from 'node:test';
import { simulateSignup } from '../../src/client/signup.ts';
import type { Transport } from '../../src/client/transport.ts';
import { defaultCipher } from '../../src/crypto/cipher.ts';
import { Secret } from '../../src/crypto/secret.ts';
import { type CapturedExchange, subjectOf } from '../../src/relay/capture.ts';
import { compareResponses, Replay, type ReplayedCallback } from '../../src/relay/replay.ts';
import { keyPairSource } from '../support/key-pairs.ts';
import { memoryTransport } from '../support/memory-transport.ts';
import { seededBytes } from '../support/seeded-bytes.ts';

type Fields = Readonly<Record<string, unknown>>;

/** An application by Node's own functions. */
function application(
  change: (response: Fields, keys: Map<unknown, string>) => unknown = (response) => response,
  keyLength = 32,
) {
  const keys = new Map<unknown, string>();
  const passcodes = new Map<unknown, string>();
  const received: Fields[] = [];
  const refuse = (code: string, message: string) => ({ code, message });
  const respond = (call: Fields): Fields => {
    received.push(call);
    if (call.used_type === '1') {
      const key = seededBytes(String(call.ptn_cd))(16).toString('hex').slice(0, keyLength);
      keys.set(call.ptn_cd, key);
      const pem = String(call.public_key);
      const publicKey = pem.startsWith('-')
        ? createPublicKey(pem)
        : createPublicKey({ key: Buffer.from(pem, 'base64'), format: 'der', type: 'spki' });
      const wrapped = publicEncrypt(
        { key: publicKey, padding: constants.RSA_PKCS1_PADDING },
        Buffer.from(key),
      );
      return { code: '0000', message: '', result: { enc_partner_key: wrapped.toString('base64') } };
    }
    const key = keys.get(call.ptn_cd);
    if (key === undefined) return refuse('2001', 'unknown user');
    try {
      const bytes = Buffer.from(String(call.partner_sp), 'base64');
      const decipher = createDecipheriv('aes-256-cbc', key, bytes.subarray(0, 16));
      const text = decipher.update(bytes.subarray(16), undefined, 'utf8') + decipher.final('utf8');
      passcodes.set(call.ptn_cd, text);
      return { code: '0000', message: '' };
    } catch {
      return refuse('2002', 'cannot decrypt');
    }
  };
  const transport = memoryTransport((call) => ({ json: change(respond(call), keys) }));
  return { transport, keys, passcodes, received };
}

const keyPair = keyPairSource()(2048);
const environment = { randomBytes: seededBytes('replay'), now: () => 1_800_000_000_000 };
const url = new URL('http://127.0.0.1:1/callback');

/** The sign-ups of three users as a relay would have captured them. */
async function record({ transport }: { readonly transport: Transport }) {
  const recorded: CapturedExchange[] = [];
  for (const ptnCd of ['ada', 'grace', 'edsger']) {
    const outcome = await simulateSignup(transport, {
      url,
      clientId: 'my-shop',
      ptnCd,
      keyPair: await keyPair,
      superPasscode: Secret.text(`passcode of ${ptnCd}`),
      userInfo: Secret.text('{"email":"ada@example.com"}'),
      cipher: defaultCipher,
      ...environment,
      now: environment.now(),
    });
    assert.ok(outcome.ok, outcome.diagnosis?.message);
    for (const { exchange } of outcome.steps) {
      const { request, response } = exchange;
      recorded.push({
        source: `line ${recorded.length + 2}`,
        ...subjectOf(request, response),
        request: {
          method: 'POST',
          target: '/callback',
          headers: request.headers,
          body: request.body,
        },
        ...(response && { response }),
        ...(outcome.key && { key: outcome.key }),
      });
    }
  }
  return recorded;
}

async function replayed(
  recorded: readonly CapturedExchange[],
  { transport }: { readonly transport: Transport },
): Promise<readonly ReplayedCallback[]> {
  const replay = new Replay({
    url,
    transport,
    keyPair: await keyPair,
    cipher: defaultCipher,
    ...environment,
    hide: () => {},
  });
  const callbacks: ReplayedCallback[] = [];
  for (const each of recorded) {
    const callback = await replay.send(each);
    if (callback !== undefined) callbacks.push(callback);
  }
  return callbacks;
}

const differencesOf = (callbacks: readonly ReplayedCallback[]) =>
  callbacks.flatMap(({ differences }) => differences);

describe('a replay', () => {
  it('finds nothing in the application that was recorded', async () => {
    const recorded = await record(application());
    const callbacks = await replayed(recorded, application());
    assert.equal(callbacks.length, 6);
    assert.deepEqual(differencesOf(callbacks), []);
    assert.deepEqual(
      callbacks.map(({ diagnosis }) => diagnosis),
      Array(6).fill(undefined),
    );
  });

  it('names a key that a response leaks', async () => {
    const second = application((response, keys) => ({
      ...response,
      message: `stored ${[...keys.values()].at(-1)}`,
    }));
    const callbacks = await replayed(await record(application()), second);
    assert.deepEqual(
      new Set(callbacks.map(({ diagnosis }) => diagnosis?.code)),
      new Set(['key-leaked']),
    );
  });

  it('names a key that the cipher can not use, and goes on', async () => {
    const callbacks = await replayed(await record(application()), application(undefined, 16));
    assert.equal(callbacks.length, 6);
    assert.equal(callbacks[0]?.diagnosis?.code, 'key-length');
  });

  it('sends fresh users with the recorded passcodes', async () => {
    const second = application();
    const callbacks = await replayed(await record(application()), second);
    const codes = new Set(callbacks.map(({ ptnCd }) => ptnCd));
    assert.equal(codes.size, 3);
    assert.ok(![...codes].includes('ada'));
    assert.deepEqual(
      [...second.passcodes.values()],
      ['ada', 'grace', 'edsger'].map((user) => `passcode of ${user}`),
    );
  });

  it('invents passcodes where a recording has no keys', async () => {
    const second = application();
    const recorded = (await record(application())).map(({ key: _, ...rest }) => rest);
    assert.deepEqual(differencesOf(await replayed(recorded, second)), []);
    assert.match([...second.passcodes.values()][0] ?? '', /^\w{24}$/);
  });

  it('keeps what else the service sends, and the form of its public key', async () => {
    const second = application();
    const recorded = (await record(application())).map((each) => {
      const fields = JSON.parse(Buffer.from(each.request?.body ?? []).toString());
      if (fields.public_key !== undefined) {
        const key = Buffer.from(fields.public_key, 'base64');
        const spki = createPublicKey({ key, format: 'der', type: 'spki' });
        fields.public_key = spki.export({ type: 'spki', format: 'pem' });
      }
      const body = Buffer.from(JSON.stringify({ ...fields, trace: 7 }));
      return { ...each, request: { ...each.request, body } };
    });
    await replayed(recorded, second);
    assert.ok(
      second.received.every(({ trace, client_id }) => trace === 7 && client_id === 'my-shop'),
    );
    const sent = String(second.received[0]?.public_key);
    assert.match(sent, /^-----BEGIN PUBLIC KEY-----\n/);
    assert.equal(createPublicKey(sent).asymmetricKeyDetails?.modulusLength, 2048);
  });

  it('repeats what was refused, and expects the same refusal', async () => {
    const recorded = await record(application());
    const [, registration] = recorded;
    assert.ok(registration);
    const refused = {
      ...registration,
      ptnCd: 'nobody',
      request: {
        ...registration.request,
        body: Buffer.from(
          Buffer.from(registration.request?.body ?? [])
            .toString()
            .replace('"ada"', '"nobody"'),
        ),
      },
      response: {
        ...registration.response,
        body: Buffer.from('{"code":"2001","message":"unknown user"}'),
      },
    };
    assert.deepEqual(differencesOf(await replayed([refused], application())), []);
    const lax = application((response) => ({ ...response, code: '0000' }));
    assert.deepEqual(differencesOf(await replayed([refused], lax)), [
      { what: 'code', recorded: '"2001"', replayed: '"0000"' },
    ]);
  });

  it('sends an invalid public key as it was', async () => {
    const request = { body: Buffer.from('{"used_type":"1","ptn_cd":"ada","public_key":"none"}') };
    const recorded = {
      source: 'line 2',
      operation: 'key-exchange',
      ptnCd: 'ada',
      request,
    } as const;
    const received: unknown[] = [];
    const transport = memoryTransport((call) => {
      received.push(call.public_key);
      return { json: { code: '9001', message: '' } };
    });
    await replayed([recorded], { transport });
    assert.deepEqual(received, ['none']);
  });

  it('leaves out what is not a callback', async () => {
    const token = {
      source: 'line 9',
      operation: 'token' as const,
      request: { body: Buffer.from('{"ptn_token":"t"}') },
    };
    assert.deepEqual(await replayed([token], application()), []);
  });

  const changes: readonly [string, (response: Fields) => unknown, string][] = [
    ['another code', (response) => ({ ...response, code: '9999' }), 'code'],
    ['a code that is a number', (response) => ({ ...response, code: 0 }), 'code'],
    ['a field more', (response) => ({ ...response, trace: 'x' }), 'trace'],
    ['a message that is null', (response) => ({ ...response, message: null }), 'message'],
    [
      'a field of the result elsewhere',
      ({ result, ...response }) => ({ ...response, ...(result as object) }),
      'result',
    ],
    ['an array', (response) => [response], 'body'],
  ];
  for (const [name, change, what] of changes) {
    it(`finds ${name}`, async () => {
      const recorded = await record(application());
      const found = differencesOf(await replayed(recorded, application(change)));
      assert.ok(
        found.some((difference) => difference.what === what),
        JSON.stringify(found),
      );
    });
  }

  it('names a key that is wrapped in another way, though the fields are the same', async () => {
    const recorded = await record(application());
    const wrong = application((response) => {
      const { enc_partner_key: key } = (response.result ?? {}) as Fields;
      if (key === undefined) return response;
      const enc = Buffer.from(String(key), 'base64').toString('hex');
      return { ...response, result: { enc_partner_key: enc } };
    });
    const callbacks = await replayed(recorded, wrong);
    assert.deepEqual(differencesOf(callbacks), []);
    assert.equal(callbacks[0]?.diagnosis?.code, 'hex');
  });

  it('finds that no response comes', async () => {
    const recorded = await record(application());
    const failure = { code: 'refused', message: 'refused', hint: '', calls: {} } as const;
    const callbacks = await replayed(recorded, { transport: memoryTransport(() => ({ failure })) });
    assert.deepEqual(callbacks[0]?.differences, [
      { what: 'response', recorded: 'HTTP 200', replayed: 'none' },
    ]);
    assert.equal(callbacks[0].diagnosis?.code, 'refused');
  });
});

describe('two responses', () => {
  const response = (headers: Record<string, string>, status = 200) => ({
    status,
    headers: Object.entries(headers),
    body: Buffer.from('{}'),
  });

  it('differ in the status and in headers that matter', () => {
    const before = response({ 'Content-Type': 'application/json;charset=UTF-8', Date: 'then' });
    assert.deepEqual(
      compareResponses(before, response({ 'content-type': 'application/json; charset=utf-8' })),
      [],
    );
    assert.deepEqual(compareResponses(before, response({ 'Content-Type': 'text/html' }, 500)), [
      { what: 'HTTP status', recorded: '200', replayed: '500' },
      {
        what: 'content-type',
        recorded: 'application/json; charset=utf-8',
        replayed: 'text/html',
      },
    ]);
  });

  it('are not compared in what a log left out', () => {
    const { body } = response({});
    assert.deepEqual(compareResponses({ body }, response({ 'Content-Type': 'x' })), []);
    assert.deepEqual(compareResponses(undefined, response({})), []);
  });

  it('differ in a body that is not JSON', () => {
    assert.deepEqual(compareResponses(response({}), { ...response({}), body: randomBytes(9) }), [
      { what: 'body', recorded: 'JSON', replayed: 'not JSON' },
    ]);
  });
});
