import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { run } from '../support/run.ts';
import { type RunningSide, startSide } from '../support/side.ts';

const folder = mkdtempSync(join(tmpdir(), 'authcli-signin-'));
const configFile = join(folder, 'config.json');
const account = ['--client-id', 'shop', '--secret-key', 'a-secret-key-of-the-tests'];

interface SigninJson {
  readonly ok: boolean;
  readonly ptn_cd: string | null;
  readonly passcode: string;
  readonly cipher: string;
  readonly token: {
    readonly http_status: number;
    readonly expire_dt: string | null;
    readonly expires_at: string | null;
  };
  readonly authenticate: { readonly code: string } | null;
  readonly error?: { readonly code: string; readonly hint: string };
}

let service: RunningSide;

async function issueToken(ptnCd: string): Promise<string> {
  const { stdout } = await run(['issue-ptn-token', '--ptn-cd', ptnCd, ...account], { configFile });
  return stdout.trim();
}

async function signIn(flags: readonly string[] = [], ptnCd = 'alice', url = service.url) {
  const ptnToken = await issueToken(ptnCd);
  const argv = ['signin', '--ptn-token', '-', '--auth-url', url, ...account, '--json', ...flags];
  const result = await run(argv, { configFile, stdin: `${ptnToken}\n` });
  return { ...result, json: JSON.parse(result.stdout) as SigninJson };
}

async function signUp(ptnCd: string, flags: readonly string[] = []): Promise<void> {
  const application = await startSide(['app', ...flags], { configFile });
  const result = await run(
    ['simulate-signup', '--url', application.url, '--ptn-cd', ptnCd, ...flags],
    { configFile },
  );
  await application.stop();
  assert.equal(result.status, 0, result.stderr);
}

/** Changes the stored passcode as an import does. */
async function storePasscode(ptnCd: string, superPasscode: string): Promise<void> {
  const exported = await run(['users', 'export', '--json'], { configFile });
  const { users } = JSON.parse(exported.stdout) as { users: { ptn_cd: string; key: string }[] };
  const key = users.find((user) => user.ptn_cd === ptnCd)?.key;
  const row = JSON.stringify({ ptn_cd: ptnCd, key, super_passcode: superPasscode });
  const imported = await run(['users', 'import', '-'], { configFile, stdin: row });
  assert.equal(imported.status, 0, imported.stderr);
}

