import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { describe, it } from 'node:test';
import { listen } from '../support/fault-server.ts';
import type { RunResult } from '../support/run.ts';
import { cli, emulated, linesOf, path, readUntil } from './emulate.ts';

/** Signs alice up at the emulator, without a word. */
async function signUp(url: string): Promise<void> {
  await cli(['simulate-signup', '--url', `${url}/callback`, '--ptn-cd', 'alice', '--quiet']);
}

const post = (url: string, path: string, fields: object): Promise<Response> =>
  fetch(`${url}/_authcli/${path}`, { method: 'POST', body: JSON.stringify(fields) });

describe('emulate, when it starts,', () => {
  const startOf = ({ stdout }: RunResult) => stdout.replace(/:\d{4,5}\b/g, ':PORT').split('\n');

  it('prints the URL with its path, the settings and their origin, and two commands', async () => {
    const result = await emulated(['app', '--fault', 'hex', '--client-id', 'my-app']);
    assert.deepEqual(startOf(result), [
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
      '--open shows the requests in your browser. Ctrl-C stops it.',
      '',
    ]);
  });

  it('names the profile that a setting is from, and both URLs of the service', async () => {
    const configFile = path('staging.json');
    await cli(['config', 'profile', 'create', 'staging'], { configFile });
    const staging = ['--profile', 'staging'];
    await cli(['config', 'set', 'client-id', 'my-app', ...staging], { configFile });
    const changes = { configFile, env: { npm_command: 'exec' } };
    const lines = startOf(await emulated(['service', ...staging], async () => {}, changes));
    assert.deepEqual(lines.slice(1, 4), [
      '  token         http://127.0.0.1:PORT/process/token',
      '  authenticate  http://127.0.0.1:PORT/process/authenticate',
      '  client id     my-app (profile staging)',
    ]);
    const [signup, signin] = lines.filter((line) => line.startsWith('  npx '));
    const settings = '--client-id my-app --profile staging';
    const callback = 'http://localhost:PORT/callback';
    assert.equal(
      signup,
      `  npx authcli simulate-signup --url ${callback} --ptn-cd alice ${settings}`,
    );
    const secret = '--secret-key authcli-emulated-secret';
    assert.equal(
      signin,
      `  npx authcli issue-ptn-token --ptn-cd alice ${settings} | npx authcli signin --ptn-token - --auth-url http://127.0.0.1:PORT ${secret} ${settings}`,
    );
  });

  const secretKeys = [
    ['typed', ['--secret-key', 'sesame-of-mine'], {}, " --secret-key '…'"],
    ['a reference', ['--secret-key', 'env:MINE'], { MINE: 'sesame' }, ' --secret-key env:MINE'],
    ['in the environment', [], { AUTHCLI_SECRET_KEY: 'sesame-of-mine' }, ''],
  ] as const;
  for (const [title, flags, env, words] of secretKeys) {
    it(`suggests a sign-in with the secret key of this service: ${title}`, async () => {
      const { stdout } = await emulated(['service', ...flags], async () => {}, { env });
      assert.equal(/--auth-url \S+(.*) --client-id/.exec(stdout)?.[1], words);
    });
  }

  it('prints the URL alone under --quiet', async () => {
    const result = await emulated(['app', '--quiet']);
    assert.deepEqual(startOf(result), ['listening on http://127.0.0.1:PORT', '']);
  });
});

