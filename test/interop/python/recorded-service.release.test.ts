import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { startRelayCommand } from '../../support/relay-command.ts';
import { run } from '../../support/run.ts';

/*
 * A service by other hands, with a cipher, a time zone and codes of its own, recorded by the relay; then the emulator in
 * its place. The applications are programs in Python too.
 */

const script = (name: string) => fileURLToPath(new URL(`services/${name}`, import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'authcli-recorded-service-'));
const environment = { configFile: join(folder, 'config.json'), cwd: folder };
const children: ChildProcess[] = [];
after(() => {
  for (const child of children) child.kill();
  rmSync(folder, { recursive: true, force: true });
});

const client = ['shop', 'the-secret-of-the-shop'] as const;
const user = { ptnCd: 'ada', key: 'kPz3VwQ9sLxT7bRmYc2NfHgJ5dEa8uWq', passcode: 'passcode of ada' };

async function startService(): Promise<string> {
  const { ptnCd, key, passcode } = user;
  const argv = [script('other_service.py'), ...client, ptnCd, key, passcode, 'the-ptn-token'];
  const child = spawn('python3', argv, { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  return line.toString().trim();
}

async function signIns(authUrl: string, ptnToken: string, mode: string): Promise<unknown> {
  const argv = [script('sign_in.py'), authUrl, ...client, ptnToken, user.key, user.passcode, mode];
  const { stdout } = await promisify(execFile)('python3', argv);
  return JSON.parse(stdout);
}

/** What the applications see of the emulated service. */
async function signInsEmulated(recording: string, mode: string): Promise<unknown> {
  const now = { context: { now: Date.now } };
  const settings = ['--client-id', client[0], '--secret-key', client[1], '--json'];
  const issue = ['issue-ptn-token', '--ptn-cd', user.ptnCd, ...settings];
  const { stdout } = await run(issue, { ...environment, ...now });
  let seen: unknown;
  const argv = ['emulate', 'service', '--from', recording, '--no-latency', '--', 'application'];
  const { stderr } = await run(argv, {
    ...environment,
    context: {
      now: Date.now,
      runChild: async ({ env }) => {
        seen = await signIns(env.AUTHCLI_AUTH_URL ?? '', JSON.parse(stdout).ptn_token, mode);
        return 0;
      },
    },
  });
  assert.notEqual(seen, undefined, stderr);
  return seen;
}

describe('emulate service --from a recorded service in Python', () => {
  it('lets an application in that signs in there, and fails one that fails there, alike', async () => {
    const service = await startService();
    const users = [{ ptn_cd: user.ptnCd, key: user.key, super_passcode: user.passcode }];
    writeFileSync(join(folder, 'users.json'), JSON.stringify(users));
    assert.equal((await run(['users', 'import', 'users.json'], environment)).status, 0);
    const recording = join(folder, 'session.jsonl');
    const argv = ['--auth-url', service, '--decrypt', '--record', recording, '--show-secrets'];
    const relay = await startRelayCommand(argv, { ...environment, context: { now: Date.now } });
    const modes = ['ecb-hex', 'cbc-base64'];
    const there = [];
    for (const mode of modes) there.push(await signIns(relay.authUrl, 'the-ptn-token', mode));
    await relay.exchanges(14);
    await relay.stop();
    assert.match(JSON.stringify(there[0]), /signed in/);
    assert.doesNotMatch(JSON.stringify(there[1]), /signed in/);

    const { stdout } = await run(['learn', recording, '--json'], environment);
    const settings = new Map(
      (JSON.parse(stdout).settings as { setting: string; value: string }[]).map(
        ({ setting, value }) => [setting, value],
      ),
    );
    assert.match(settings.get('cipher') ?? '', /^aes-256-ecb\?.*encoding=hex/);
    assert.equal(settings.get('expire-time-zone'), '+09:00');
    assert.equal(settings.get('token-ttl'), '10m');

    // the users come from the recording alone
    await run(['users', 'remove', user.ptnCd, '--yes'], environment);
    const here = [];
    for (const mode of modes) here.push(await signInsEmulated(recording, mode));
    assert.deepEqual(here, there);
  });
});
