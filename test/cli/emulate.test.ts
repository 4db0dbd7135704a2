import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { AuthcliError } from '../../src/errors.ts';
import { type RunResult, run, type World } from '../support/run.ts';

const folder = mkdtempSync(join(tmpdir(), 'authcli-emulate-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const configFile = join(folder, 'config.json');

/** Runs an emulator while `use` talks to it. */
async function emulated(
  argv: readonly string[],
  use: (url: string) => Promise<void>,
  changes: Partial<World> = {},
): Promise<RunResult> {
  const stop = new AbortController();
  let running: Promise<RunResult> | undefined;
  const url = await new Promise<string>((resolve) => {
    running = run(['emulate', ...argv], {
      configFile,
      signal: stop.signal,
      onStdout: (text) => resolve(/http:\/\/127\.0\.0\.1:\d+/.exec(text)?.[0] ?? ''),
      ...changes,
    });
    running.then(() => resolve(''));
  });
  await use(url).finally(() => stop.abort(new AuthcliError('interrupted', 'Interrupted.')));
  return running ?? assert.fail();
}

const signUp = (url: string, ptnCd = 'alice') =>
  run(['simulate-signup', '--url', `${url}/callback`, '--ptn-cd', ptnCd, '--quiet'], {
    configFile,
  });

function linesOf({ stdout }: RunResult): string[] {
  return stdout.trimEnd().split('\n').slice(1);
}

describe('emulate, watched in a terminal', () => {
  it('says one line an exchange: time, operation, user, answer', async () => {
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

  it('shows what exchanges hold with --verbose, secrets masked', async () => {
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
    });
    assert.equal(stopped?.event, 'stopped');
  });

  it('tells of the callbacks that an ordered sign-up sends, with their diagnosis', async () => {
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
});