describe('emulate, watched in a terminal', () => {
  it('prints one line an exchange: local time, operation, user, response', async () => {
    const context = { localTimeZone: () => 'Asia/Seoul' };
    const result = await emulated(['app'], signUp, { context });
    const lines = linesOf(result).map((line) => line.replace(/ {2,}/g, '  '));
    assert.deepEqual(lines, [
      '12:04:05  ✓ ← key-exchange  alice  200  0000  0 ms',
      '12:04:05  ✓ ← registration  alice  200  0000  0 ms',
    ]);
    assert.equal(result.status, 130);
  });

  it('says why a call was refused, and which fault acted', async () => {
    const result = await emulated(['app', '--fault', 'hex'], async (url) => {
      const to = ['--url', `${url}/callback`, '--ptn-cd', 'bob', '--key', 'k'.repeat(32)];
      await cli(['simulate-registration', ...to, '--quiet']);
      await signUp(url);
    });
    const [refused = '', faulty = ''] = linesOf(result);
    assert.match(refused, /✗ ← registration .*A107 .*No key was exchanged for this ptn_cd\.$/);
    assert.match(faulty, /! ← key-exchange .*0000 .*fault hex: Writes the /);
  });

  it('names the command that lists the faults of its side', async () => {
    for (const side of ['app', 'service']) {
      const { status, stderr } = await cli(['emulate', side, '--fault', 'zzz']);
      assert.equal(status, 2);
      assert.match(stderr, /Unknown fault "zzz"/);
      assert.ok(stderr.includes(`next:  authcli emulate ${side} --list-faults`), stderr);
    }
  });

  it('escapes what the other side sends', async () => {
    const evil = '\u001b[2Jal\u202eice\nnext';
    const body = { client_id: 'x', used_type: '2', ptn_cd: evil, partner_sp: evil };
    const headers = { 'content-type': 'application/json;charset=utf-8' };
    const result = await emulated(['app', '--verbose'], async (url) => {
      await fetch(`${url}/callback`, { method: 'POST', headers, body: JSON.stringify(body) });
    });
    assert.equal(linesOf(result).length, 4);
    for (const control of ['\u001b', '\u202e']) assert.ok(!result.stdout.includes(control));
    assert.match(result.stdout, /\\u001b\[2Jal\\u202eice\\nnext/);
  });

  it('shows what exchanges contain with --verbose, secrets with --show-secrets alone', async () => {
    const { stdout } = await emulated(['app', '--verbose'], signUp);
    for (const line of [
      /^ +public_key +Public key: RSA, 2048 bits, sha256:[0-9a-f]{12}$/m,
      /^ +enc_partner_key +Per-user key: \[redacted\] \(32 characters, sha256:[0-9a-f]{12}\)$/m,
      /^ +partner_sp +Super Passcode: \[redacted\] \(24 characters\)$/m,
      /^ +ubifill +User information: \[redacted\] \(\d+ characters\)$/m,
    ])
      assert.match(stdout, line);
    assert.ok(!stdout.includes('@example.com'));
    const shown = await emulated(['app', '--verbose', '--show-secrets'], signUp);
    assert.match(shown.stdout, /ubifill .*User information: \{"email":"[^"]+@example\.com"/);
    assert.match(shown.stdout, /Per-user key: [A-Za-z0-9]{32} /);
  });

  it('writes one JSON object a line with --json, the diagnosis in it', async () => {
    const result = await emulated(['app', '--json'], async (url) => {
      await fetch(`${url}/callback`);
    });
    const lines = result.stdout.trimEnd().split('\n');
    const events = lines.map((line) => JSON.parse(line));
    assert.deepEqual(
      events.map(({ event }) => event),
      ['listening', 'exchange', 'stopped'],
    );
    const message = 'The method must be POST.';
    const hint = 'Send callbacks with POST.';
    assert.deepEqual(events[1].diagnosis, { code: 'A901', message, hint, calls: {} });
    assert.ok(!result.stdout.includes('ui_url'));
  });

  it('says of a wrong Content-Type what arrived, and goes on with --lenient', async () => {
    const send = (url: string, headers: Record<string, string>) =>
      fetch(url, { method: 'POST', headers, body: new TextEncoder().encode('{}') });
    const result = await emulated(['app'], async (url) => {
      await send(`${url}/callback`, { 'content-type': 'text/plain' });
      await send(`${url}/callback`, {});
    });
    const [typed = '', untyped = ''] = linesOf(result);
    assert.match(typed, /A902 .*must be application\/json;charset=utf-8; the request has text\/pl/);
    assert.match(untyped, /A902 .*; the request has none\.$/);
    for (const [side, callPath] of [
      ['app', '/callback'],
      ['service', '/process/token'],
    ] as const) {
      const { stdout } = await emulated([side, '--lenient', '--json'], async (url) => {
        await send(url + callPath, { 'content-type': 'text/plain' });
      });
      const exchange = JSON.parse(stdout.split('\n')[1] ?? '');
      assert.match(exchange.remarks[0], /; the request has text\/plain\.$/);
      assert.match(exchange.diagnosis.code, /^[AE]10\d$/);
    }
  });
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
      const json = await emulated([...to, '--json'], order);
      const { event, operation, ptn_cd, http_status, code, diagnosis } = JSON.parse(
        linesOf(json)[0] ?? '',
      );
      assert.deepEqual([event, operation, ptn_cd], ['callback', 'key-exchange', 'carol']);
      assert.deepEqual([http_status, code, diagnosis.code], [200, '0000', 'oaep-sha1']);
    });
  });

  it('goes to the emulated application itself, past a proxy', async () => {
    let ordered: unknown;
    const order = async (url: string) => {
      ordered = await (await post(url, 'signup', { ptn_cd: 'dan' })).json();
    };
    const { stdout } = await emulated(['app'], order, {
      env: { HTTP_PROXY: 'http://127.0.0.1:9' },
    });
    assert.equal((ordered as { signed_up: boolean }).signed_up, true);
    assert.equal(stdout.match(/← .*dan/g)?.length, 2, 'each callback once');
  });

  it('sends the headers of --header only to the origin of --callback-url, whatever an order says', async (test) => {
    const seen: (string | undefined)[] = [];
    const server = createServer((request, response) => {
      seen.push(request.headers.authorization);
      response.end('{}');
    });
    const elsewhere = await listen(server, 'http');
    test.after(() => elsewhere.close());
    const callbackUrl = `${elsewhere.url.origin}/b`;
    const order = async (service: string) => {
      await post(service, 'signup', { callback_url: callbackUrl });
    };
    const argv = ['service', '--header', 'Authorization: Bearer abcdefgh'];
    const other = await emulated([...argv, '--callback-url', 'http://127.0.0.1:9/a'], order);
    assert.match(other.stderr, /^warning: the headers of --header were not sent to http:/m);
    await emulated(argv, order);
    await emulated([...argv, '--callback-url', `${elsewhere.url.origin}/a`], order);
    assert.deepEqual(seen, [undefined, undefined, 'Bearer abcdefgh']);
  });

  it('takes the callback URL with the order, and asks for it where it has none', async () => {
    await emulated(['app'], async (app) => {
      await emulated(['service'], async (service) => {
        const refused = await post(service, 'signup', {});
        assert.equal(refused.status, 400);
        assert.match(await refused.text(), /The callback URL of your application is not set/);
        const done = await post(service, 'signup', { callback_url: `${app}/callback` });
        assert.match(await done.text(), /"signed_up":\s*true/);
      });
    });
  });
});

