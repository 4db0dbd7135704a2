import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { fixtureJson } from '../support/fixtures.ts';
import { run } from '../support/run.ts';

interface PayloadRow {
  readonly cipher: string;
  readonly key: string;
  readonly kind: string;
  readonly plaintext: string;
  readonly payload: string;
}

interface Candidate {
  readonly cipher: string;
  readonly confidence: string;
  readonly plaintext: string | null;
}

const folder = mkdtempSync(join(tmpdir(), 'authcli-identify-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const environment = { configFile: join(folder, 'config.json') };

async function identify(...argv: readonly string[]) {
  const result = await run(['cipher', 'identify', '--json', ...argv], environment);
  const document = JSON.parse(result.stdout) as {
    readonly ok: boolean;
    readonly candidates: readonly Candidate[];
    readonly error?: { readonly code: string; readonly message: string; readonly hint: string };
  };
  return { ...result, document };
}

const rows = fixtureJson<readonly PayloadRow[]>('payloads/payloads.json');
const [first] = rows;
assert.ok(first);

describe('cipher identify', () => {
  for (const { cipher, key, kind, plaintext, payload } of rows) {
    const as = kind === 'user-info' ? 'ubifill' : 'partner_sp';
    it(`names ${cipher}, and shows the plaintext`, async () => {
      const fixedIv = cipher.includes('iv=hex:') ? ['--known-plaintext', plaintext] : [];
      const { status, document } = await identify(payload, '--key', key, '--as', as, ...fixedIv);
      assert.equal(status, 0);
      const found = document.candidates.find((candidate) => candidate.cipher === cipher);
      assert.equal(found?.plaintext, plaintext);
      assert.match(found.confidence, /^(?:certain|likely|possible)$/);
    });
  }

  it('puts the best first, with the line that sets it', async () => {
    const { payload, key, cipher, plaintext } = first;
    const { status, stdout } = await run(
      ['cipher', 'identify', payload, '--key', key],
      environment,
    );
    assert.equal(status, 0);
    assert.ok(stdout.startsWith(`${cipher}  `), stdout);
    assert.ok(stdout.includes(`\n  ${plaintext}\n`));
    assert.ok(stdout.endsWith(`\n  authcli config set cipher '${cipher}'\n`));
  });

  it('is certain with a known plaintext', async () => {
    const { payload, key, cipher, plaintext } = first;
    const { document } = await identify(payload, '--key', key, '--known-plaintext', plaintext);
    assert.deepEqual(document.candidates, [{ cipher, confidence: 'certain', plaintext }]);
  });

  it('says why it is not certain: ECB and CBC with a zero IV are alike within a block', async () => {
    const { key } = first;
    const argv = ['encrypt', 'passcode-482', '--key', key, '--cipher', 'aes-256-ecb', '--json'];
    const { payload } = JSON.parse((await run(argv, environment)).stdout);
    const { document, stderr } = await identify(payload, '--key', key);
    const starts = ['aes-256-ecb?key=utf8&padding=pkcs7', 'aes-256-cbc?key=utf8&iv=zero&padding'];
    for (const start of starts) {
      const found = document.candidates.find(({ cipher }) => cipher.startsWith(start));
      assert.equal(found?.confidence, 'likely', start);
    }
    assert.match(stderr, /ciphers give the same text .* can't tell them apart; another payload/);
  });

  it('sets no cipher that cuts the text, and says how to find the fixed IV', async () => {
    const { key } = first;
    const iv = 'iv=hex:8899aabbccddeeff0011223344556677';
    const text = '{"email":"kim@example.com","name":"Kim Lee","phone":"010-1234-5678"}';
    const argv = ['encrypt', text, '--key', key, '--cipher', `aes-256-cbc?${iv}`, '--json'];
    const { payload } = JSON.parse((await run(argv, environment)).stdout);
    const shown = await run(['cipher', 'identify', payload, '--key', key], environment);
    assert.doesNotMatch(shown.stdout, /To set it|likely|certain/);
    assert.match(
      shown.stderr,
      /begins in the middle of JSON, .* \(--known-plaintext\) would reveal/,
    );
    const { document } = await identify(payload, '--key', key);
    const ciphers = document.candidates.map(({ cipher }) => cipher);
    assert.equal(new Set(ciphers).size, ciphers.length);
    const known = await identify(payload, '--key', key, '--known-plaintext', text);
    assert.match(known.document.candidates[0]?.cipher ?? '', new RegExp(iv));
  });

  it('takes the key of a stored user', async () => {
    const { payload, key, plaintext } = first;
    const state = { ...environment, stdin: JSON.stringify({ ptn_cd: 'kim', key }) };
    assert.equal((await run(['users', 'import', '-'], state)).status, 0);
    const { document } = await identify(payload, '--ptn-cd', 'kim');
    assert.equal(document.candidates[0]?.plaintext, plaintext);
  });

  it('names another known user whose key it is', async () => {
    const { key } = first;
    const other = 'q7Hs9ZkV2mXc4Bn8Lw1Rt6Yp3Df5Gj0A';
    const sealed = await run(
      ['encrypt', 'passcode-482913-of-bob', '--key', other, '--json'],
      environment,
    );
    const { payload } = JSON.parse(sealed.stdout) as { readonly payload: string };
    const users = [
      { ptn_cd: 'ann', key },
      { ptn_cd: 'bob', key: other },
    ];
    const stdin = users.map((user) => JSON.stringify(user)).join('\n');
    await run(['users', 'import', '-'], { ...environment, stdin });
    const { status, document } = await identify(payload, '--ptn-cd', 'ann');
    assert.equal(status, 1);
    assert.equal(document.error?.code, 'wrong-key');
    assert.match(document.error?.message ?? '', /another known key, sha256:[0-9a-f]{12}/);
    assert.ok(!JSON.stringify(document).includes(other));
  });

  const failures: readonly [string, readonly string[], string, RegExp][] = [
    [
      'a key that it was not made with',
      [first.payload, '--key', 'x'.repeat(32)],
      'wrong-key',
      /^No cipher of the notation decrypts the payload to text/,
    ],
    [
      'a plaintext that it does not hold',
      [first.payload, '--key', first.key, '--known-plaintext', 'something else'],
      'wrong-key',
      /the first one alone can be decrypted with aes-256-cbc/,
    ],
    [
      'payloads of two keys',
      [first.payload, '--payload', rows[1]?.payload ?? '', '--key', first.key],
      'wrong-key',
      /No cipher matches all payloads/,
    ],
    [
      'a text that is no payload',
      ['not a payload!', '--key', first.key],
      'payload-encoding',
      /can't be decrypted/,
    ],
    [
      'damage on the way',
      [encodeURIComponent(first.payload), '--key', first.key],
      'payload-encoding',
      /is percent-encoded/,
    ],
  ];
  for (const [title, argv, code, message] of failures) {
    it(`explains ${title}: ${code}`, async () => {
      const { status, document } = await identify(...argv);
      assert.equal(status, 1);
      assert.deepEqual(document.candidates, []);
      assert.equal(document.error?.code, code);
      assert.match(document.error?.message ?? '', message);
      assert.notEqual(document.error?.hint, '');
      assert.ok(!JSON.stringify(document).includes(first.key));
    });
  }

  it('says what would narrow the choice', async () => {
    const cipher = 'aes-256-ctr';
    const { key } = first;
    const sealed = await run(
      ['encrypt', '4829', '--key', key, '--cipher', cipher, '--json'],
      environment,
    );
    const { payload } = JSON.parse(sealed.stdout) as { readonly payload: string };
    const { stderr } = await run(['cipher', 'identify', payload, '--key', key], environment);
    assert.match(stderr, /^note: .*--payload.* or .*--known-plaintext.* would narrow it$/m);
  });

  it('needs a key', async () => {
    const { status, stderr } = await run(['cipher', 'identify', first.payload], environment);
    assert.equal(status, 2);
    assert.match(stderr, /cipher identify needs a per-user key/);
  });
});
