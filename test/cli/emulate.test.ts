import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { describe, it } from 'node:test';
import { listen } from '../support/fault-server.ts';
import type { RunResult } from '../support/run.ts';
import { cli, emulated, path } from './emulate.ts';

/** Signs alice up at the emulator, without a word. */
async function signUp(url: string): Promise<void> {
  await cli(['simulate-signup', '--url', `${url}/callback`, '--ptn-cd', 'alice', '--quiet']);
}

const post = (url: string, name: string, fields: object): Promise<Response> =>
  fetch(`${url}/_authcli/${name}`, { method: 'POST', body: JSON.stringify(fields) });
const nothing = async () => {};

describe('emulate, when it starts,', () => {
  const startOf = ({ stdout }: RunResult) => stdout.replace(/:\d{4,5}\b/g, ':PORT').split('\n');

  it('prints the URL with its path, the settings and their origin, and two commands', async () => {
    const argv = ['app', '--fault', 'hex', '--client-id', 'my-app'];
    assert.deepEqual(startOf(await emulated(argv)), [
      'listening on http://127.0.0.1:PORT',
      '  callback   http://127.0.0.1:PORT/callback',
      '  client id  my-app (--client-id)',
      '  cipher     aes-256-cbc?key=utf8&iv=prefix&padding=pkcs7&encoding=base64 (default)',
      '  faults     hex',
      '',
      'To try it:',
      '  authcli simulate-signup --url http://127.0.0.1:PORT/callback --client-id my-app',
      '  authcli verify --url http://127.0.0.1:PORT/callback --client-id my-app',
      '',
      '--ui shows the requests in a browser. Ctrl-C stops it.',
      '',
    ]);
    const quiet = await emulated(['app', '--quiet']);
    assert.deepEqual(startOf(quiet), ['listening on http://127.0.0.1:PORT', '']);
  });

  it('names the profile that a setting is from, and both URLs of the service', async () => {
    const configFile = path('staging.json');
    const staging = ['--profile', 'staging'];
    await cli(['config', 'profile', 'create', 'staging'], { configFile });
    await cli(['config', 'set', 'client-id', 'my-app', ...staging], { configFile });
    const changes = { configFile, env: { npm_command: 'exec' } };
    const lines = startOf(await emulated(['service', ...staging], nothing, changes));
    const settings = '--client-id my-app --profile staging';
    const signup = `--url http://localhost:PORT/callback --ptn-cd alice ${settings}`;
    const signin = `--ptn-token - --auth-url http://127.0.0.1:PORT ${settings}`;
    const printed = lines.filter((line) => /^ {2}(?:token|auth|client|npx)/.test(line));
    assert.deepEqual(printed, [
      '  token         http://127.0.0.1:PORT/process/token',
      '  authenticate  http://127.0.0.1:PORT/process/authenticate',
      '  client id     my-app (profile staging)',
      `  npx authcli simulate-signup ${signup}`,
      `  npx authcli issue-ptn-token --ptn-cd alice ${settings} | npx authcli signin ${signin}`,
    ]);
  });

  it('suggests a sign-in with a secret key that was typed, without showing it', async () => {
    const { stdout } = await emulated(['service', '--secret-key', 'sesame-of-mine'], nothing);
    assert.equal(/--auth-url \S+(.*)/.exec(stdout)?.[1], " --secret-key '…'");
  });

  for (const [argv, message] of [
    [['app', '--fault', 'zzz'], /Unknown fault "zzz"[\s\S]*next: {2}authcli emulate app --list-f/],
    [['service', '--fault', 'zzz'], /next: {2}authcli emulate service --list-faults/],
    [['app', '--ui', '--host', '192.0.2.1'], /--ui: the page is served on loopback only/],
    [['app', '--ui', '--ui-token', '0123456789abcde'], /--ui-token: it must be 16 or more/],
  ] as const) {
    it(`refuses ${argv.join(' ')}`, async () => {
      const { status, stderr } = await cli(['emulate', ...argv]);
      assert.equal(status, 2);
      assert.match(stderr, message);
    });
  }
});

/** Sends an empty callback or token request with that Content-Type. */
const send = (path: string, type?: string) => async (url: string) => {
  const headers: Record<string, string> = type === undefined ? {} : { 'content-type': type };
  await fetch(url + path, { method: 'POST', headers, body: new TextEncoder().encode('{}') });
};

async function register(url: string): Promise<void> {
  const to = ['--url', `${url}/callback`, '--ptn-cd', 'bob', '--key', 'k'.repeat(32)];
  await cli(['simulate-registration', ...to, '--quiet']);
}