describe('POST /_authcli/ptn-token', () => {
  const account = { AUTHCLI_CLIENT_ID: 'shop', AUTHCLI_SECRET_KEY: 'a-secret-key-of-the-tests' };

  it('issues a token with which the user signs in, and is not a path of the application', async () => {
    const env = account;
    await emulated(
      ['app'],
      async (url) => {
        await cli(['simulate-signup', '--url', `${url}/callback`, '--ptn-cd', 'eve'], { env });
        assert.equal((await post(url, 'ptn-token', { ptn_cd: 'eve' })).status, 404);
      },
      { env },
    );
    let token = '';
    const { stdout } = await emulated(
      ['service'],
      async (url) => {
        const issued = await (await post(url, 'ptn-token', { ptn_cd: 'eve' })).json();
        token = (issued as { ptn_token: string }).ptn_token;
        const signin = await cli(['signin', '--auth-url', url, '--json'], {
          env: { ...env, AUTHCLI_PTN_TOKEN: token },
        });
        assert.equal(JSON.parse(signin.stdout).passcode, 'match');
        assert.equal((await post(url, 'ptn-token', {})).status, 400);
      },
      { env },
    );
    assert.ok(!stdout.includes(token), 'the journal does not show it');
  });

  it('can be made to refuse a sign-in with a chosen code', async () => {
    const env = { ...account, AUTHCLI_PTN_TOKEN: 'any-token-of-a-user' };
    await emulated(['service', '--fault', 'code=E900:Wait a minute'], async (url) => {
      const { stdout } = await cli(['signin', '--auth-url', url, '--json'], { env });
      const { token } = JSON.parse(stdout);
      assert.deepEqual([token.code, token.message], ['E900', 'Wait a minute']);
    });
  });
});

