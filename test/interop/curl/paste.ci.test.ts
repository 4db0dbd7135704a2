import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { defaultCipher } from '../../../src/crypto/cipher.ts';
import { Secret } from '../../../src/crypto/secret.ts';
import { createApplication, handleCallback } from '../../../src/emulator/application.ts';
import type { EmulatorRequest, EmulatorResponse } from '../../../src/emulator/http.ts';
import { type RunningServer, startServer } from '../../../src/emulator/server.ts';
import { createService, handleServiceCall } from '../../../src/emulator/service.ts';
import { issuePtnToken } from '../../../src/emulator/tokens.ts';
import { run } from '../../support/run.ts';
import { formsOf } from '../../support/secret-scan.ts';
import { seededBytes } from '../../support/seeded-bytes.ts';

/*
 * The lines of --curl, pasted: the shells that people have run them with the variables set that they name,
 * curl sends, and the emulators receive the same bytes as from authcli. Then the lines behind `next:`.
 */

const folder = mkdtempSync(join(tmpdir(), 'authcli-paste-'));
const configFile = join(folder, 'config.json');
after(() => rmSync(folder, { recursive: true, force: true }));

const clientId = 'the shop\'s "client" $HOME `id` \\ ünï';
const secretKey = 'Secret $(id) `id` key+of=the&tests \'quoted\' "twice" $HOME !x %s \\n';
const authorization = 'Bearer abc.def $HOME `id` "quoted" \\n';
const shells = ['bash', 'dash', 'zsh'].filter(
  (shell) => spawnSync(shell, ['-c', 'exit']).status === 0,
);
const ptnCd = 'o\'brien "남궁별" $HOME `id` \\ %s [1-3] {a,b}';
const environment = { now: Date.now, randomBytes: seededBytes('paste') };

const received: EmulatorRequest[] = [];

/** An emulated side that keeps what it receives. */
function keeping(
  respond: (request: EmulatorRequest) => Promise<{ readonly response: EmulatorResponse }>,
) {
  const handle = async (request: EmulatorRequest) => {
    received.push(request);
    return (await respond(request)).response;
  };
  return startServer({ host: '127.0.0.1', port: 0, handle });
}

/** What a server sees of a request, but for what every client says of itself. */
function comparable({ method, path, query, headers, body }: EmulatorRequest) {
  const { 'user-agent': _, accept: __, connection: ___, ...others } = headers;
  return { method, path, query, headers: others, body: Buffer.from(body).toString() };
}

const linesIn = (printed: string): readonly string[] =>
  printed.split('\n').filter((line) => /^(?:curl|printf) /.test(line));

function inShell(shell: string, line: string, variables: object = {}) {
  const env = { PATH: process.env.PATH, HOME: '/wrong', ...variables };
  return promisify(execFile)(shell, ['-c', line], { env });
}

/** Runs authcli with --curl, then each of the two lines that it printed in the next shell: the same must be sent again. */
async function pasted(argv: readonly string[], env: Readonly<Record<string, string>>) {
  received.length = 0;
  const { status, stderr, stdout } = await run([...argv, '--curl'], { configFile, env });
  assert.equal(status, 0, stdout + stderr);
  const sent = received.splice(0).map(comparable);
  const lines = linesIn(stderr);
  assert.deepEqual([sent.length, lines.length], [2, 2]);
  const [, acsToken = ''] = /"acs_token":"([^"]*)"/.exec(sent[1]?.body ?? '') ?? [];
  for (const [index, line] of lines.entries())
    await inShell(shells[index] ?? 'sh', line, { ...env, AUTHCLI_ACS_TOKEN: acsToken });
  assert.deepEqual(received.map(comparable), sent);
  return lines;
}

describe('the line of --curl, pasted into a shell', () => {
  let service: RunningServer;
  let application: RunningServer;

  before(async () => {
    const side = { clientId, cipher: defaultCipher, environment };
    const emulated = createApplication(side);
    application = await keeping((request) => handleCallback(request, emulated));
    const emulatedService = createService({
      ...side,
      secretKey: Secret.text(secretKey),
      findUser: (code) => emulated.users.get(code),
    });
    service = await keeping((request) => handleServiceCall(request, emulatedService));
  });
  after(() => Promise.all([service.close(), application.close()]));

  const shared = { AUTHCLI_SECRET_KEY: secretKey, MY_AUTH: authorization };
  const headers = ['--header=Authorization: env:MY_AUTH', "--header=X-Note: it's $HOME; `id`"];

  it('sends a sign-up and a sign-in again, byte by byte, with the secrets out of the variables that it names', async () => {
    const { port } = application;
    const url = `http://app.test:${port}/callback?a=[1-3]&b={x,y}&c=%20'&d=$HOME`;
    const place = ['--url', url, '--resolve', `app.test:${port}:127.0.0.1`];
    const user = ['--client-id', clientId, '--ptn-cd', ptnCd, '--name', "Ö'Neil $HOME"];
    const signUp = await pasted(['simulate-signup', ...place, ...user, ...headers], shared);
    assert.match(signUp[0] ?? '', /"\$MY_AUTH"/);
    const issuer = { clientId, secretKey: Secret.text(secretKey) };
    // The first user's key was exchanged again, and the passcode is encrypted with the one before.
    await run(['simulate-signup', ...place, '--client-id', clientId, '--ptn-cd', 'u'], {
      configFile,
    });
    const token = issuePtnToken('u', issuer, environment);
    const account = ['--client-id', clientId, '--auth-url', service.url, ...headers];
    const env = { ...shared, AUTHCLI_PTN_TOKEN: token };
    const signIn = (await pasted(['signin', ...account], env)).join('\n');
    assert.match(signIn, /"\$AUTHCLI_SECRET_KEY".*"\$AUTHCLI_PTN_TOKEN"/);
    assert.match(signIn, /"\$AUTHCLI_ACS_TOKEN"/);
    assert.ok(!signIn.includes(secretKey));
  });

  for (const id of [clientId, `${clientId}\n\u200d`]) {
    it(`sends a refused sign-in of ${JSON.stringify(id)} again from every shell, without a secret`, async () => {
      const token = 'to\\ken-"of" %the\'tests! `id`';
      const env = { AUTHCLI_SECRET_KEY: secretKey, AUTHCLI_PTN_TOKEN: token };
      received.length = 0;
      const argv = ['signin', '--auth-url', service.url, '--client-id', id, '--curl'];
      const { stderr } = await run(argv, { configFile, env });
      const [sent] = received.splice(0).map(comparable);
      const [line = ''] = linesIn(stderr);
      const secrets = [secretKey, token].flatMap(formsOf);
      assert.ok(!secrets.some((form) => stderr.includes(form)), stderr);
      for (const shell of shells) {
        await inShell(shell, line, env);
        assert.deepEqual(received.splice(0).map(comparable), [sent], `${shell}: ${line}`);
      }
    });
  }

  it('gives behind next: the words that were typed, from every shell', async () => {
    const argv = ['--url', `http://127.0.0.1:1/'"$HOME!`];
    const { stderr } = await run(['simulate-signup', ...argv], { configFile });
    const line = /^next: +(.*)$/m.exec(stderr)?.[1] ?? '';
    for (const shell of shells) {
      const { stdout } = await inShell(shell, `authcli() { printf '%s\\0' "$@"; }; ${line}`);
      const again = stdout.split('\0').slice(0, -1);
      assert.deepEqual(again, ['doctor', ...argv], `${shell}: ${line}`);
    }
  });
});
