import assert from 'node:assert/strict';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { after, describe, it } from 'node:test';
import { notInstalled } from '../../scripts/test/programs.ts';
import type { DiagnosisCode } from '../../src/errors.ts';
import { type RunningService, startService } from '../../src/library/emulators.ts';
import { freePort } from './free-port.ts';
import { bin, start } from './program.ts';

/*
 * The applications of examples/, each a process of its own, against `authcli verify` as it is
 * installed: as they are, and with one line changed to what people write instead. They say
 * "http://127.0.0.1:PORT" in their first lines.
 */

/** One of them. */
export interface Example {
  /** Its folder below examples/, which has the name of the program that it needs. */
  readonly folder: string;
  /** The file that is changed to make it wrong. */
  readonly file: string;
  /** How it is started, in a copy of its folder; PORT is 0 in its environment. */
  readonly command: readonly [string, ...string[]];
}

export type Change = readonly [from: string, to: string];

/** What people write instead, which check fails with which diagnosis, and the other checks that can't pass either. */
type ExpectedFault = readonly [
  change: Change,
  check: string,
  diagnosis: DiagnosisCode,
  knockOn?: readonly string[],
];

export interface VerifyOutput {
  readonly ok: boolean;
  readonly summary: Readonly<Record<'passed' | 'failed' | 'warned' | 'skipped', number>>;
  readonly checks: readonly {
    readonly id: string;
    readonly status: string;
    readonly diagnosis?: { readonly code: string; readonly message: string };
  }[];
}

const clientId = 'my-shop';
const secretKey = 'a-secret-key-of-the-tests';

/** Tests that the example passes and signs in as it is, and that each fault in it is caught. */
export function describeExample(
  title: string,
  example: Example,
  faults: readonly ExpectedFault[] = [],
): void {
  describe(title, { skip: notInstalled(example.folder) }, () => {
    const scratch = scratchFolder();

    it('passes without a warning, signs in whom it signed up, and no other user', async () => {
      const service = await startService({ clientId });
      const env = { SECRET_KEY: service.secretKey, AUTH_URL: service.url };
      await withExample(example, scratch, { env }, async (url) => {
        const { status, output } = await verify(`${url}/callback`, scratch);
        assert.deepEqual(failuresOf(output), []);
        assert.equal(status, 0);
        const { failed, warned, skipped } = output.summary;
        assert.deepEqual([failed, warned, skipped], [0, 0, 0]);
        await assertSignsIn(url, service);
      }).finally(() => service.close());
    });

    it('passes the checks of its sign-in, but for those that wait for its time limit', async () => {
      const port = String(await freePort());
      const env = { SECRET_KEY: secretKey, AUTH_URL: `http://127.0.0.1:${port}` };
      await withExample(example, scratch, { env }, async (url) => {
        const signin = ['--signin-url', `${url}/sign-in`, '--auth-port', port];
        const chosen = ['--check', 'signin', '--skip', 'signin/rejects-without-service'];
        const argv = [...signin, ...chosen, '--secret-key', secretKey];
        const { status, output } = await verify(`${url}/callback`, scratch, argv);
        assert.deepEqual(failuresOf(output), []);
        assert.equal(status, 0);
        assert.ok(output.summary.passed > 30, JSON.stringify(output.summary));
      });
    });

    it('is not blamed by explore', async () => {
      const { status, output } = await withExample(example, scratch, {}, (url) => {
        const bounds = ['--runs', '8', '--max-steps', '24'];
        const argv = ['explore', '--url', `${url}/callback`, '--seed', title, ...bounds];
        return authcli<{ sequences: number; failures: unknown[] }>(argv, scratch);
      });
      assert.deepEqual(output.failures, []);
      assert.equal(status, 0);
      assert.equal(output.sequences, 8);
    });

    for (const [change, check, diagnosis, knockOn = []] of faults) {
      it(`with ${change[0]} fails ${check}: ${diagnosis}`, async () => {
        const changes = [change];
        const { status, output } = await withExample(example, scratch, { changes }, (url) =>
          verify(`${url}/callback`, scratch),
        );
        assert.equal(status, 1);
        const failed = failuresOf(output).map((found) => [found.id, found.diagnosis?.code]);
        assert.deepEqual(
          failed.find(([id]) => id === check),
          [check, diagnosis],
        );
        const others = failed.map(([id]) => id).filter((id) => id !== check);
        assert.deepEqual(others, knockOn);
      });
    }
  });
}

