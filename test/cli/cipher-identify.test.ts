import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fixtureJson } from '../support/fixtures.ts';
import { workspace } from './workspace.ts';

const { cli, cliJson } = workspace();
const identify = (...argv: readonly string[]) => cliJson(['cipher', 'identify', ...argv]);
const rows = fixtureJson<readonly Record<string, string>[]>('payloads/payloads.json');
const [first = {}, second = {}] = rows;
const { key = '', payload = '', plaintext = '', cipher = '' } = first;
const withKey = ['--key', key];

async function encrypt(text: string, notation: string): Promise<string> {
  return (await cliJson(['encrypt', text, ...withKey, '--cipher', notation])).json.payload;
}

describe('cipher identify', () => {
  it('puts the best first, with the line that sets it, and what would narrow the choice', async () => {
    const { status, stdout } = await cli(['cipher', 'identify', payload, ...withKey]);
    assert.equal(status, 0);
    assert.ok(stdout.startsWith(`${cipher}  `), stdout);
    assert.ok(stdout.includes(`\n  ${plaintext}\n`));
    assert.ok(stdout.endsWith(`\n  authcli config set cipher '${cipher}'\n`));
    const vague = await encrypt('4829', 'aes-256-ctr');
    const { stderr } = await cli(['cipher', 'identify', vague, ...withKey]);
    assert.match(stderr, /^note: .*--payload.* or .*--known-plaintext.* would narrow it$/m);
  });

  it('sets no cipher that cuts the text, and says how to find the fixed IV', async () => {
    const iv = 'iv=hex:8899aabbccddeeff0011223344556677';
    const text = '{"email":"kim@example.com","name":"Kim Lee","phone":"010-1234-5678"}';
    const cut = await encrypt(text, `aes-256-cbc?${iv}`);
    const { stdout, stderr } = await cli(['cipher', 'identify', cut, ...withKey]);
    assert.doesNotMatch(stdout, /To set it|likely|certain/);
    assert.match(stderr, /begins in the middle of JSON, .* \(--known-plaintext\) would reveal/);
    const known = await identify(cut, ...withKey, '--known-plaintext', text);
    assert.match(known.json.candidates[0].cipher, new RegExp(iv));
  });

  it('takes the key of a stored user, and names another known user whose key it is', async () => {
    const other = 'q7Hs9ZkV2mXc4Bn8Lw1Rt6Yp3Df5Gj0A';
    const stdin = `{"ptn_cd":"ann","key":"${key}"}\n{"ptn_cd":"bob","key":"${other}"}`;
    await cli(['users', 'import', '-'], { stdin });
    const own = await identify(payload, '--ptn-cd', 'ann');
    assert.equal(own.json.candidates[0].plaintext, plaintext);
    const sealed = await cliJson(['encrypt', 'passcode-482913-of-bob', '--key', other]);
    const { status, stdout, json } = await identify(sealed.json.payload, '--ptn-cd', 'ann');
    assert.deepEqual([status, json.error.code], [1, 'wrong-key']);
    assert.match(json.error.message, /another known key, sha256:[0-9a-f]{12}/);
    assert.ok(!stdout.includes(other));
  });

  for (const [code, argv, message] of [
    ['wrong-key', [payload, '--key', 'x'.repeat(32)], /^No cipher of the notation decrypts the p/],
    ['wrong-key', [payload, ...withKey, '--known-plaintext', 'x'], /the first one alone can be/],
    ['wrong-key', [payload, '--payload', second.payload ?? '', ...withKey], /matches all payloads/],
    ['payload-encoding', ['not a payload!', ...withKey], /can't be decrypted/],
    ['usage', [payload], /cipher identify needs a per-user key/],
  ] as const) {
    it(`gives ${code} for what is refused with ${message.source}`, async () => {
      const { status, stdout, json } = await identify(...argv);
      assert.deepEqual([status, json.error.code], [code === 'usage' ? 2 : 1, code]);
      assert.match(json.error.message, message);
      assert.notEqual(json.error.hint, '');
      assert.ok(!stdout.includes(key));
    });
  }
});
