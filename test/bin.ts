import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, it } from 'node:test';
import { bin, type Ended, start } from './support/program.ts';
import { run } from './support/run.ts';

const folder = mkdtempSync(join(tmpdir(), 'authcli-bin-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/** Runs the installed program, with these settings. */
function authcli(config: string, ...argv: readonly string[]): Promise<Ended> {
  const env = { AUTHCLI_CONFIG: join(folder, config) };
  const running = start(process.execPath, [bin, ...argv], { env });
  running.child.stdin?.end();
  return running.ended;
}

/** Tests that the bundle says of these mistakes what the source says. */
export function refusesAsItsSource(...mistakes: readonly (readonly string[])[]): void {
  for (const argv of mistakes) {
    it(`refuses a mistake as its source does: ${argv.join(' ')}`, async () => {
      const { status, stdout, stderr } = await authcli('config.json', ...argv);
      const source = await run(argv, { configFile: join(folder, 'config.json') });
      assert.deepEqual({ status, stdout, stderr }, source);
      assert.equal(status, 2);
    });
  }
}

/** Tests so many processes that write the same settings. */
export function losesNoUserToConcurrentSignUps(count: number): void {
  it(`loses no user to ${count} concurrent sign-ups`, async () => {
    const emulator = start(process.execPath, [bin, 'emulate', 'app', '--json'], {
      env: { AUTHCLI_CONFIG: join(folder, 'emulator.json') },
    });
    let url = '';
    emulator.child.stdout?.once('data', (line) => {
      url = (JSON.parse(String(line)) as { url: string }).url;
    });
    await emulator.says('\n');
    const config = `concurrent-${count}.json`;
    const signUp = (_: unknown, number: number) =>
      authcli(config, 'simulate-signup', '--url', url, '--ptn-cd', `user-${number}`);
    const results = await Promise.all(Array.from({ length: count }, signUp));
    emulator.child.kill();
    await emulator.ended;
    assert.deepEqual(
      results.filter(({ status }) => status !== 0),
      [],
    );
    const { stdout } = await authcli(config, 'users', 'list', '--json');
    assert.equal((JSON.parse(stdout) as { users: unknown[] }).users.length, count);
    assert.equal(statSync(join(folder, config)).mode & 0o777, 0o600);
  });
}