describe('emulate, while it is watched,', () => {
  const signedUp =
    /^12:04:05 +✓ ← key-exchange +alice +200 +0000 +0 ms\n12:04:05 +✓ ← registration +alice +200 +0000 +0 ms$/m;
  const typed = /A902 .*must be application\/json;charset=utf-8; the request has text\/plain\.$/m;
  const key = / enc_partner_key +Per-user key: /.source;
  const events =
    /^\{"event":"listening",(?!.*ui_url).*\n\{"event":"exchange",.*"code":"A901",.*"hint":"Send callbacks with POST\.".*\n\{"event":"stopped",.*\n$/;
  const shown = 'app --verbose --show-secrets';
  const plain = send('/callback', 'text/plain');
  for (const [line, visit, message] of [
    ['app', signUp, signedUp],
    ['app', register, /✗ ← registration .*A107 .*No key was exchanged for this ptn_cd\.$/m],
    ['app --fault hex', signUp, /! ← key-exchange .*0000 .*fault hex: Writes the /],
    ['app --verbose', signUp, new RegExp(`${key}\\[redacted\\] \\(32 characters, sha256:`)],
    ['app --verbose', signUp, / ubifill +User information: \[redacted\] \(\d+ characters\)$/m],
    [shown, signUp, new RegExp(`${key}[A-Za-z0-9]{32} `)],
    [shown, signUp, /ubifill .*User information: \{"email":"[^"]+@example\.com"/],
    ['app', plain, typed],
    ['app', send('/callback'), /A902 .*; the request has none\.$/m],
    ['app --json', async (url: string) => void (await fetch(`${url}/callback`)), events],
  ] as const) {
    it(`${line}, prints ${message.source.slice(0, 60)}`, async () => {
      const context = { localTimeZone: () => 'Asia/Seoul' };
      const { status, stdout } = await emulated(line.split(' '), visit, { context });
      assert.equal(status, 130);
      assert.match(stdout, message);
      assert.equal(stdout.includes('@example.com'), line.includes('--show-secrets'));
    });
  }
});

describe('a sign-up that is ordered from emulate', () => {
  it('reports the callbacks that it sends, with their diagnosis', async () => {
    await emulated(['app', '--fault', 'oaep-sha1'], async (url) => {
      const to = ['service', '--callback-url', `${url}/callback`];
      const order = async (service: string) => {
        await post(service, 'signup', { ptn_cd: 'carol' });
      };
      const shown = await emulated(to, order);
      assert.match(shown.stdout, /✗ → key-exchange {3}carol .*200 {2}0000 .*oaep-sha1: /);
      const [, line = ''] = (await emulated([...to, '--json'], order)).stdout.split('\n');
      const { diagnosis, sent_at: _, duration_ms: __, ...event } = JSON.parse(line);
      const carol = { operation: 'key-exchange', ptn_cd: 'carol', http_status: 200, code: '0000' };
      assert.deepEqual(event, { event: 'callback', ...carol, message: '' });
      assert.equal(diagnosis.code, 'oaep-sha1');
    });
  });

  it('takes its URL with the order, and the headers of --header only to the origin of --callback-url', async (test) => {
    const seen: (string | undefined)[] = [];
    const server = createServer((request, response) => {
      seen.push(request.headers.authorization);
      response.end('{}');
    });
    const { url, close } = await listen(server, 'http');
    test.after(close);
    const order = async (service: string) => {
      await post(service, 'signup', { callback_url: `${url.origin}/b` });
    };
    const argv = ['service', '--header', 'Authorization: Bearer abcdefgh'];
    const other = await emulated([...argv, '--callback-url', 'http://127.0.0.1:9/a'], order);
    assert.match(other.stderr, /^warning: the headers of --header were not sent to http:/m);
    await emulated([...argv, '--callback-url', `${url.origin}/a`], order);
    await emulated(argv, async (service) => {
      await order(service);
      const refused = await post(service, 'signup', {});
      assert.equal(refused.status, 400);
      assert.match(await refused.text(), /The callback URL of your application is not set/);
    });
    assert.deepEqual(seen, [undefined, 'Bearer abcdefgh', undefined]);
  });
});

it('POST /_authcli/ptn-token issues a token with which the user signs in', async () => {
  const env = { AUTHCLI_CLIENT_ID: 'shop', AUTHCLI_SECRET_KEY: 'a-secret-key-of-the-tests' };
  const signUpEve = async (url: string) => {
    await cli(['simulate-signup', '--url', `${url}/callback`, '--ptn-cd', 'eve'], { env });
    assert.equal((await post(url, 'ptn-token', { ptn_cd: 'eve' })).status, 404);
  };
  await emulated(['app'], signUpEve, { env });
  let token = '';
  const signIn = async (url: string) => {
    assert.equal((await post(url, 'ptn-token', {})).status, 400);
    const issued = await (await post(url, 'ptn-token', { ptn_cd: 'eve' })).json();
    token = (issued as { ptn_token: string }).ptn_token;
    const given = { env: { ...env, AUTHCLI_PTN_TOKEN: token } };
    const { stdout } = await cli(['signin', '--auth-url', url, '--json'], given);
    assert.equal(JSON.parse(stdout).passcode, 'match');
  };
  const { stdout } = await emulated(['service'], signIn, { env });
  assert.ok(!stdout.includes(token), 'the journal does not show it');
});

describe('emulate --ui', () => {
  const token = 'a-token-of-mine-';
  const fixed = ['--ui', '--ui-token', token];
  const pageUrl = /http:\/\/127\.0\.0\.1:\d+\/_authcli\/ui\/[\w-]{32}\//;

  it('says where the page is, on standard error or in the first event', async () => {
    const { stderr } = await emulated(['app', '--ui'], nothing);
    const [url = '?'] = pageUrl.exec(stderr) ?? [];
    assert.ok(stderr.startsWith(`watch it at ${url}\n`), stderr);
    // On all addresses, the page is served at that of loopback.
    const json = await emulated(['service', '--ui', '--host', '0.0.0.0', '--json']);
    assert.match(JSON.parse(json.stdout.split('\n')[0] ?? '').ui_url, pageUrl);
    assert.match(
      json.stderr,
      /^warning: the emulator listens on 0\.0\.0\.0, where other machines /,
    );
    assert.ok(!json.stderr.includes('_authcli'));
  });

  it('ends also while a page listens', { timeout: 60_000 }, async () => {
    let events: Response | undefined;
    await emulated(['app', ...fixed], async (url) => {
      events = await fetch(`${url}/_authcli/ui/${token}/events`);
    });
    assert.match((await events?.text()) ?? '', /event: hello/);
  });
});
