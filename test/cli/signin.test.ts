import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { applicationCodes } from '../../src/emulator/refusals.ts';
import { listen } from '../support/fault-server.ts';
import { type RunningSide, startSide } from '../support/side.ts';
import { workspace } from './workspace.ts';

const { configFile, freshConfig, cli, cliJson } = workspace();
const account = ['--client-id', 'shop', '--secret-key', 'a-secret-key-of-the-tests'];

let service: RunningSide;
before(async () => {
  service = await startSide(['service', ...account], { configFile });
});
after(() => service.stop());

async function issueToken(ptnCd: string): Promise<string> {
  return (await cli(['issue-ptn-token', '--ptn-cd', ptnCd, ...account])).stdout;
}

/** With the service at that URL. */
const call = (command: string, url: string, ...flags: readonly string[]) =>
  cliJson([command, '--auth-url', url, ...account, ...flags]);

async function signIn(ptnCd: string, flags: readonly string[] = [], changes = {}, to = service) {
  const argv = ['signin', '--ptn-token', '-', '--auth-url', to.url, ...account, ...flags];
  return cliJson(argv, { stdin: await issueToken(ptnCd), ...changes });
}

async function signUp(ptnCd: string): Promise<void> {
  const application = await startSide(['app'], { configFile });
  const argv = ['simulate-signup', '--url', application.url, '--ptn-cd', ptnCd];
  const result = await cli(argv).finally(() => application.stop());
  assert.equal(result.status, 0, result.stderr);
}

describe('issue-ptn-token', () => {
  it('notes that the user is not known yet, and makes the token all the same', async () => {
    const argv = ['issue-ptn-token', '--ptn-cd', "it's new", ...account];
    const { status, stdout, stderr } = await cli(argv);
    assert.equal(status, 0);
    assert.match(stdout, /^authcli-ptn-1\./);
    assert.match(stderr, /^note: it's new is not stored in this profile/);
    const line = `authcli simulate-signup --ptn-cd 'it'\\''s new' --url URL --client-id shop\n`;
    assert.ok(stderr.endsWith(line), stderr);
    await signUp("it's new");
    assert.equal((await cli(argv)).stderr, '');
  });
});

describe('signin', () => {
  before(() => signUp('alice'));

  it('ends in a match for a user who signed up, and reads the expiry in the time zone that is set', async () => {
    const { status, json } = await signIn('alice');
    const { passcode, ptn_cd: ptnCd, token } = json;
    assert.deepEqual([status, passcode, ptnCd, token.expires_at], [0, 'match', 'alice', null]);
    assert.match(token.expire_dt, /^\d{14}$/);
    const zoned = await signIn('alice', ['--expire-time-zone', '+00:00']);
    assert.match(zoned.json.token.expires_at, /^2026-01-02T03:09:05(?:Z|\+00:00)$/);
  });

  it('ends in a mismatch when the stored passcode only begins alike', async () => {
    await signUp('bob');
    const { json } = await cliJson(['users', 'export']);
    const bob = json.users.find((user: { ptn_cd: string }) => user.ptn_cd === 'bob');
    const stdin = JSON.stringify({ ...bob, super_passcode: `${bob.super_passcode}x` });
    await cli(['users', 'import', '-'], { stdin });
    const { status, json: wrong } = await signIn('bob');
    const { passcode, error } = wrong;
    assert.deepEqual([status, passcode, error.code], [1, 'mismatch', 'passcode-mismatch']);
  });

  it('is not checked where no key is known, and fails for the token of another user', async () => {
    const unknown = await signIn('alice', [], { configFile: freshConfig() });
    assert.deepEqual([unknown.status, unknown.json.passcode], [0, 'not-checked']);
    assert.match(unknown.stderr, /note: No key is known/);
    const { status, json } = await signIn('alice', ['--ptn-cd', 'carol']);
    assert.deepEqual([status, json.error.code], [1, 'other-user']);
  });

  it('names the cipher that fits, and matches once it is set', async (test) => {
    const ecb = ['--cipher', 'aes-256-ecb'];
    const other = await startSide(['service', ...account, ...ecb], { configFile });
    test.after(other.stop);
    const { status, json } = await signIn('alice', [], {}, other);
    const { passcode, error } = json;
    assert.deepEqual([status, passcode, error.code], [1, 'undecryptable', 'cipher-mismatch']);
    const [, cipher = ''] = /authcli config set cipher '([^']+)'/.exec(error.hint) ?? [];
    const right = await signIn('alice', ['--cipher', cipher], {}, other);
    assert.equal(right.json.passcode, 'match');
  });

  it('does each half alone', async () => {
    const ptnToken = (await issueToken('alice')).trim();
    const token = await call('token', service.url, '--ptn-token', ptnToken);
    assert.equal(token.status, 0);
    const user = ['--acs-token', token.json.acs_token, '--ptn-cd', 'alice'];
    const first = await call('authenticate', service.url, ...user);
    assert.equal(first.json.passcode, 'match');
    const second = await call('authenticate', service.url, ...user);
    assert.equal(second.status, 1, 'an acs_token is good once');
  });

  it('is a usage error without what it needs', async () => {
    for (const [argv, needed] of [
      [[], '--ptn-token, --auth-url, --client-id and --secret-key.'],
      [['--ptn-token', 't', '--auth-url', 'http://service:1'], '--client-id and --secret-key.'],
      [['--auth-url', service.url], '--ptn-token: the application authentication token'],
    ] as const) {
      const { status, stderr } = await cli(['signin', ...argv]);
      assert.equal(status, 2);
      assert.ok(stderr.startsWith(`error: signin needs ${needed}`), stderr);
      assert.equal(/^next: +authcli emulate service$/m.test(stderr), needed.includes('auth-url'));
    }
  });

  it('needs no settings for the emulated service', async (test) => {
    const plain = await startSide(['service'], { configFile });
    test.after(plain.stop);
    const { stdout: stdin } = await cli(['issue-ptn-token', '--ptn-cd', 'alice']);
    const signin = ['signin', '--ptn-token', '-', '--auth-url', plain.url];
    assert.equal((await cliJson(signin, { stdin })).json.passcode, 'match');
  });
});

describe('a refusal of the service', () => {
  it('says once what its message says too', async () => {
    const { status, json } = await call('signin', service.url, '--ptn-token', 'nonsense');
    const { error, authenticate } = json;
    assert.deepEqual([status, error.code, authenticate], [1, 'code-not-success', null]);
    assert.match(error.message, /refuses with E201: ptn_token was not issued for this client\.$/);
  });

  const { code: unknown } = applicationCodes.undecryptable;
  const refused = (code: string) => JSON.stringify({ code, message: 'denied' });
  for (const [status, body, hint] of [
    [200, refused('S-17'), /^Look up this code in the service's documentation/],
    [200, refused(unknown), /^Look up this code in the service's documentation/],
    [404, '<html><title>Not Found</title></html>', /^Check auth_url/],
    [200, '{"code":"0000","message":""}', /^Check auth_url/],
  ] as const) {
    it(`leads to its documentation, or to auth_url: status ${status} with ${body}`, async () => {
      const server = createServer((_, response) => response.writeHead(status).end(body));
      const { url, close } = await listen(server, 'http');
      const asked = call('signin', url.origin, '--ptn-token', 'a-token').finally(close);
      const { error } = (await asked).json;
      assert.match(error.hint, hint);
      assert.deepEqual(error.calls, {});
    });
  }
});
