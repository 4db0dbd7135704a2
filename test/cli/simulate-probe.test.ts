import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { defaultCipher } from '../../src/crypto/cipher.ts';
import { decryptPayload } from '../../src/crypto/payload-ciphers.ts';
import { application, serve } from '../conformance/support.ts';
import { decryptions, startHandWritten } from '../support/hand-written-application.ts';
import { scriptedUser } from '../support/prompts.ts';
import type { RunEnvironment } from '../support/run.ts';
import { workspace } from './workspace.ts';

const { freshConfig, cli } = workspace();
type Application = Parameters<typeof startHandWritten>[0];

async function signUp(
  application: Application,
  flags: readonly string[] = [],
  changes: Partial<RunEnvironment> = {},
) {
  const { url, close } = await startHandWritten(application);
  const argv = ['simulate-signup', '--url', url.href, ...flags];
  return cli(argv, { configFile: freshConfig(), ...changes }).finally(close);
}

async function probed(given: Application) {
  const { status, stdout, stderr } = await signUp(given, ['--probe', '--json']);
  return { status, stderr, error: JSON.parse(stdout).error };
}

describe('simulate-signup --probe', () => {
  it('names what the application decrypts, and the call that decrypts what was sent', async () => {
    const { status, error } = await probed({ decrypt: decryptions.ecb });
    assert.deepEqual([status, error.code], [1, 'cipher-mismatch']);
    assert.match(error.message, /^The application decrypts aes-256-ecb/);
    const cipher = 'aes-256-ecb?key=utf8&padding=pkcs7&encoding=base64';
    assert.equal(error.evidence.fitting_cipher, cipher);
    assert.match(error.calls.node, /'aes-256-cbc', key, raw\.subarray\(0, 16\)/);
    assert.match(error.next, /^authcli verify --url /);
  });

  it('does not speak of the key where an application refuses test users without a reason', async () => {
    const onError = () => ({ status: 200, body: '{"code":"9999","message":"not allowed"}' });
    const stored = () => 'x'.repeat(32);
    const { error, stderr } = await probed({ decrypt: decryptions.right, onError, stored });
    assert.ok(Number(/probed with (\d+)/.exec(stderr)?.[1]) <= 128, stderr);
    assert.equal(error.code, 'code-not-success');
    assert.match(error.message, /not allowed.* 64 of 7,536 ciphers were tried, and none is acc/s);
    assert.match(error.next, /^authcli cipher probe .*--limit 7536/);
    assert.deepEqual(error.calls, {});
  });

  it('probes an application that fails with status 500 and an error page', async () => {
    const page = (stack?: string) => `<html><pre>${stack}</pre></html>`;
    const onError = ({ stack }: Error) => ({ status: 500, body: page(stack) });
    const { error } = await probed({ decrypt: decryptions.ecb, onError });
    assert.deepEqual([error.code, error.evidence.stack], ['cipher-mismatch', 'node']);
  });

  it('finds a forgotten key before any search, and more than the code of the emulator says', async () => {
    for (const [fault, cause] of [
      ['forgets-users', /never exchanged a key gets the same response: .* probably has no key/],
      ['refuses-user-info', /^The application accepts a registration without ubifill/],
    ] as const) {
      const { url, requests, close } = await serve(application(fault));
      const argv = ['simulate-signup', '--url', url.href, '--probe', '--json'];
      const { stdout } = await cli(argv, { configFile: freshConfig() }).finally(close);
      assert.match(JSON.parse(stdout).error.message, cause);
      assert.ok(requests.length <= 14, `${requests.length} requests`);
    }
  });

  it('searches for no cipher where it can not be the cause', async () => {
    const onError = () => ({ status: 404, body: 'not found' });
    const { decrypt, stored } = { decrypt: decryptions.right, stored: () => '' };
    const { status, stderr } = await probed({ decrypt, onError, stored });
    assert.equal(status, 1);
    assert.match(stderr, /probed with \d test users/);
  });
});

