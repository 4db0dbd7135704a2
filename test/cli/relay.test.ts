import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, readFileSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, describe, it } from 'node:test';
import { listen, type TestServer } from '../support/fault-server.ts';
import { type ApplicationVariant, startApplication } from '../support/peer-application.ts';
import { startService, userKey, userPasscode } from '../support/peer-service.ts';
import { type RelayCommand, startRelayCommand } from '../support/relay-command.ts';
import { run } from '../support/run.ts';

const folder = mkdtempSync(join(tmpdir(), 'relay-'));
let configs = 0;
const newConfig = () => {
  configs += 1;
  return join(folder, `config-${configs}.json`);
};
const running: Pick<TestServer, 'close'>[] = [];
after(() => Promise.all(running.map((server) => server.close())));

async function application(variant: ApplicationVariant = {}) {
  const started = await startApplication(variant);
  running.push(started);
  return started;
}

function signUp(relay: RelayCommand, ptnCd: string, argv: readonly string[] = []) {
  const words = ['simulate-signup', '--url', relay.callbackUrl, '--ptn-cd', ptnCd, ...argv];
  return run([...words, '--json'], { configFile: newConfig() });
}

const codesOf = ({ diagnoses }: Readonly<Record<string, unknown>>) =>
  (diagnoses as { code: string }[]).map(({ code }) => code);

