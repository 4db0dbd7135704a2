import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { givenUsers } from '../../src/conformance/test-data.ts';
import { type Cipher, defaultCipher } from '../../src/crypto/cipher.ts';
import { parseCipher } from '../../src/crypto/cipher-notation.ts';
import type { EmulatorResponse } from '../../src/emulator/http.ts';
import { sampled, sampleSeed } from '../support/draws.ts';
import { startFaultServer } from '../support/fault-server.ts';
import { seededBytes } from '../support/seeded-bytes.ts';
import {
  applicationOf,
  applicationWith,
  newRun,
  type RunChanges,
  serve as serveHandler,
  troubles,
} from './support.ts';

const randomBytes = seededBytes('variants');
const hex = () => randomBytes(16).toString('hex');

/*
 * Applications that are right and do it in another style: not one check may fail or warn. Each is
 * the reference application behind a server of its own, with its keys or responses made differently.
 */

interface Variant {
  readonly cipher?: Cipher;
  /** Another alphabet for the keys. */
  readonly key?: () => string;
  /** Refuses, with a negative response, requests for this user. */
  readonly refuses?: (ptnCd: string) => boolean;
  readonly respond?: (response: EmulatorResponse) => EmulatorResponse | Promise<EmulatorResponse>;
  readonly run?: RunChanges;
  /** Checks that can't be judged here. */
  readonly skipped?: readonly string[];
}

const ifRefused =
  (change: (response: EmulatorResponse) => EmulatorResponse) =>
  (response: EmulatorResponse): EmulatorResponse =>
    textOf(response).includes('"0000"') ? response : change(response);

const variants: Readonly<Record<string, Variant>> = {
  'keys of hexadecimal digits': { key: () => hex() },
  'keys of capital hexadecimal digits': { key: () => hex().toUpperCase() },
  'keys of decimal digits': {
    key: () => Array.from(randomBytes(32), (octet) => octet % 10).join(''),
  },
  'keys that are a UUID without dashes': { key: () => randomUUID().replaceAll('-', '') },
  'keys that are Base64 of 24 bytes': { key: () => randomBytes(24).toString('base64') },
  'status 400 for errors': { respond: ifRefused((response) => ({ ...response, status: 400 })) },
  'status 500 for errors': { respond: ifRefused((response) => ({ ...response, status: 500 })) },
  'additional fields': {
    respond: (response) =>
      edited(response, (json) => ({
        traceId: 'f00',
        ...json,
        timestamp: 1_700_000_000,
        data: null,
      })),
  },
  'JSON over several lines': {
    respond: (response) =>
      withBody(response, JSON.stringify(JSON.parse(textOf(response)), null, 4)),
  },
  'slashes that are escaped': {
    respond: (response) => withBody(response, textOf(response).replaceAll('/', '\\/')),
  },
  'letters outside ASCII in the message, escaped': {
    respond: (response) => edited(response, (json) => ({ ...json, message: '성공' })),
  },
  chunks: { respond: (response) => withHeader(response, 'transfer-encoding', 'chunked') },
  gzip: {
    respond: (response) => {
      const body = gzipSync(response.body);
      return withHeader({ ...response, body }, 'content-encoding', 'gzip');
    },
  },
  'a connection for each response': {
    respond: (response) => withHeader(response, 'connection', 'close'),
  },
  'slow responses': {
    respond: async (response) => {
      await sleep(20);
      return response;
    },
  },
  'user codes in ASCII alone, and short': {
    refuses: (ptnCd) => !/^[\x21-\x7e]{1,24}$/.test(ptnCd),
  },
  'user codes of its own alone': {
    refuses: (ptnCd) => !/^member-\d$/.test(ptnCd),
    run: { users: givenUsers(Array.from({ length: 8 }, (_, index) => `member-${index}`)) },
    skipped: ['protocol/exact-user-code'],
  },
  'a single user code of its own': {
    refuses: (ptnCd) => ptnCd !== 'member-1',
    run: { users: givenUsers(['member-1']) },
    skipped: [
      'key-exchange/key-per-user',
      'registration/key-of-that-user',
      'protocol/concurrent-signups',
      'protocol/exact-user-code',
    ],
  },
};