describe('a failed registration', () => {
  const usesEcb = { decrypt: decryptions.ecb };

  it('is probed after a question on a terminal, and not where the answer is no', async () => {
    const willing = scriptedUser([true]);
    const asked = await signUp(usesEcb, [], { prompts: willing });
    assert.equal(willing.seen.length, 1);
    assert.match(willing.seen[0] ?? '', /authcli-probe-/);
    assert.match(asked.stderr, /decrypts aes-256-ecb/);
    const unwilling = await signUp(usesEcb, [], { prompts: scriptedUser([false]) });
    assert.doesNotMatch(unwilling.stderr, /decrypts aes-256-ecb/);
  });

  it('is probed by simulate-registration too', async () => {
    const { url, close } = await startHandWritten(usesEcb);
    const configFile = freshConfig();
    const user = ['--url', url.href, '--ptn-cd', 'bob'];
    await cli(['simulate-key-exchange', ...user], { configFile });
    const argv = ['simulate-registration', ...user, '--probe', '--json'];
    const { stdout } = await cli(argv, { configFile }).finally(close);
    assert.equal(JSON.parse(stdout).error.code, 'cipher-mismatch');
  });
});

describe('simulate-signup --probe after an accepted registration', () => {
  /** Signs bob up at the emulated application with these faults, and returns what it received. */
  async function accepted(...faults: readonly string[]) {
    const { url, requests, close } = await serve(application(...faults));
    const flags = ['--ptn-cd', 'bob', '--json', '--show-secrets', '--probe'];
    const argv = ['simulate-signup', '--url', url.href, ...flags];
    const { status, stdout, stderr } = await cli(argv, { configFile: freshConfig() }).finally(
      close,
    );
    const received = requests.map(({ body }) => JSON.parse(`${Buffer.from(body)}`));
    return { status, stderr, received, ...JSON.parse(stdout) };
  }

  for (const [fault, code, cause] of [
    ['ignores-iv', 'cipher-mismatch', /the whole payload with an IV of zeros/],
    ['never-decrypts', 'never-decrypts', /impossible padding/],
    ['', undefined, /^undefined$/],
  ] as const) {
    it(`says what is wrong, and sends the registration of the user last: ${fault}`, async () => {
      const {
        status,
        error,
        stderr,
        received,
        key,
        super_passcode: passcode,
      } = await accepted(...[fault].filter(Boolean));
      assert.deepEqual([status, error?.code], [code ? 1 : 0, code]);
      assert.match(String(error?.message), cause);
      assert.match(
        stderr,
        /probed with \d test users \(authcli-probe-…\).*registered the user again/s,
      );
      const last = received.at(-1);
      const reading = decryptPayload(last.partner_sp, key, defaultCipher);
      assert.ok(reading.ok && last.ptn_cd === 'bob');
      assert.equal(Buffer.from(reading.plaintext).toString(), passcode);
      const others = received.slice(2, -1);
      assert.ok(others.length > 0);
      for (const { ptn_cd: user } of others) assert.match(user, /^authcli-probe-[0-9a-f]{12}$/);
    });
  }

  it('blames neither side where the user or test users are refused, and says what to do', async () => {
    for (const [fault, note] of [
      ['one-slot-for-all', /once more after the probe, was refused .*run simulate-signup again/],
      ['requires-user-info', /can't be registered \(registration\/without-user-info\)/],
    ] as const) {
      const { status, stderr } = await accepted(fault);
      assert.match(stderr, note);
      assert.deepEqual(
        [status, stderr.includes('nothing wrong')],
        [0, fault === 'one-slot-for-all'],
      );
    }
  });

  it('says for how many users it fails where it fails now and then', async () => {
    let turn = 0;
    const right = application();
    const failed = { status: 500, headers: {}, body: Buffer.from('{"error":"error"}') };
    const { url, close } = await serve((request) => (++turn % 7 === 0 ? failed : right(request)));
    const argv = ['simulate-signup', '--url', url.href, '--json', '--probe'];
    const { stdout } = await cli(argv, { configFile: freshConfig() }).finally(close);
    assert.match(JSON.parse(stdout).error?.message, /refuses the same \w+ for \d of \d users/);
  });

  it('sends nothing more where the application shows the key', async () => {
    const { error, received } = await accepted('leaks-key-in-result');
    assert.deepEqual([error.code, received.length], ['key-leaked', 2]);
  });
});
