import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { givenUsers } from '../../src/conformance/test-data.ts';
import { type Cipher, defaultCipher } from '../../src/crypto/cipher.ts';
import { parseCipher } from '../../src/crypto/cipher-notation.ts';
import type { EmulatorRequest, EmulatorResponse } from '../../src/emulator/http.ts';
import { sampled, sampleSeed } from '../support/draws.ts';
import { seededBytes } from '../support/seeded-bytes.ts';
import { applicationOf, applicationWith, newRun, type RunChanges, troubles } from './support.ts';

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
  readonly write?: (response: ServerResponse, handled: EmulatorResponse) => void;
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
  chunks: {
    write: (response, { status, headers, body }) => {
      response.writeHead(status, headers);
      for (let at = 0; at < body.length; at += 40) response.write(body.subarray(at, at + 40));
      response.end();
    },
  },
  gzip: {
    write: (response, { status, headers, body }) => {
      response.writeHead(status, { ...headers, 'content-encoding': 'gzip' }).end(gzipSync(body));
    },
  },
  'a connection for each response': {
    write: (response, { status, headers, body }) => {
      response.writeHead(status, { ...headers, connection: 'close' }).end(Buffer.from(body));
    },
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
      try {
        const result = await newRun(url, variant.run).start();
        const found = troubles(result).map((line) => line.split(' ').slice(0, 2).join(' '));
        const skipped = variant.skipped ?? [];
        assert.deepEqual(
          found,
          skipped.map((id) => `${id} skipped`),
          `${troubles(result)}`,
        );
      } finally {
        await close();
      }
    });
  }

  it('HTTP/1.0, without a length', async () => {
    const handle = handlerOf({});
    const server = createTcpServer((socket) => {
      let seen = Buffer.alloc(0);
      socket.on('error', () => {});
      socket.on('data', async (chunk) => {
        seen = Buffer.concat([seen, chunk]);
        const request = requestIn(seen);
        if (request === undefined) return;
        const { status, headers, body } = await handle(request);
        const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
        socket.end(
          Buffer.concat([Buffer.from(`HTTP/1.0 ${status} OK\r\n${lines.join('')}\r\n`), body]),
        );
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const result = await newRun(new URL(`http://127.0.0.1:${port}/cb`)).start();
    server.close();
    assert.deepEqual(troubles(result), []);
  });
});

function handlerOf({
  key,
  cipher = defaultCipher,
  refuses = () => false,
  respond = (right) => right,
}: Variant) {
  const right = key
    ? applicationWith({ key }, { cipher, seed: 'variants' })
    : applicationOf(cipher);
  return async (request: EmulatorRequest): Promise<EmulatorResponse> => {
    const ptnCd = /"ptn_cd":"([^"]*)"/.exec(Buffer.from(request.body).toString())?.[1];
    const response = await right({ ...request, path: '/callback' });
    const refused = ptnCd !== undefined && refuses(ptnCd);
    const refusal = '{"code":"9001","message":"unknown user"}';
    return respond(refused ? withBody(response, refusal) : response);
  };
}

async function serve(variant: Variant) {
  const handle = handlerOf(variant);
  const server = createServer(async (request, response) => {
    const handled = await handle(await toRequest(request));
    const write = variant.write ?? writePlainly;
    write(response, handled);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { url: new URL(`http://127.0.0.1:${port}/app/callback?source=service`), close };
}

function writePlainly(response: ServerResponse, { status, headers, body }: EmulatorResponse): void {
  response.writeHead(status, headers).end(Buffer.from(body));
}

async function toRequest(request: IncomingMessage): Promise<EmulatorRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const headers = request.headers as Record<string, string>;
  const { method = '', url = '' } = request;
  return { method, path: url, headers, body: Buffer.concat(chunks) };
}

/** The request that is wholly in the bytes. */
function requestIn(bytes: Buffer): EmulatorRequest | undefined {
  const end = bytes.indexOf('\r\n\r\n');
  const head = bytes.subarray(0, end).toString('latin1');
  const length = Number(/^content-length: *(\d+)/im.exec(head)?.[1] ?? 0);
  if (end < 0 || bytes.length < end + 4 + length) return undefined;
  const [, method = '', path = ''] = /^(\S+) (\S+)/.exec(head) ?? [];
  const headers = { 'content-type': /^content-type: *(.*)$/im.exec(head)?.[1] ?? '' };
  return { method, path, headers, body: bytes.subarray(end + 4) };
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
