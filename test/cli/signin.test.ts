import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type RunningSide, startSide } from '../support/side.ts';
import { workspace } from './workspace.ts';

const { configFile, freshConfig, cli, cliJson } = workspace();
const account = ['--client-id', 'shop', '--secret-key', 'a-secret-key-of-the-tests'];

let service: RunningSide;

async function issueToken(ptnCd: string): Promise<string> {
  return (await cli(['issue-ptn-token', '--ptn-cd', ptnCd, ...account])).stdout.trim();
}

async function signIn(flags: readonly string[] = [], ptnCd = 'alice', url = service.url) {
  const argv = ['signin', '--ptn-token', '-', '--auth-url', url, ...account, ...flags];
  return cliJson(argv, { stdin: `${await issueToken(ptnCd)}\n` });
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
  before(async () => {
    service = await startSide(['service', ...account], { configFile });
    await signUp('alice');
  });
  after(() => service.stop());

  it('ends in a match for a user who signed up', async () => {
    const { status, json } = await signIn();
    const { passcode, ptn_cd: ptnCd, token } = json;
    assert.deepEqual([status, passcode, ptnCd, token.expires_at], [0, 'match', 'alice', null]);
    assert.match(token.expire_dt, /^\d{14}$/);
  });

  it('reads the expiry in the time zone that is set', async () => {
    const { json } = await signIn(['--expire-time-zone', '+00:00']);
    assert.match(json.token.expires_at, /^2026-01-02T03:09:05(?:Z|\+00:00)$/);
  });

  it('ends in a mismatch when another passcode is stored', async () => {
    await signUp('bob');
    const { json } = await cliJson(['users', 'export']);
    const bob = json.users.find((user: { ptn_cd: string }) => user.ptn_cd === 'bob');
    const stdin = JSON.stringify({ ...bob, super_passcode: 'another passcode' });
    await cli(['users', 'import', '-'], { stdin });
    const wrong = await signIn([], 'bob');
    assert.deepEqual([wrong.status, wrong.json.passcode], [1, 'mismatch']);
    assert.equal(wrong.json.error.code, 'passcode-mismatch');
  });

  it('is not checked where no key is known, and says so', async () => {
    const argv = ['signin', '--ptn-token', await issueToken('alice'), '--auth-url', service.url];
    const elsewhere = { configFile: freshConfig() };
    const { status, json, stderr } = await cliJson([...argv, ...account], elsewhere);
    assert.deepEqual([status, json.passcode], [0, 'not-checked']);
    assert.match(stderr, /note: No key is known/);
  });

  it('names the user when the token is that of another', async () => {
    const { status, json } = await signIn(['--ptn-cd', 'carol']);
    assert.deepEqual([status, json.error.code], [1, 'other-user']);
  });

  it('names the cipher that fits, and matches once it is set', async () => {
    const ecb = ['--cipher', 'aes-256-ecb'];
    const other = await startSide(['service', ...account, ...ecb], { configFile });
    const { status, json } = await signIn([], 'alice', other.url);
    const { passcode, error } = json;
    assert.deepEqual([status, passcode, error.code], [1, 'undecryptable', 'cipher-mismatch']);
    const [, cipher = ''] = /authcli config set cipher '([^']+)'/.exec(error.hint) ?? [];
    const right = await signIn(['--cipher', cipher], 'alice', other.url);
    await other.stop();
    assert.equal(right.json.passcode, 'match');
  });

  it('passes the refusal of the service on', async () => {
    const argv = ['signin', '--ptn-token', 'nonsense', '--auth-url', service.url, ...account];
    const { status, json } = await cliJson(argv);
    assert.deepEqual([status, json.error.code, json.authenticate], [1, 'code-not-success', null]);
  });

  it('does each half alone', async () => {
    const base = ['--auth-url', service.url, ...account];
    const token = await cliJson(['token', '--ptn-token', await issueToken('alice'), ...base]);
    assert.equal(token.status, 0);
    const user = ['--acs-token', token.json.acs_token, '--ptn-cd', 'alice'];
    const first = await cliJson(['authenticate', ...user, ...base]);
    assert.equal(first.json.passcode, 'match');
    const second = await cliJson(['authenticate', ...user, ...base]);
    assert.equal(second.status, 1, 'an acs_token is good once');
  });

  const flags = {
    '--ptn-token': 't',
    '--auth-url': 'http://127.0.0.1:1',
    '--client-id': 'x',
    '--secret-key': 'y',
  };
  for (const name of Object.keys(flags)) {
    it(`is a usage error without ${name}`, async () => {
      const others = Object.entries(flags).filter(([each]) => each !== name);
      const { status, stderr } = await cli(['signin', ...others.flat()]);
      assert.equal(status, 2);
      assert.ok(stderr.includes(name), stderr);
    });
  }
});
