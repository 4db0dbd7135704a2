import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseCipher } from '../../src/crypto/cipher-notation.ts';
import { decryptPayload } from '../../src/crypto/payload-ciphers.ts';
import { applicationOf, serve } from '../conformance/support.ts';
import { workspace } from './workspace.ts';

const { freshConfig, cli } = workspace();

interface Sent {
  readonly used_type: string;
  readonly ptn_cd: string;
  readonly partner_sp: string;
}

/** Signs bob up at the emulated application with these faults, and returns what it received. */
async function signUp(faults: readonly string[], cipher = 'aes-256-cbc', probe = ['--probe']) {
  const { url, requests, close } = await serve(
    applicationOf({ cipher: parseCipher(cipher), faults }),
  );
  const flags = ['--ptn-cd', 'bob', '--cipher', cipher, '--json', '--show-secrets', ...probe];
  const argv = ['simulate-signup', '--url', url.href, ...flags];
  const result = await cli(argv, { configFile: freshConfig() }).finally(close);
  const received = requests.map(({ body }) => JSON.parse(`${Buffer.from(body)}`) as Sent);
  return { ...result, received, document: JSON.parse(result.stdout) };
}

describe('simulate-signup --probe after an accepted registration', () => {
  const misreadings = [
    ['ignores-iv', 'aes-256-cbc', 'cipher-mismatch', /the whole payload with an IV of zeros/],
    ['key-as-iv', 'aes-256-cbc', 'cipher-mismatch', /first 16 characters of the key as IV/],
    ['keeps-iv', 'aes-256-cbc', 'cipher-mismatch', /decrypts it again as a part of the ciphertext/],
    ['fixed-iv', 'aes-256-cbc', 'cipher-mismatch', /accepted under an IV of zeros/],
    ['first-block-as-iv', 'aes-256-cbc?iv=zero', 'cipher-mismatch', /first block as the IV/],
    ['narrow-counter', 'aes-256-ctr', 'cipher-mismatch', /fewer than 128 bits/],
    ['ignores-tag', 'aes-256-gcm', 'never-decrypts', /does not check the tag/],
    ['never-decrypts', 'aes-256-cbc', 'never-decrypts', /impossible padding/],
  ] as const;
  for (const [fault, cipher, code, cause] of misreadings) {
    it(`names what is wrong, and the call that decrypts: ${fault}`, async () => {
      const { status, document } = await signUp([fault], cipher);
      const codes = document.steps.map((step: { code: string }) => step.code);
      assert.deepEqual([status, document.ok, ...codes], [1, false, '0000', '0000']);
      assert.equal(document.error.code, code);
      assert.match(document.error.message, cause);
      if (fault !== 'narrow-counter') assert.match(document.error.calls.java, /Cipher/);
    });
  }

  const ciphers = ['aes-256-cbc', 'aes-256-ecb', 'aes-256-gcm', 'aes-256-ctr', 'aes-128-cfb'];
  for (const cipher of [...ciphers, 'aes-256-cbc?iv=key-head', 'des-ede3-cbc']) {
    it(`finds nothing wrong with a right application of ${cipher}`, async () => {
      const { status, stderr, document } = await signUp([], cipher);
      assert.equal(status, 0);
      assert.equal(document.error, undefined);
      assert.match(stderr, /probed with \d test users \(authcli-probe-…\)/);
    });
  }

  for (const faults of [[], ['ignores-iv']]) {
    it(`sends the registration of the user last: ${faults.join() || 'a right one'}`, async () => {
      const { stderr, received, document } = await signUp(faults);
      const last = received.at(-1);
      assert.deepEqual([last?.used_type, last?.ptn_cd], ['2', 'bob']);
      assert.ok(last);
      const { key, super_passcode: passcode } = document;
      const reading = decryptPayload(last.partner_sp, key, parseCipher('aes-256-cbc'));
      assert.ok(reading.ok);
      assert.equal(Buffer.from(reading.plaintext).toString(), passcode);
      assert.match(stderr, /registered the user again/);
      const others = received.slice(2, -1).map(({ ptn_cd: user }) => user);
      assert.ok(others.length > 0);
      for (const user of others) assert.match(user, /^authcli-probe-[0-9a-f]{12}$/);
    });
  }

  it('blames neither side for a registration that is refused the second time, and says what to do', async () => {
    const { status, stderr } = await signUp(['one-slot-for-all']);
    assert.equal(status, 0);
    assert.match(stderr, /sent once more after the probe, was refused .*run simulate-signup again/);
  });

  it('blames neither side where test users are refused, and says why nothing can be determined', async () => {
    const { status, stderr } = await signUp(['requires-user-info']);
    assert.equal(status, 0);
    assert.match(stderr, /test users can't be registered \(registration\/without-user-info\)/);
    assert.doesNotMatch(stderr, /nothing wrong/);
  });

  it('sends nothing more without --probe', async () => {
    const { status, received } = await signUp(['ignores-iv'], undefined, []);
    assert.equal(status, 0);
    assert.equal(received.length, 2);
  });

  it('sends nothing more where the application shows the key', async () => {
    const { document, received } = await signUp(['leaks-key-in-result']);
    assert.equal(document.error.code, 'key-leaked');
    assert.equal(received.length, 2);
  });
});

describe('simulate-registration --probe', () => {
  it('probes what was accepted too, and leaves the stored user registered', async () => {
    const { url, close } = await serve(applicationOf({ faults: ['ignores-iv'] }));
    const configFile = freshConfig();
    const user = ['--url', url.href, '--ptn-cd', 'bob'];
    await cli(['simulate-key-exchange', ...user], { configFile });
    const argv = ['simulate-registration', ...user, '--probe', '--json'];
    const { status, stdout } = await cli(argv, { configFile }).finally(close);
    assert.equal(status, 1);
    assert.equal(JSON.parse(stdout).error.code, 'cipher-mismatch');
    const shown = await cli(['users', 'show', 'bob', '--json'], { configFile });
    assert.equal(JSON.parse(shown.stdout).state, 'registered');
  });
});
