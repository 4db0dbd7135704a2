import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import type { Context } from '../../src/cli/context.ts';
import { generateKeyPair } from '../../src/client/key-pair.ts';
import type { Transport } from '../../src/client/transport.ts';
import { wrapKey } from '../../src/crypto/rsaes-pkcs1-v1_5.ts';
import { post } from '../support/client.ts';
import { bin, start } from '../support/program.ts';
import { run } from '../support/run.ts';
import { searchOutput } from '../support/secret-scan.ts';
import { SecretsMade } from '../support/secrets-made.ts';
import { seededBytes } from '../support/seeded-bytes.ts';

/*
 * Every run of a command line in the tests is searched for its secrets. Here are runs that show one
 * on purpose, so that it is known that a leak would be found.
 */

const folder = mkdtempSync(join(tmpdir(), 'authcli-secret-scan-'));
const configFile = join(folder, 'config.json');
after(() => rmSync(folder, { recursive: true, force: true }));
// What is found here is found on purpose, and isn't counted.
delete process.env.AUTHCLI_SCAN_COUNTS;

const secretKey = 'Secret/Key+of=the&tests';
const acs_token = 'an-acs-token-of-the-tests';
const key = 'Kk0123456789abcdefghijklmnopqrst';
const users = JSON.stringify([{ ptn_cd: 'mina', key, super_passcode: 'the passcode of mina' }]);
const leak = /a secret of `[a-z-]+` stands in its output/;

/** An environment in which what --debug prints contains a text. */
function telling(text: () => string): Pick<Context, 'platform'> {
  const platform = {
    get node() {
      return text();
    },
    openssl: '3.0.0',
    os: 'linux',
  };
  return { platform };
}

/** A peer that gives one response to everything. */
function responding(body: string): Transport {
  const { length } = body;
  const head = { status: 200, statusText: 'OK', httpVersion: 'HTTP/1.1', headers: [] };
  return {
    send: async (request) => ({
      ...{ request, startedAt: 0, durationMs: 0, timings: {}, attempts: 1 },
      response: { ...head, body: Buffer.from(body), encodedBodyBytes: length },
    }),
    close: async () => {},
  };
}

function debugged(argv: readonly string[], text: string): Promise<unknown> {
  return run([...argv, '--debug'], { configFile, context: telling(() => `v ${text}`) });
}

describe('the search of every output', () => {
  it('finds a secret that was given', async () => {
    // A run that fails over an earlier flag has not heard yet what it would have to hide.
    const given = ['--ptn-cd', '', '--secret-key', secretKey];
    for (const text of [secretKey, Buffer.from(`x${secretKey}y`).toString('base64')]) {
      await assert.rejects(debugged(['issue-ptn-token', ...given], text), leak);
    }
    await assert.doesNotReject(debugged(['issue-ptn-token', ...given], 'another text'));
  });

  it('finds one that the state keeps', async () => {
    await run(['users', 'import', '-'], { configFile, stdin: users });
    await run(['config', 'set', 'secret-key', secretKey], { configFile });
    for (const text of [key, 'the passcode of mina', secretKey, encodeURIComponent(secretKey)]) {
      await assert.rejects(debugged(['key', 'generate'], text), leak, text);
    }
    await assert.doesNotReject(debugged(['key', 'generate'], 'another text'));
  });

  it('finds one that came of an exchange', async () => {
    const pair = await generateKeyPair();
    const result = {
      enc_partner_key: wrapKey(pair.publicKey, key, seededBytes('authcli')),
      acs_token,
    };
    const made = new SecretsMade();
    const environment: Pick<Context, 'generateKeyPair' | 'openTransport'> = {
      generateKeyPair: async () => pair,
      openTransport: async () => responding(JSON.stringify({ code: '0000', result })),
    };
    const { generateKeyPair: generate, openTransport } = made.watching(environment);
    await generate(2048);
    const transport = await openTransport({ timeoutMs: 1, now: Date.now });
    await transport.send(post(new URL('http://a.test'), '{"secret_key":"…"}'));
    const given = { argv: ['verify'], env: {}, stdin: '', cwd: folder };
    for (const text of [key, Buffer.from(key).toString('hex'), acs_token]) {
      await assert.rejects(searchOutput(given, `… ${text}`, made.found()), leak, text);
    }
    await searchOutput(given, 'another text', made.found());
  });

  it('finds one in what a process of its own wrote', async () => {
    const program = 'console.log(process.argv.at(-1))';
    const argv = ['issue-ptn-token', '--secret-key', secretKey];
    const env = { AUTHCLI_CONFIG: join(folder, 'none.json') };
    const wrong = start(process.execPath, ['-e', program, '--', bin, ...argv], { env });
    await assert.rejects(wrong.ended, leak);
    const right = start(process.execPath, ['-e', '0', '--', bin, ...argv], { env });
    assert.equal((await right.ended).status, 0);
    const kept = { AUTHCLI_CONFIG: configFile };
    const shell = start('bash', ['-c', `echo "${key}"`], { env: kept });
    await assert.rejects(shell.ended, /stands in its output/);
  });

  it('lets pass what a command exists to print', async () => {
    const { stdout } = await run(['users', 'export'], { configFile });
    assert.ok(stdout.includes(key));
    const shown = await run(['users', 'show', 'mina', '--show-secrets'], { configFile });
    assert.ok(shown.stdout.includes(key));
  });
});
