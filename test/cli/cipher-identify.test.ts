import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fixtureJson } from '../support/fixtures.ts';
import { workspace } from './workspace.ts';

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

const { cli, cliJson } = workspace();
const identify = (...argv: readonly string[]) => cliJson(['cipher', 'identify', ...argv]);

const rows = fixtureJson<readonly PayloadRow[]>('payloads/payloads.json');
const [first, second] = rows;
assert.ok(first && second);
const { key, payload, plaintext, cipher } = first;
const withKey = ['--key', key];

async function encrypt(text: string, ...argv: readonly string[]): Promise<string> {
  return (await cliJson(['encrypt', text, ...withKey, ...argv])).json.payload;
}

describe('cipher identify', () => {
  for (const row of rows) {
    it(`names ${row.cipher}, and shows the plaintext`, async () => {
      const as = row.kind === 'user-info' ? 'ubifill' : 'partner_sp';
      const known = row.cipher.includes('iv=hex:') ? ['--known-plaintext', row.plaintext] : [];
      const { status, json } = await identify(row.payload, '--key', row.key, '--as', as, ...known);
      assert.equal(status, 0);
      const found = json.candidates.find((each: Candidate) => each.cipher === row.cipher);
      assert.equal(found?.plaintext, row.plaintext);
      assert.match(found.confidence, /^(?:certain|likely|possible)$/);
    });
  }

  it('puts the best first, with the line that sets it, and what would narrow the choice', async () => {
    const { status, stdout } = await cli(['cipher', 'identify', payload, ...withKey]);
    assert.equal(status, 0);
    assert.ok(stdout.startsWith(`${cipher}  `), stdout);
    assert.ok(stdout.includes(`\n  ${plaintext}\n`));
    assert.ok(stdout.endsWith(`\n  authcli config set cipher '${cipher}'\n`));
    const vague = await encrypt('4829', '--cipher', 'aes-256-ctr');
    const { stderr } = await cli(['cipher', 'identify', vague, ...withKey]);
    assert.match(stderr, /^note: .*--payload.* or .*--known-plaintext.* would narrow it$/m);
  });

  it('is certain with a known plaintext', async () => {
    const { json } = await identify(payload, ...withKey, '--known-plaintext', plaintext);
    assert.deepEqual(json.candidates, [{ cipher, confidence: 'certain', plaintext }]);
  });

  it('says why it is not certain: ECB and CBC with a zero IV are alike within a block', async () => {
    const vague = await encrypt('passcode-482', '--cipher', 'aes-256-ecb');
    const { json, stderr } = await identify(vague, ...withKey);
    const likely = json.candidates
      .filter(({ confidence }: Candidate) => confidence === 'likely')
      .map((each: Candidate) => each.cipher.replace(/&padding.*/, ''));
    for (const name of ['aes-256-ecb?key=utf8', 'aes-256-cbc?key=utf8&iv=zero'])
      assert.ok(likely.includes(name), name);
    assert.match(stderr, /ciphers give the same text .* can't tell them apart; another payload/);
  });

  it('sets no cipher that cuts the text, and says how to find the fixed IV', async () => {
    const iv = 'iv=hex:8899aabbccddeeff0011223344556677';
    const text = '{"email":"kim@example.com","name":"Kim Lee","phone":"010-1234-5678"}';
    const cut = await encrypt(text, '--cipher', `aes-256-cbc?${iv}`);
    const shown = await cli(['cipher', 'identify', cut, ...withKey]);
    assert.doesNotMatch(shown.stdout, /To set it|likely|certain/);
    assert.match(
      shown.stderr,
      /begins in the middle of JSON, .* \(--known-plaintext\) would reveal/,
    );
    const { json } = await identify(cut, ...withKey);
    const ciphers = json.candidates.map((each: Candidate) => each.cipher);
    assert.equal(new Set(ciphers).size, ciphers.length);
    const known = await identify(cut, ...withKey, '--known-plaintext', text);
    assert.match(known.json.candidates[0].cipher, new RegExp(iv));
  });

  it('takes the key of a stored user, and names another known user whose key it is', async () => {
    const other = 'q7Hs9ZkV2mXc4Bn8Lw1Rt6Yp3Df5Gj0A';
    const stdin = `{"ptn_cd":"ann","key":"${key}"}\n{"ptn_cd":"bob","key":"${other}"}`;
    assert.equal((await cli(['users', 'import', '-'], { stdin })).status, 0);
    const own = await identify(payload, '--ptn-cd', 'ann');
    assert.equal(own.json.candidates[0].plaintext, plaintext);
    const sealed = await cliJson(['encrypt', 'passcode-482913-of-bob', '--key', other]);
    const { status, stdout, json } = await identify(sealed.json.payload, '--ptn-cd', 'ann');
    assert.equal(status, 1);
    assert.equal(json.error.code, 'wrong-key');
    assert.match(json.error.message, /another known key, sha256:[0-9a-f]{12}/);
    assert.ok(!stdout.includes(other));
  });

  const another = ['--payload', second.payload];
  const failures: readonly [string, readonly string[], RegExp][] = [
    ['wrong-key', [payload, '--key', 'x'.repeat(32)], /^No cipher of the notation decrypts the p/],
    ['wrong-key', [payload, ...withKey, '--known-plaintext', 'else'], /the first one alone can be/],
    ['wrong-key', [payload, ...another, ...withKey], /No cipher matches all payloads/],
    ['payload-encoding', ['not a payload!', ...withKey], /can't be decrypted/],
    ['payload-encoding', [encodeURIComponent(payload), ...withKey], /is percent-encoded/],
  ];
  for (const [code, argv, message] of failures) {
    it(`gives ${code} for what is refused with ${message.source}`, async () => {
      const { status, stdout, json } = await identify(...argv);
      assert.equal(status, 1);
      assert.deepEqual(json.candidates, []);
      assert.equal(json.error.code, code);
      assert.match(json.error.message, message);
      assert.notEqual(json.error.hint, '');
      assert.ok(!stdout.includes(key));
    });
  }

  it('needs a key', async () => {
    const { status, stderr } = await cli(['cipher', 'identify', payload]);
    assert.equal(status, 2);
    assert.match(stderr, /cipher identify needs a per-user key/);
  });
});
