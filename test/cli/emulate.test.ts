import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { type RunResult, run } from '../support/run.ts';
import { emulated, folder, linesOf } from './emulate.ts';

describe('emulate, when it starts,', () => {
  const startOf = ({ stdout }: RunResult): string[] =>
    stdout.replace(/:\d{4,5}\b/g, ':PORT').split('\n');

  it('prints the URL with its path, the settings and their origin, and two commands', async () => {
    const argv = ['app', '--fault', 'hex', '--client-id', 'my-app'];
    const result = await emulated(argv, async () => {});
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
    const file = join(folder, 'staging.json');
    await run(['config', 'profile', 'create', 'staging'], { configFile: file });
    const staging = ['--profile', 'staging'];
    await run(['config', 'set', 'client-id', 'my-app', ...staging], { configFile: file });
    const env = { npm_command: 'exec' };
    const changes = { configFile: file, env };
    const lines = startOf(await emulated(['service', ...staging], async () => {}, changes));
    assert.deepEqual(lines.slice(1, 4), [
      '  token         http://127.0.0.1:PORT/process/token',
      '  authenticate  http://127.0.0.1:PORT/process/authenticate',
      '  client id     my-app (profile staging)',
    ]);
    assert.deepEqual(
      lines.filter((line) => line.startsWith('  npx ')),
      [
        '  npx authcli simulate-signup --url http://localhost:PORT/callback --ptn-cd alice --client-id my-app --profile staging',
        '  npx authcli issue-ptn-token --ptn-cd alice --client-id my-app --profile staging | npx authcli signin --ptn-token - --auth-url http://127.0.0.1:PORT --secret-key authcli-emulated-secret --client-id my-app --profile staging',
      ],
    );
  });

  const secretKeys = [
    ['typed', ['--secret-key', 'sesame-of-mine'], {}, " --secret-key '…'"],
    ['a reference', ['--secret-key', 'env:MINE'], { MINE: 'sesame' }, ' --secret-key env:MINE'],
    ['in the environment', [], { AUTHCLI_SECRET_KEY: 'sesame-of-mine' }, ''],
  ] as const;
  for (const [title, flags, env, words] of secretKeys) {
    it(`suggests a sign-in with the secret key of this service: ${title}`, async () => {
      const result = await emulated(['service', ...flags], async () => {}, { env });
      const [, after] = /--auth-url \S+(.*) --client-id/.exec(result.stdout) ?? [];
      assert.equal(after, words);
    });
  }

  it('prints the URL alone under --quiet', async () => {
    const result = await emulated(['app', '--quiet'], async () => {});
    assert.deepEqual(startOf(result), ['listening on http://127.0.0.1:PORT', '']);
  });

  it('opens its page in the browser with --open', async () => {
    const opened: string[] = [];
    const firstLineOf = async (command: string, args: readonly string[]) => {
      opened.push([command, ...args].join(' '));
      return '';
    };
    const { stderr } = await emulated(['app', '--open'], async () => {}, {
      context: { firstLineOf },
    });
    assert.match(opened[0] ?? '', /^xdg-open http:\/\/127\.0\.0\.1:\d+\//);
    assert.ok(stderr.includes(opened[0]?.split(' ')[1] ?? '?'));
  });
});

describe('emulate of a wrong Content-Type', () => {
  const send = (url: string, headers: Record<string, string>) =>
    fetch(`${url}/callback`, { method: 'POST', headers, body: new TextEncoder().encode('{}') });

  it('says what arrived', async () => {
    const result = await emulated(['app'], async (url) => {
      await send(url, { 'content-type': 'text/plain' });
      await send(url, {});
    });
    const [typed, untyped] = linesOf(result);
    assert.match(
      typed ?? '',
      /A902 .*must be application\/json;charset=utf-8; the request has text\/plain\.$/,
    );
    assert.match(untyped ?? '', /A902 .*; the request has none\.$/);
  });

  it('marks it and goes on with --lenient, so that the next mistake shows', async () => {
    for (const side of ['app', 'service']) {
      const result = await emulated([side, '--lenient', '--json'], async (url) => {
        const path = side === 'app' ? '/callback' : '/process/token';
        await fetch(url + path, { method: 'POST', body: 'x' });
      });
      const exchange = JSON.parse(result.stdout.split('\n')[1] ?? '');
      assert.match(exchange.remarks[0], /; the request has text\/plain;charset=UTF-8\.$/);
      assert.match(exchange.diagnosis.code, /^[AE]101$/);
    }
  });
});
