import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decryptions, startHandWritten } from '../support/hand-written-application.ts';
import { scriptedUser } from '../support/prompts.ts';
import { run } from '../support/run.ts';
import { type Application, freshConfig, namesTheCipher, probed, signUp } from './simulate-probe.ts';

describe('simulate-signup --probe', () => {
  namesTheCipher('ecb', 'hexKey');

  it('names a stored key that is not the key that was sent', async () => {
    const application: Application = {
      decrypt: decryptions.right,
      makeKey: () => 'AbCdEfGhIjKlMnOpQrStUvWxYz012345',
      stored: (key) => key.toLowerCase(),
    };
    const { status, error } = await probed(application);
    assert.equal(status, 1);
    assert.equal(error.code, 'wrong-key');
    assert.match(error.message, /lower/);
    assert.match(error.calls.java, /keys\.save/);
  });

  it('does not speak of the key where an application refuses test users without a reason', async () => {
    const onError = () => ({ status: 200, body: '{"code":"9999","message":"not allowed"}' });
    const { error } = await probed({
      decrypt: decryptions.right,
      onError,
      stored: () => 'x'.repeat(32),
    });
    assert.equal(error.code, 'code-not-success');
    assert.match(error.message, /not allowed.*with every likely cipher too/s);
  });

  it('says that the user information is the cause', async () => {
    const application = { decrypt: decryptions.right, refusesUserInfo: true };
    const { status, error } = await probed(application);
    assert.equal(status, 1);
    assert.match(error.message, /without ubifill are accepted/);
    assert.match(error.hint, /^Check how the application reads ubifill/);
  });

  it('probes an application that fails with status 500 and an error page', async () => {
    const { error } = await probed({
      decrypt: decryptions.ecb,
      onError: ({ stack }) => ({ status: 500, body: `<html><pre>${stack}</pre></html>` }),
    });
    assert.equal(error.code, 'cipher-mismatch');
    assert.equal(error.evidence.stack, 'node');
  });

  it('sends nothing more where the cipher can not be the cause', async () => {
    const refused = await probed({
      decrypt: decryptions.right,
      onError: () => ({ status: 404, body: 'not found' }),
      stored: () => '',
    });
    assert.equal(refused.status, 1);
    assert.doesNotMatch(refused.stderr, /probed/);
  });
});

describe('a failed registration', () => {
  const application = { decrypt: decryptions.ecb };

  it('is probed after a question on a terminal, and not where the answer is no', async () => {
    const willing = scriptedUser([true]);
    const asked = await signUp(application, [], { prompts: willing });
    assert.equal(willing.seen.length, 1);
    assert.match(willing.seen[0] ?? '', /authcli-probe-/);
    assert.match(asked.stderr, /decrypts aes-256-ecb/);
    const unwilling = await signUp(application, [], { prompts: scriptedUser([false]) });
    assert.doesNotMatch(unwilling.stderr, /decrypts aes-256-ecb/);
  });

  it('is explained by its error text alone without a terminal, and --probe is named', async () => {
    const { status, stderr } = await signUp(application, []);
    assert.equal(status, 1);
    assert.match(stderr, /bad decrypt/);
    assert.match(stderr, /^next: +authcli simulate-signup --probe --url \S+$/m);
  });

  it('is probed by simulate-registration too', async () => {
    const { url, close } = await startHandWritten(application);
    const configFile = freshConfig();
    const user = ['--url', url.href, '--ptn-cd', 'bob'];
    await run(['simulate-key-exchange', ...user], { configFile });
    const argv = ['simulate-registration', ...user, '--probe', '--json'];
    const { stdout } = await run(argv, { configFile }).finally(close);
    assert.equal(JSON.parse(stdout).error.code, 'cipher-mismatch');
  });
});