describe('issue-ptn-token', () => {
  it('notes that the user is not known yet, and makes the token all the same', async () => {
    const argv = ['issue-ptn-token', '--ptn-cd', "it's new", ...account];
    const { status, stdout, stderr } = await run(argv, { configFile });
    assert.equal(status, 0);
    assert.match(stdout, /^authcli-ptn-1\./);
    assert.match(stderr, /^note: it's new is not stored in this profile/);
    const line = `authcli simulate-signup --ptn-cd 'it'\\''s new' --url URL --client-id shop\n`;
    assert.ok(stderr.endsWith(line), stderr);
    await signUp("it's new");
    const known = await run(argv, { configFile });
    assert.equal(known.stderr, '');
  });
});

describe('signin', () => {
  before(async () => {
    service = await startSide(['service', ...account], { configFile });
    await signUp('alice');
  });
  after(async () => {
    await service.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('ends in a match for a user who signed up', async () => {
    const { status, json } = await signIn();
    assert.equal(status, 0);
    assert.equal(json.passcode, 'match');
    assert.equal(json.ptn_cd, 'alice');
    assert.match(json.token.expire_dt ?? '', /^\d{14}$/);
    assert.equal(json.token.expires_at, null);
  });

  it('reads the expiry in the time zone that is set', async () => {
    const { json } = await signIn(['--expire-time-zone', '+00:00']);
    assert.match(json.token.expires_at ?? '', /^2026-01-02T03:09:05(?:Z|\+00:00)$/);
  });

  it('ends in a mismatch when another passcode is stored', async () => {
    await signUp('bob');
    await storePasscode('bob', 'another passcode');
    const { status, json } = await signIn([], 'bob');
    assert.equal(status, 1);
    assert.equal(json.passcode, 'mismatch');
    assert.equal(json.error?.code, 'passcode-mismatch');
  });

  it('is not checked where no key is known, and says so', async () => {
    const elsewhere = join(folder, 'elsewhere.json');
    const ptnToken = await issueToken('alice');
    const argv = [
      'signin',
      '--ptn-token',
      ptnToken,
      '--auth-url',
      service.url,
      ...account,
      '--json',
    ];
    const { status, stdout, stderr } = await run(argv, { configFile: elsewhere });
    assert.equal(status, 0);
    assert.equal((JSON.parse(stdout) as SigninJson).passcode, 'not-checked');
    assert.match(stderr, /note: No key is known/);
  });

  it('names the user when the token is that of another', async () => {
    const { status, json } = await signIn(['--ptn-cd', 'carol']);
    assert.equal(status, 1);
    assert.equal(json.error?.code, 'other-user');
  });

  it('names the cipher that fits, and matches once it is set', async () => {
    const other = await startSide(['service', ...account, '--cipher', 'aes-256-ecb'], {
      configFile,
    });
    const wrong = await signIn([], 'alice', other.url);
    assert.equal(wrong.status, 1);
    assert.equal(wrong.json.passcode, 'undecryptable');
    assert.equal(wrong.json.error?.code, 'cipher-mismatch');
    const [, line = ''] =
      /authcli (config set cipher '[^']+')/.exec(wrong.json.error?.hint ?? '') ?? [];
    const [, cipher = ''] = /'([^']+)'/.exec(line) ?? [];
    const { json } = await signIn(['--cipher', cipher], 'alice', other.url);
    await other.stop();
    assert.equal(json.passcode, 'match');
  });

  it('passes the refusal of the service on', async () => {
    const argv = [
      'signin',
      '--ptn-token',
      'nonsense',
      '--auth-url',
      service.url,
      ...account,
      '--json',
    ];
    const { status, stdout } = await run(argv, { configFile });
    const json = JSON.parse(stdout) as SigninJson;
    assert.equal(status, 1);
    assert.equal(json.error?.code, 'code-not-success');
    assert.equal(json.authenticate, null);
  });

  it('does each half alone', async () => {
    const ptnToken = await issueToken('alice');
    const base = ['--auth-url', service.url, ...account, '--json'];
    const token = await run(['token', '--ptn-token', ptnToken, ...base], { configFile });
    const { acs_token: acsToken } = JSON.parse(token.stdout) as { acs_token: string };
    assert.equal(token.status, 0);
    const argv = ['authenticate', '--acs-token', acsToken, '--ptn-cd', 'alice', ...base];
    const first = await run(argv, { configFile });
    assert.equal((JSON.parse(first.stdout) as { passcode: string }).passcode, 'match');
    const second = await run(argv, { configFile });
    assert.equal(second.status, 1, 'an acs_token is good once');
  });

  const missing: readonly (readonly [flags: readonly string[], needs: RegExp])[] = [
    [['--auth-url', 'http://127.0.0.1:1', '--client-id', 'x', '--secret-key', 'y'], /--ptn-token/],
    [
      ['--ptn-token', 't', '--client-id', 'x', '--secret-key', 'y'],
      /--auth-url.*|AUTHCLI_AUTH_URL/,
    ],
    [['--ptn-token', 't', '--auth-url', 'http://127.0.0.1:1', '--client-id', 'x'], /--secret-key/],
    [['--ptn-token', 't', '--auth-url', 'http://127.0.0.1:1', '--secret-key', 'x'], /--client-id/],
  ];
  for (const [flags, needs] of missing) {
    it(`is a usage error without ${needs.source.slice(0, 12)}`, async () => {
      const { status, stderr } = await run(['signin', ...flags], { configFile });
      assert.equal(status, 2);
      assert.match(stderr, needs);
    });
  }
});
