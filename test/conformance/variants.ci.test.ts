import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { signinChecks } from '../../src/conformance/signin-catalogue.ts';
import { type Cipher, defaultCipher, parseCipher } from '../../src/crypto/cipher.ts';
import type { EmulatorResponse } from '../../src/emulator/http.ts';
import { isThorough, sampled, sampleSeed } from '../support/draws.ts';
import { startFaultServer } from '../support/fault-server.ts';
import { seededRandom } from '../support/seeded-random.ts';
import { rightPrograms, signinProgram } from '../support/signin-program.ts';
import { verifySignin } from './signin-support.ts';
import {
  application,
  applicationOf,
  newRun,
  type RunChanges,
  serve as serveHandler,
  troubles,
} from './support.ts';

/*
 * Applications that are right and do it in another style: not one check may fail or warn. Each is
 * the reference application behind a server of its own, with its responses made differently.
 */

interface Variant {
  readonly cipher?: Cipher;
  /** Refuses, with a negative response, requests for this user. */
  readonly refuses?: (ptnCd: string) => boolean;
  readonly respond?: (response: EmulatorResponse) => EmulatorResponse | Promise<EmulatorResponse>;
  readonly run?: RunChanges;
  /** Checks that can't be judged here, with their status. */
  readonly skipped?: readonly string[];
}

type Respond = (response: EmulatorResponse) => EmulatorResponse;
const ifRefused =
  (status: number): Respond =>
  (response) =>
    textOf(response).includes('"0000"') ? response : { ...response, status };
const withText =
  (edit: (text: string) => string): Respond =>
  (response) =>
    withBody(response, edit(textOf(response)));
const withHeader =
  (name: string, value: string): Respond =>
  (response) => ({ ...response, headers: { ...response.headers, [name]: value } });
const zip: Respond = (response) =>
  withHeader('content-encoding', 'gzip')({ ...response, body: gzipSync(response.body) });

/** Fields before and behind those of the interface. */
const more = (text: string) =>
  `{"traceId":"f00",${text.slice(1, -1)},"timestamp":1700000000,"data":null}`;
const members = Array.from({ length: 8 }, (_, index) => `member-${index}`);

const variants: Readonly<Record<string, Variant>> = {
  'status 400 for errors': { respond: ifRefused(400) },
  'status 500 for errors': { respond: ifRefused(500) },
  'additional fields': { respond: withText(more) },
  'JSON over several lines': {
    respond: withText((text) => JSON.stringify(JSON.parse(text), null, 4)),
  },
  chunks: { respond: withHeader('transfer-encoding', 'chunked') },
  gzip: { respond: zip },
  'a connection for each response': { respond: withHeader('connection', 'close') },
  'user codes in ASCII alone, and short': {
    refuses: (ptnCd) => !/^[\x21-\x7e]{1,24}$/.test(ptnCd),
  },
  'user codes of its own alone': {
    refuses: (ptnCd) => !members.includes(ptnCd),
    run: { userCodes: members },
    skipped: ['protocol/exact-user-code skipped'],
  },
  'a single user code of its own': {
    refuses: (ptnCd) => ptnCd !== 'member-1',
    run: { userCodes: ['member-1'] },
    skipped: [
      'key-exchange/key-per-user incomplete',
      'registration/key-of-that-user incomplete',
      'protocol/concurrent-signups incomplete',
      'protocol/exact-user-code incomplete',
    ],
  },
};

const asItIs: Respond = (response) => response;
const ownError = JSON.stringify({
  ...{ code: 'E-4711', message: 'Ungültig: 無効', status: 400, path: '/callback' },
  errors: [{ field: 'ptn_cd', reason: 'unknown' }],
});
/** What may be combined: one of each line, the coding last. */
const manners: readonly (readonly Respond[])[] = [
  [asItIs, ifRefused(400), ifRefused(403), ifRefused(422), ifRefused(500)],
  [asItIs, withText(more), withText((text) => (text.includes('"0000"') ? text : ownError))],
  [asItIs, withText((text) => `\r\n\n ${text}\n`), withText((text) => `${text}\r\n`)],
  [asItIs, withText((text) => text.replaceAll(/[\u0080-\uffff]/g, escapedInJson))],
  [asItIs, withHeader('content-type', 'Application/JSON; Charset="UTF-8"')],
  [asItIs, withHeader('set-cookie', 'SESSION=f00; Path=/; HttpOnly')],
  [asItIs, withHeader('transfer-encoding', 'chunked'), zip, withHeader('connection', 'close')],
];
/** The ones of a sign-in, of which any may be left out. */
const signinManners = [
  ...[['other-spelling', 'more-headers'], ['tries-three-times', 'asks-again'], ['chunked']],
  ...[
    ['one-connection', 'closes-connections'],
    ['first-of-duplicates', 'refuses-duplicates'],
  ],
  ...[['pretty-json'], ['code-any-case'], ['looks-at-expiry'], ['finds-first'], ['accepts-gzip']],
];

