import assert from 'node:assert/strict';
import { createServer, type RequestListener } from 'node:http';
import { describe, it } from 'node:test';
import { listen } from '../support/fault-server.ts';
import { type RunResult, run } from '../support/run.ts';
import { configFile, emulated, linesOf, readUntil, signUp } from './emulate.ts';

describe('emulate, watched in a terminal', () => {
  it('prints one line an exchange: time, operation, user, response', async () => {
    const result = await emulated(['app'], async (url) => void (await signUp(url)));
    const lines = linesOf(result).map((line) => line.replace(/ {2,}/g, '  '));
    assert.deepEqual(lines, [
      '03:04:05  ✓ ← key-exchange  alice  200  0000  0 ms',
      '03:04:05  ✓ ← registration  alice  200  0000  0 ms',
    ]);
    assert.equal(result.status, 130);
  });

  it('says why a call was refused, and which fault acted', async () => {
    const result = await emulated(['app', '--fault', 'hex'], async (url) => {
      const key = 'k'.repeat(32);
      const to = ['--url', `${url}/callback`, '--ptn-cd', 'bob', '--quiet'];
      await run(['simulate-registration', ...to, '--key', key], { configFile });
      await signUp(url);
    });
    const [refused, spoilt] = linesOf(result);
    assert.match(
      refused ?? '',
      /✗ ← registration .*A107 .*No key was exchanged for this ptn_cd\.$/,
    );
    assert.match(spoilt ?? '', /! ← key-exchange .*0000 .*fault hex: Writes the /);
  });

  for (const side of ['app', 'service']) {
    it(`names the command that lists the faults of emulate ${side}`, async () => {
      const { status, stderr } = await run(['emulate', side, '--fault', 'zzz'], { configFile });
      assert.equal(status, 2);
      assert.match(stderr, /Unknown fault "zzz"/);
      assert.ok(stderr.includes(`\`authcli emulate ${side} --list-faults\` lists all.`), stderr);
      assert.ok(stderr.includes(`next:  authcli emulate ${side} --list-faults`), stderr);
    });
  }

  it('is in local time', async () => {
    const context = { localTimeZone: () => 'Asia/Seoul' };
    const result = await emulated(['app'], async (url) => void (await signUp(url)), { context });
    assert.match(linesOf(result)[0] ?? '', /^12:04:05 /);
  });

  it('escapes what the other side sends', async () => {
    const evil = '\u001b[2Jal\u202eice\nnext';
    const result = await emulated(['app', '--verbose'], async (url) => {
      await fetch(`${url}/callback`, {
        method: 'POST',
        headers: { 'content-type': 'application/json;charset=utf-8' },
        body: JSON.stringify({ client_id: 'x', used_type: '2', ptn_cd: evil, partner_sp: evil }),
      });
    });
    assert.equal(linesOf(result).length, 4);
    for (const control of ['\u001b', '\u202e']) assert.ok(!result.stdout.includes(control));
    assert.match(result.stdout, /\\u001b\[2Jal\\u202eice\\nnext/);
  });

  it('shows what exchanges contain with --verbose, secrets masked', async () => {
    const result = await emulated(['app', '--verbose'], async (url) => void (await signUp(url)));
    const details = linesOf(result).map((line) => line.trim().replace(/ {2,}/g, '  '));
    const shown = details.filter((line) => /^(?:public_key|enc_|partner_sp|ubifill)/.test(line));
    assert.match(shown[0] ?? '', /^public_key {2}Public key: RSA, 2048 bits, sha256:[0-9a-f]{12}$/);
    assert.match(
      shown[1] ?? '',
      /^enc_partner_key {2}Per-user key: \[redacted\] \(32 characters, sha256:[0-9a-f]{12}\)$/,
    );
    assert.match(shown[2] ?? '', /^partner_sp {2}Super Passcode: \[redacted\] \(24 characters\)$/);
    assert.match(shown[3] ?? '', /^ubifill {2}User information: \[redacted\] \(\d+ characters\)$/);
    assert.ok(!result.stdout.includes('@example.com'));
  });

  it('shows secrets with --show-secrets', async () => {
    const argv = ['app', '--verbose', '--show-secrets'];
    const result = await emulated(argv, async (url) => void (await signUp(url)));
    assert.match(result.stdout, /ubifill .*User information: \{"email":"[^"]+@example\.com"/);
    assert.match(result.stdout, /Per-user key: [A-Za-z0-9]{32} /);
  });

  it('writes one JSON object a line with --json, the diagnosis in it', async () => {
    const result = await emulated(['app', '--json'], async (url) => {
      await fetch(`${url}/callback`);
    });
    const [listening, exchange, stopped] = result.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    assert.equal(listening?.event, 'listening');
    assert.equal(exchange?.event, 'exchange');
    assert.deepEqual(exchange?.diagnosis, {
      code: 'A901',
      message: 'The method must be POST.',
      hint: 'Send callbacks with POST.',
      calls: {},
    });
    assert.equal(stopped?.event, 'stopped');
  });

  it('reports the callbacks that an ordered sign-up sends, with their diagnosis', async () => {
    let told = '';
    await emulated(['app', '--fault', 'oaep-sha1'], async (url) => {
      const to = ['--callback-url', `${url}/callback`];
      const order = async (service: string) => {
        await fetch(`${service}/_authcli/signup`, { method: 'POST', body: '{"ptn_cd":"carol"}' });
      };
      told = (await emulated(['service', ...to], order)).stdout;
      const json = await emulated(['service', ...to, '--json'], order);
      const event = JSON.parse(linesOf(json)[0] ?? '') as Record<string, unknown>;
      assert.deepEqual(
        [event.event, event.operation, event.ptn_cd, event.http_status, event.code],
        ['callback', 'key-exchange', 'carol', 200, '0000'],
      );
      assert.equal((event.diagnosis as { code: string }).code, 'oaep-sha1');
    });
    assert.match(told, /✗ → key-exchange {3}carol .*200 {2}0000 .*oaep-sha1: /);
  });

  it('signs a user up at the emulated application itself, past a proxy', async () => {
    const env = { HTTP_PROXY: 'http://127.0.0.1:9' };
    let signedUp: unknown;
    const order = async (url: string) => {
      const sent = await fetch(`${url}/_authcli/signup`, {
        method: 'POST',
        body: '{"ptn_cd":"dan"}',
      });
      signedUp = ((await sent.json()) as { signed_up: unknown }).signed_up;
    };
    const { stdout } = await emulated(['app'], order, { env });
    assert.equal(signedUp, true);
    assert.equal(stdout.match(/← .*dan/g)?.length, 2, 'each callback once');
  });

  it('sends the headers of --header only to the origin of --callback-url, whatever an order says', async (test) => {
    const seen: (string | undefined)[] = [];
    const answer: RequestListener = (request, response) => {
      seen.push(request.headers.authorization);
      response.end('{}');
    };
    const elsewhere = await listen(createServer(answer), 'http', []);
    test.after(() => elsewhere.close());
    const url = elsewhere.url.origin;
    const order = (callbackUrl: string) => async (service: string) => {
      const body = JSON.stringify({ callback_url: callbackUrl });
      await fetch(`${service}/_authcli/signup`, { method: 'POST', body });
    };
    const argv = ['service', '--header', 'Authorization: Bearer abcdefgh'];
    const withUrl = (to: string) => [...argv, '--callback-url', to];
    const { stderr } = await emulated(withUrl('http://127.0.0.1:9/a'), order(`${url}/b`));
    assert.match(stderr, /^warning: the headers of --header were not sent to http:/m);
    await emulated(argv, order(`${url}/b`));
    await emulated(withUrl(`${url}/a`), order(`${url}/b`));
    assert.deepEqual(seen, [undefined, undefined, 'Bearer abcdefgh']);
  });

  it('takes the callback URL with the order, and asks for it where it has none', async () => {
    await emulated(['app'], async (app) => {
      await emulated(['service'], async (service) => {
        const order = async (body: unknown) => {
          const options = { method: 'POST', body: JSON.stringify(body) };
          const sent = await fetch(`${service}/_authcli/signup`, options);
          return [sent.status, await sent.text()] as const;
        };
        const [status, text] = await order({});
        assert.equal(status, 400);
        assert.match(text, /The callback URL of your application is not set/);
        const [, done] = await order({ callback_url: `${app}/callback` });
        assert.match(done, /"signed_up":\s*true/);
      });
    });
  });
});

describe('emulate --ui', () => {
  const uiUrl = ({ stdout }: RunResult) =>
    (JSON.parse(stdout.split('\n')[0] ?? '') as { ui_url: string }).ui_url;

  it('says where the page is, on standard error or in the first event', async () => {
    const shown = await emulated(['app', '--ui'], async () => undefined);
    assert.match(
      shown.stderr,
      /^watch it at http:\/\/127\.0\.0\.1:\d+\/_authcli\/ui\/[\w-]{32}\/\n/,
    );
    const json = await emulated(['service', '--ui', '--json'], async () => undefined);
    assert.match(uiUrl(json), /^http:\/\/127\.0\.0\.1:\d+\/_authcli\/ui\/[\w-]{32}\/$/);
    assert.ok(!json.stderr.includes('_authcli'));
    const without = await emulated(['app', '--json'], async () => undefined);
    assert.ok(!without.stdout.includes('ui_url'));
  });

  it('serves the page, reports exchanges, and explains the response of an application', async () => {
    const token = 'a-token-of-mine-0123';
    await emulated(['app', '--fault', 'oaep-sha1'], async (application) => {
      const to = ['--callback-url', `${application}/callback`, '--ui', '--ui-token', token];
      await emulated(['service', ...to], async (service) => {
        const page = `${service}/_authcli/ui/${token}/`;
        assert.equal((await fetch(page)).status, 200);
        const events = await fetch(`${page}events`);
        const headers = { origin: service };
        const sent = await fetch(`${page}signup`, { method: 'POST', headers, body: '{}' });
        assert.equal(((await sent.json()) as { signed_up: boolean }).signed_up, false);
        const text = await readUntil(events, '"rows":[{"id":1');
        assert.match(text, /event: hello\ndata: \{"run":"[\w-]+","side":"service"/);
        assert.match(text, /"way":"out","what":"key-exchange"[^}]*"diagnosis":"oaep-sha1"/);
        const detail = await fetch(`${page}exchange?id=1`).then((response) => response.json());
        const { findings } = detail as { findings: { code: string; calls: unknown[] }[] };
        assert.equal(findings[0]?.code, 'oaep-sha1');
        assert.ok((findings[0]?.calls.length ?? 0) > 4);
      });
    });
  });

  it('shows a command to paste, whatever the client id', async () => {
    const token = 'a-token-of-mine-0123';
    const argv = ['app', '--ui', '--ui-token', token, '--client-id', "it's $HOME"];
    await emulated(argv, async (url) => {
      const text = await readUntil(await fetch(`${url}/_authcli/ui/${token}/events`), '"tryIt"');
      const { tryIt } = JSON.parse(/data: (\{.*\})/.exec(text)?.[1] ?? '{}') as {
        tryIt: { line: string }[];
      };
      const line = `authcli simulate-signup --url ${url}/callback --client-id 'it'\\''s $HOME'`;
      assert.equal(tryIt[0]?.line, line);
    });
  });

  it('ends also while a page listens', { timeout: 60_000 }, async () => {
    const token = 'a-token-of-mine-0123';
    let events: Response | undefined;
    await emulated(['app', '--ui', '--ui-token', token], async (url) => {
      events = await fetch(`${url}/_authcli/ui/${token}/events`);
    });
    assert.match((await events?.text()) ?? '', /event: hello/);
  });

  const refused: readonly (readonly [string, readonly string[], RegExp])[] = [
    [
      'an address of other machines',
      ['--host', '192.0.2.1'],
      /--ui: the page is served on loopback only/,
    ],
    ['a token that can be guessed', ['--ui-token', 'short'], /--ui-token: it must be 16 or more/],
  ];
  for (const [title, argv, message] of refused) {
    it(`refuses ${title}`, async () => {
      const result = await run(['emulate', 'app', '--ui', ...argv], { configFile });
      assert.equal(result.status, 2);
      assert.match(result.stderr, message);
    });
  }

  it('is reached at the loopback address where it listens on all', async () => {
    const result = await emulated(
      ['app', '--ui', '--host', '0.0.0.0', '--json'],
      async () => undefined,
    );
    assert.match(uiUrl(result), /^http:\/\/127\.0\.0\.1:/);
  });
});