describe('relay', () => {
  it('warns where other machines can reach it, and nowhere else', async () => {
    for (const [host, warning] of [
      ['0.0.0.0', /^warning: the relay listens on 0\.0\.0\.0, where other machines can reach it$/m],
      ['127.0.0.1', /^$/],
      ['0:0:0:0:0:0:0:1', /^$/],
    ] as const) {
      const words = ['--to', 'http://127.0.0.1:9/', '--host', host];
      const relay = await startRelayCommand(words, { configFile: newConfig() });
      assert.match((await relay.stop()).stderr, warning, host);
    }
  });

  it('hides credentials of headers in its archive, its recording and what it prints', async () => {
    const app = await application();
    const files = ['credentials.har', 'credentials.jsonl'].map((name) => join(folder, name));
    const [har = '', record = ''] = files;
    const words = ['--to', app.url.href, '--har', har, '--record', record, '--trace'];
    const relay = await startRelayCommand(words, { configFile: newConfig() });
    const headers = { authorization: 'Bearer of-a-bearer', cookie: 'sid=of-a-session' };
    const body = JSON.stringify({ ptn_cd: 'u', used_type: 'of-a-bearer' });
    await fetch(relay.callbackUrl, { method: 'POST', headers, body });
    await relay.exchanges(1);
    const { stdout, stderr } = await relay.stop();
    assert.match(stderr, /^authorization: \[redacted\]$/m);
    for (const text of [stdout, stderr, ...files.map((file) => readFileSync(file, 'utf8'))])
      assert.doesNotMatch(text, /of-a-bearer|of-a-session/);
  });

  it('judges a right sign-up as right, and ends with 0 when it is stopped', async () => {
    const app = await application();
    const relay = await startRelayCommand(['--to', app.url.href], { configFile: newConfig() });
    assert.equal(new URL(relay.callbackUrl).pathname, app.url.pathname);
    const signup = await signUp(relay, 'alice');
    assert.equal(signup.status, 0, signup.stderr);
    const exchanges = await relay.exchanges(2);
    assert.deepEqual(
      exchanges.map(({ operation, ptn_cd, http_status, code, diagnoses }) => [
        ...[operation, ptn_cd, http_status, code, diagnoses],
      ]),
      [
        ['key-exchange', 'alice', 200, '0000', []],
        ['registration', 'alice', 200, '0000', []],
      ],
    );
    const { status, summary } = await relay.stop();
    assert.equal(status, 0);
    assert.deepEqual([summary.event, summary.exchanges, summary.failed], ['summary', 2, 0]);
  });

  it('records no user information that the application repeats', async () => {
    const app = await application({
      respond: (usedType, right) =>
        usedType === '1' ? right : right.replace('""', '"stored Anna Muster, anna@example.com"'),
    });
    const recording = join(folder, 'repeated.jsonl');
    const relay = await startRelayCommand(
      ['--to', app.url.href, '--decrypt', '--record', recording],
      { configFile: newConfig() },
    );
    await signUp(relay, 'anna', ['--email', 'anna@example.com', '--name', 'Anna Muster']);
    await relay.exchanges(2);
    await relay.stop();
    const recorded = readFileSync(recording, 'utf8');
    assert.match(recorded, /stored secret:\d+, secret:\d+/);
    assert.doesNotMatch(recorded, /Muster|anna@/);
  });

  it('reads the key, the passcode and the user information with --decrypt, and stores the user', async () => {
    const app = await application();
    const [configFile, recording] = [newConfig(), join(folder, 'session.jsonl')];
    const argv = ['--to', app.url.href, '--decrypt', '--record', recording, '--save-settings'];
    const relay = await startRelayCommand(argv, { configFile });
    const signup = await signUp(relay, 'bob', [
      '--super-passcode',
      'S3cret-Pass-42!',
      '--show-secrets',
    ]);
    assert.equal(signup.status, 0, signup.stderr);
    assert.equal(app.decrypted.partnerSp, 'S3cret-Pass-42!');
    await relay.exchanges(2);
    const { status, stdout, stderr, summary } = await relay.stop();
    assert.equal(status, 0, stdout);
    assert.match(stderr, /--decrypt reads the keys, passcodes and user information of every user/);
    const { key } = JSON.parse(signup.stdout);
    assert.doesNotMatch(stdout + stderr + readFileSync(recording, 'utf8'), /S3cret-Pass/);
    assert.ok(!(stdout + stderr + readFileSync(recording, 'utf8')).includes(key));
    assert.equal(statSync(recording).mode & 0o777, 0o600);
    assert.equal(readFileSync(recording, 'utf8').trim().split('\n').length, 3);
    const user = await run(['users', 'show', 'bob', '--show-secrets', '--json'], { configFile });
    const stored = JSON.parse(user.stdout);
    assert.deepEqual(
      [stored.key, stored.super_passcode, stored.state],
      [key, 'S3cret-Pass-42!', 'registered'],
    );
    const cipher = 'aes-256-cbc?key=utf8&iv=prefix&padding=pkcs7&encoding=base64';
    assert.equal((summary.learned as Record<string, string>).cipher, cipher);
    const set = await run(['config', 'get', 'cipher', '--json'], { configFile });
    assert.equal(JSON.parse(set.stdout).value, cipher);
  });

  it('reads only the users of --only', async () => {
    const app = await application();
    const configFile = newConfig();
    const argv = ['--to', app.url.href, '--decrypt', '--only', 'test-*'];
    const relay = await startRelayCommand(argv, { configFile });
    await signUp(relay, 'test-1');
    await signUp(relay, 'carol');
    await relay.exchanges(4);
    assert.equal((await relay.stop()).status, 0);
    const listed = await run(['users', 'list', '--json'], { configFile });
    assert.deepEqual(
      JSON.parse(listed.stdout).users.map(({ ptn_cd }: { ptn_cd: string }) => ptn_cd),
      ['test-1'],
    );
    const keys = app.calls
      .filter(({ used_type }) => used_type === '1')
      .map(({ public_key }) => public_key);
    assert.equal(new Set(keys).size, 2);
  });

  it('names what is wrong with a response, and ends with 1', async () => {
    const app = await application({ padding: 4 }); // OAEP
    const relay = await startRelayCommand(['--to', app.url.href, '--decrypt'], {
      configFile: newConfig(),
    });
    const direct = await run(['simulate-signup', '--url', app.url.href, '--json'], {
      configFile: newConfig(),
    });
    const relayed = await signUp(relay, 'dave');
    assert.equal(JSON.parse(relayed.stdout).error.code, JSON.parse(direct.stdout).error.code);
    const [exchange = {}] = await relay.exchanges(1);
    assert.deepEqual(codesOf(exchange), ['oaep-sha1']);
    const { status, summary } = await relay.stop();
    assert.equal(status, 1);
    assert.deepEqual([summary.event, summary.exchanges, summary.failed], ['summary', 1, 1]);
  });

  it('reports what the service sends against the interface, and forwards it as it is', async () => {
    const calls: unknown[] = [];
    const server = createServer(async (request, response) => {
      calls.push(JSON.parse(await text(request)));
      response.end('{"code":"9","message":"no"}');
    });
    const app = await listen(server, 'http');
    running.push(app);
    const relay = await startRelayCommand(['--to', app.url.href], { configFile: newConfig() });
    const { publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
    const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString();
    const bodies = [
      { client_id: 'c', used_type: '2', ptn_cd: 'erin' },
      { client_id: 'c', used_type: 2, ptn_cd: 'erin', partner_sp: 'x' },
    ];
    for (const body of bodies) {
      await fetch(relay.callbackUrl, { method: 'POST', body: JSON.stringify(body) });
    }
    const broken = { client_id: 'c', used_type: '1', ptn_cd: 'erin', public_key: pem };
    await fetch(relay.callbackUrl, { method: 'POST', body: JSON.stringify(broken) });
    const exchanges = await relay.exchanges(3);
    assert.deepEqual(calls, [...bodies, broken]);
    assert.deepEqual(
      exchanges.map((exchange) => codesOf(exchange)[0]),
      ['field-missing', 'field-type', 'field-malformed'],
    );
    assert.equal((await relay.stop()).status, 1);
  });

  it('forwards sign-ins, and compares the passcode with that of the profile', async () => {
    const service = await startService();
    running.push(service);
    const app = await application();
    const configFile = newConfig();
    const users = [
      { ptn_cd: 'user-1', key: userKey, super_passcode: userPasscode, state: 'registered' },
    ];
    await run(['users', 'import', '-'], { configFile, stdin: JSON.stringify(users) });
    const argv = ['--to', app.url.href, '--auth-url', service.authUrl, '--decrypt'];
    const relay = await startRelayCommand(argv, { configFile });
    const words = [
      'signin',
      '--ptn-token',
      'ptn-token-1',
      '--auth-url',
      relay.authUrl,
      '--secret-key',
      'the-secret-key',
      '--client-id',
      'client',
      '--json',
    ];
    const signin = await run(words, { configFile });
    assert.equal(JSON.parse(signin.stdout).passcode, 'match', signin.stdout);
    assert.deepEqual(
      service.calls.map(({ path }) => path),
      ['/login/process/token', '/login/process/authenticate'],
    );
    const exchanges = await relay.exchanges(2);
    assert.deepEqual(
      exchanges.map(({ operation, ptn_cd, diagnoses }) => [operation, ptn_cd, diagnoses]),
      [
        ['token', 'user-1', []],
        ['authenticate', 'user-1', []],
      ],
    );
    const { status, stdout } = await relay.stop();
    assert.equal(status, 0);
    assert.doesNotMatch(stdout, /the-secret-key|ptn-token-1|acs-0123456789/);
  });

  it('says that the application is unreachable, to the caller and in its events', async () => {
    const app = await startApplication();
    await app.close();
    const relay = await startRelayCommand(['--to', app.url.href], { configFile: newConfig() });
    const response = await fetch(relay.callbackUrl, { method: 'POST', body: '{}' });
    assert.equal(response.status, 502);
    assert.match(((await response.json()) as { message: string }).message, /nothing listens there/);
    const [exchange = {}] = await relay.exchanges(1);
    assert.equal(exchange.http_status, 502);
    assert.deepEqual(codesOf(exchange), ['refused']);
    assert.equal((await relay.stop()).status, 1);
  });

  const refusals: Readonly<Record<string, readonly [argv: readonly string[], message: RegExp]>> = {
    'nowhere to forward': [[], /needs to know where to forward/],
    '--only without --decrypt': [
      ['--to', 'http://127.0.0.1:9/', '--only', 'a'],
      /--only has no effect/,
    ],
    '--decrypt of everybody on all addresses': [
      ['--to', 'http://127.0.0.1:9/', '--decrypt', '--host', '0.0.0.0'],
      /can be reached from other machines/,
    ],
    'a recording on a full disk': [
      ['--to', 'http://127.0.0.1:9/', '--record', '/dev/full'],
      /--record: \/dev\/full can't be written \(ENOSPC\)/,
    ],
    'a recording that cannot be written': [
      ['--to', 'http://127.0.0.1:9/', '--record', join(folder, 'none', 'x.jsonl')],
      /--record/,
    ],
  };
  for (const [name, [argv, message]] of Object.entries(refusals)) {
    it(`refuses ${name}`, async () => {
      const { status, stdout } = await run(['relay', ...argv, '--json'], {
        configFile: newConfig(),
      });
      assert.equal(status, 2);
      assert.match(JSON.parse(stdout).error.message, message);
    });
  }
});