/** A folder of a suite, below the project, so that a copy of an example finds its packages. */
export function scratchFolder(): string {
  mkdirSync('test-artifacts', { recursive: true });
  const folder = mkdtempSync(resolve('test-artifacts', 'example-'));
  after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function failuresOf({ checks }: VerifyOutput): VerifyOutput['checks'] {
  return checks.filter(({ status }) => status === 'failed' || status === 'warned');
}

async function assertSignsIn(url: string, service: RunningService): Promise<void> {
  const { ptnCd } = await service.signUp({ url: `${url}/callback` });
  assert.deepEqual(await askToSignIn(url, ptnCd, service), [200, ptnCd]);
  service.faults.on({ name: 'wrong-passcode', times: 1 });
  assert.deepEqual(await askToSignIn(url, ptnCd, service), [401, undefined]);
  service.addUser({ ptnCd: 'mallory', key: 'k'.repeat(32), superPasscode: '482913' });
  assert.deepEqual(await askToSignIn(url, 'mallory', service), [401, undefined]);
}

async function askToSignIn(url: string, ptnCd: string, service: RunningService) {
  const response = await fetch(`${url}/sign-in`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ptn_token: service.issuePtnToken(ptnCd) }),
  });
  const { ptn_cd } = (await response.json()) as { readonly ptn_cd?: string };
  return [response.status, ptn_cd];
}

interface Variation {
  readonly changes?: readonly Change[];
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs a copy of the example, with the changes, as a process of its own. */
export async function withExample<T>(
  { folder, file, command: [program, ...argv] }: Example,
  scratch: string,
  { changes, env }: Variation,
  work: (url: string) => Promise<T>,
): Promise<T> {
  const cwd = mkdtempSync(join(scratch, 'copy-'));
  cpSync(join('examples', folder), cwd, { recursive: true });
  if (changes !== undefined) edit(join(cwd, file), changes);
  const own = { PORT: '0', CLIENT_ID: clientId, DATA: join(cwd, 'users'), ...env };
  const { child, ended, says } = start(program, argv, { cwd, env: own });
  try {
    return await work(await says(/http:\/\/127\.0\.0\.1:\d+\b/));
  } finally {
    child.kill('SIGKILL');
    await ended;
  }
}

/** Replaces each text, which must be there once. */
export function edit(file: string, changes: readonly Change[]): void {
  let text = readFileSync(file, 'utf8');
  for (const [from, to] of changes) {
    assert.equal(text.split(from).length, 2, `${from} is once in ${file}`);
    text = text.replace(from, () => to);
  }
  writeFileSync(file, text);
}

function verify(url: string, folder: string, others: readonly string[] = []) {
  return authcli<VerifyOutput>(['verify', '--url', url, ...others], folder);
}

/** Runs authcli as it is installed, and reads what it prints with --json. */
export async function authcli<Output>(
  words: readonly string[],
  folder: string,
  last: readonly string[] = [],
): Promise<{ status: number | null; output: Output }> {
  const own = ['--client-id', clientId, '--config', join(folder, 'config.json'), '--json'];
  const command = [bin, ...words, ...own, ...last];
  const { status, stdout, stderr } = await start(process.execPath, command, { cwd: folder }).ended;
  assert.notEqual(stdout, '', stderr);
  return { status, output: JSON.parse(stdout) };
}