/** Of right applications and right sign-ins; with those above, over 200 where all is tried. */
const combinations = Array.from({ length: isThorough ? 130 : 6 }, (_, index) => {
  const { below, pick } = seededRandom(`${sampleSeed} ${index}`);
  const chosen = manners.map((line) => below(line.length));
  const respond: Variant['respond'] = async (response) => {
    if (index % 5 === 0) await delay(below(40));
    return chosen.reduce((made, at, line) => manners[line]?.[at]?.(made) ?? made, response);
  };
  const { skipped, refuses, run } = pick([{}, {}, ...Object.values(variants).slice(-3, -1)]);
  return [`${chosen.join('.')} ${skipped ?? ''}`, { skipped, refuses, run, respond }] as const;
});
const signins = Array.from({ length: isThorough ? 60 : 2 }, (_, index) => {
  const { pick } = seededRandom(`${sampleSeed} sign-in ${index}`);
  return signinManners.flatMap((line) => pick([[], ...line.map((name) => [name])])).join('+');
});

function escapedInJson(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

const withoutIv = /^registration\/uses-iv skipped The cipher .* has no IV/;

/** Ciphers, and the checks that can't be judged under them. */
const ciphers: Readonly<Record<string, readonly RegExp[]>> = {
  'aes-128-gcm?key=md5&iv=prefix': [],
  'aes-256-gcm?key=utf8&iv=prefix&tag=after-iv&ivlen=16': [],
  'aes-256-cbc?key=utf8&iv=key-head&padding=pkcs7&encoding=hex': [],
  'aes-256-cbc?key=evp-md5': [withoutIv],
  'aes-256-ecb?key=sha256&padding=iso10126&encoding=base64url': [withoutIv],
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
});

describe(`verify against right applications in other styles, drawn by ${sampleSeed}`, () => {
  for (const [title, variant] of [...sampled(Object.entries(variants), 10), ...combinations]) {
    it(title, async () => {
      const { url, close } = await serve(variant);
      const result = await newRun(url, variant.run).start().finally(close);
      const found = troubles(result).map((line) => line.split(' ').slice(0, 2).join(' '));
      assert.deepEqual(found, variant.skipped ?? [], `${troubles(result)}`);
    });
  }

  it('HTTP/1.0, without a length', async () => {
    const handle = application();
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
  cipher = defaultCipher,
  refuses = () => false,
  respond = (right) => right,
}: Variant) {
  const right = applicationOf({ cipher });
  const { url, close } = await serveHandler(async (request) => {
    const ptnCd = /"ptn_cd":"([^"]*)"/.exec(Buffer.from(request.body).toString())?.[1];
    const response = await right({ ...request, path: '/callback' });
    const refusal = '{"code":"9001","message":"unknown user"}';
    const isRefused = ptnCd !== undefined && refuses(ptnCd);
    return respond(isRefused ? withBody(response, refusal) : response);
  });
  return { url: new URL('/app/callback?source=service', url), close };
}

function textOf({ body }: EmulatorResponse): string {
  return Buffer.from(body).toString();
}

function withBody(response: EmulatorResponse, text: string): EmulatorResponse {
  return { ...response, body: Buffer.from(text) };
}

describe('the checks of the sign-in pass', { concurrency: 4 }, () => {
  for (const name of [...rightPrograms, ...new Set(signins)]) {
    it(`a right program: ${name}`, async () => {
      const result = await verifySignin(signinProgram(name));
      assert.deepEqual(troubles(result), []);
      assert.equal(result.checks.length, signinChecks.length);
    });
  }
});