describe('emulate --ui', () => {
  const token = 'a-token-of-mine-0123';
  const fixed = ['--ui', '--ui-token', token];
  const pageUrl = /http:\/\/127\.0\.0\.1:\d+\/_authcli\/ui\/[\w-]{32}\//;

  it('says where the page is, on standard error or in the first event', async () => {
    const opened: string[] = [];
    const firstLineOf = async (command: string, args: readonly string[]) => {
      opened.push([command, ...args].join(' '));
      return '';
    };
    const { stderr } = await emulated(['app', '--open'], undefined, { context: { firstLineOf } });
    const [url = '?'] = pageUrl.exec(stderr) ?? [];
    assert.ok(stderr.startsWith(`watch it at ${url}\n`), stderr);
    assert.deepEqual(opened, [`xdg-open ${url}`]);
    // On all addresses, the page is served at that of loopback.
    const json = await emulated(['service', '--ui', '--host', '0.0.0.0', '--json']);
    assert.match(JSON.parse(json.stdout.split('\n')[0] ?? '').ui_url, pageUrl);
    assert.ok(!json.stderr.includes('_authcli'));
  });

  it('serves the page, reports exchanges, and explains the response of an application', async () => {
    await emulated(['app', '--fault', 'oaep-sha1'], async (application) => {
      const argv = ['service', '--callback-url', `${application}/callback`, ...fixed];
      await emulated(argv, async (service) => {
        const page = `${service}/_authcli/ui/${token}/`;
        assert.equal((await fetch(page)).status, 200);
        const events = await fetch(`${page}events`);
        const headers = { origin: service };
        const sent = await fetch(`${page}signup`, { method: 'POST', headers, body: '{}' });
        assert.match(await sent.text(), /"signed_up":\s*false/);
        const text = await readUntil(events, '"rows":[{"id":1');
        assert.match(text, /event: hello\ndata: \{"run":"[\w-]+","side":"service"/);
        assert.match(text, /"way":"out","what":"key-exchange"[^}]*"diagnosis":"oaep-sha1"/);
        const detail = await (await fetch(`${page}exchange?id=1`)).json();
        const [finding] = (detail as { findings: { code: string; calls: unknown[] }[] }).findings;
        assert.equal(finding?.code, 'oaep-sha1');
        assert.ok(finding.calls.length > 4);
      });
    });
  });

  it('shows a command to paste, whatever the client id, and ends also while a page listens', {
    timeout: 60_000,
  }, async () => {
    let events: Response | undefined;
    await emulated(['app', ...fixed, '--client-id', "it's $HOME"], async (url) => {
      events = await fetch(`${url}/_authcli/ui/${token}/events`);
      const text = await readUntil(await fetch(events.url), '"tryIt"');
      const { tryIt } = JSON.parse(/data: (\{.*\})/.exec(text)?.[1] ?? '{}');
      const line = `authcli simulate-signup --url ${url}/callback --client-id 'it'\\''s $HOME'`;
      assert.equal(tryIt[0].line, line);
    });
    assert.match((await events?.text()) ?? '', /event: hello/);
  });

  const refused: readonly (readonly [readonly string[], RegExp])[] = [
    [['--host', '192.0.2.1'], /--ui: the page is served on loopback only/],
    [['--ui-token', 'short'], /--ui-token: it must be 16 or more/],
  ];
  for (const [argv, message] of refused) {
    it(`refuses ${argv.join(' ')}`, async () => {
      const { status, stderr } = await cli(['emulate', 'app', '--ui', ...argv]);
      assert.equal(status, 2);
      assert.match(stderr, message);
    });
  }
});