/** Ciphers, and the checks that can't be judged under them. */
const ciphers: Readonly<Record<string, readonly RegExp[]>> = {
  'aes-128-gcm?key=md5&iv=prefix': [],
  'aes-256-gcm?key=utf8&iv=prefix&tag=after-iv&ivlen=16': [],
  'aes-256-cbc?key=utf8&iv=key-head&padding=pkcs7&encoding=hex': [],
  'aes-256-cbc?key=evp-md5': [/^registration\/uses-iv skipped The cipher .* has no IV/],
  'aes-256-ecb?key=sha256&padding=iso10126&encoding=base64url': [
    /^registration\/uses-iv skipped The cipher .* has no IV/,
  ],
  'des-ede3-cbc?key=utf8&iv=zero': [],
  'des-ede3-cbc?key=utf8&iv=prefix&padding=ansix923': [],
  'aes-256-cfb?key=utf8&iv=prefix&padding=pkcs7': [/^registration\/rejects-undecryptable skipped/],
  'aes-256-ctr?key=utf8': [
    /^registration\/rejects-undecryptable skipped The cipher aes-256-ctr.* has neither/,
  ],
};

describe('verify under other ciphers', () => {
  for (const [notation, skipped] of Object.entries(ciphers)) {
    it(notation, async () => {
      const cipher = parseCipher(notation);
      const { url, close } = await serve({ cipher });
      const found = troubles(await newRun(url, { cipher }).start().finally(close));
      assert.equal(found.length, skipped.length, found.join('\n'));
      for (const [index, expected] of skipped.entries()) assert.match(found[index] ?? '', expected);
    });
  }

  it('names the cipher of an application that refuses for it', async () => {
    const { url, close } = await serve({ cipher: parseCipher('aes-256-gcm') });
    const run = newRun(url, { check: ['registration/answers-success'] });
    const { checks } = await run.start().finally(close);
    assert.match(
      checks[0]?.fault?.fix ?? '',
      /If aes-256-gcm is right: `authcli config set cipher aes-256-gcm`\.$/,
    );
  });
});

describe(`verify against right applications in other styles, drawn by ${sampleSeed}`, () => {
  for (const [title, variant] of sampled(Object.entries(variants), 10)) {
    it(title, async () => {
      const { url, close } = await serve(variant);
      const result = await newRun(url, variant.run).start().finally(close);
      const found = troubles(result).map((line) => line.split(' ').slice(0, 2).join(' '));
      const skipped = (variant.skipped ?? []).map((id) => `${id} skipped`);
      assert.deepEqual(found, skipped, `${troubles(result)}`);
    });
  }

  it('HTTP/1.0, without a length', async () => {
    const handle = applicationOf(defaultCipher);
    const { port, close } = await startFaultServer(async (line) => {
      const { body: sent } = await line.request();
      const request = { method: 'POST', path: '/callback', headers: rightHeaders, body: sent };
      const { status, headers, body } = await handle(request);
      const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
      line.send(`HTTP/1.0 ${status} OK\r\n${lines.join('')}\r\n`);
      line.socket.end(body);
    });
    const result = await newRun(new URL(`http://127.0.0.1:${port}/cb`)).start();
    await close();
    assert.deepEqual(troubles(result), []);
  });
});

const rightHeaders = { 'content-type': 'application/json;charset=utf-8' };

/** Another path than the reference application has, and a query. */
async function serve({
  key,
  cipher = defaultCipher,
  refuses = () => false,
  respond = (right) => right,
}: Variant) {
  const right = key
    ? applicationWith({ key }, { cipher, seed: 'variants' })
    : applicationOf(cipher);
  const { url, close } = await serveHandler(async (request) => {
    const ptnCd = /"ptn_cd":"([^"]*)"/.exec(Buffer.from(request.body).toString())?.[1];
    const response = await right({ ...request, path: '/callback' });
    const refusal = '{"code":"9001","message":"unknown user"}';
    const isRefused = ptnCd !== undefined && refuses(ptnCd);
    return respond(isRefused ? withBody(response, refusal) : response);
  });
  return { url: new URL('/app/callback?source=service', url), close };
}

function withHeader(response: EmulatorResponse, name: string, value: string): EmulatorResponse {
  return { ...response, headers: { ...response.headers, [name]: value } };
}

function textOf({ body }: EmulatorResponse): string {
  return Buffer.from(body).toString();
}

function withBody(response: EmulatorResponse, text: string): EmulatorResponse {
  return { ...response, body: Buffer.from(text) };
}

function edited(response: EmulatorResponse, edit: (json: object) => object): EmulatorResponse {
  const text = JSON.stringify(edit(JSON.parse(textOf(response))));
  return withBody(
    response,
    text.replace(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`),
  );
}
