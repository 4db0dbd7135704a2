import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, describe, it } from 'node:test';
import type { DiagnosisCode } from '../../src/errors.ts';

/*
 * Applications that were written by hand, each a process of its own, against `authcli verify` as it
 * is installed. They say "http://127.0.0.1:PORT" in their first lines.
 */

/** How an application is started with a fault, or with none (''). */
export interface Launch {
  readonly command: string;
  readonly argv: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

export interface ExpectedFault {
  readonly fault: string;
  readonly check: string;
  readonly diagnosis: DiagnosisCode;
  /** Words that stand in the message of the diagnosis. */
  readonly says?: RegExp;
  /** The other checks that can't hold either. */
  readonly knockOn?: readonly string[];
}

interface VerifyOutput {
  readonly ok: boolean;
  readonly summary: Readonly<Record<'passed' | 'failed' | 'warned' | 'skipped', number>>;
  readonly checks: readonly {
    readonly id: string;
    readonly status: string;
    readonly diagnosis?: { readonly code: string; readonly message: string };
  }[];
}

const clientId = 'my-shop';
/** Bounds every process, should a test be cut short. */
const longestMs = 120_000;

/** Tests that the application passes without a fault, and that each of its faults is caught. */
export function describeApplication(
  title: string,
  launch: (fault: string) => Launch,
  faults: readonly ExpectedFault[],
): void {
  describe(title, () => {
    const folder = mkdtempSync(join(tmpdir(), 'authcli-application-'));
    after(() => rmSync(folder, { recursive: true, force: true }));

    it('passes, without a warning', async () => {
      const { status, output } = await verifyApplication(launch(''), folder);
      assert.deepEqual(failuresOf(output), []);
      assert.equal(status, 0);
      assert.deepEqual({ ...output.summary, passed: 0 }, noTrouble);
    });

    for (const expected of faults) {
      it(`with ${expected.fault} fails ${expected.check}: ${expected.diagnosis}`, async () => {
        const { status, output } = await verifyApplication(launch(expected.fault), folder);
        assert.equal(status, 1);
        assertCaught(output, expected);
      });
    }
  });
}

const noTrouble = { passed: 0, failed: 0, warned: 0, skipped: 0 };

function assertCaught(output: VerifyOutput, expected: ExpectedFault): void {
  const { check, diagnosis, says = /./, knockOn = [] } = expected;
  const failed = failuresOf(output);
  const named = failed.find(({ id }) => id === check);
  assert.equal(named?.diagnosis?.code, diagnosis, JSON.stringify(failed, null, 2));
  assert.match(named?.diagnosis?.message ?? '', says);
  const others = failed.map(({ id }) => id).filter((id) => id !== check);
  assert.deepEqual(others, knockOn);
}

function failuresOf({ checks }: VerifyOutput): VerifyOutput['checks'] {
  return checks.filter(({ status }) => status === 'failed' || status === 'warned');
}

async function verifyApplication(launch: Launch, folder: string) {
  const { command, argv } = launch;
  const child = spawn(command, argv, {
    env: { ...process.env, ...launch.env },
    timeout: longestMs,
    killSignal: 'SIGKILL',
  });
  try {
    return await verify(`${await baseUrl(child)}/callback`, join(folder, 'config.json'));
  } finally {
    await end(child);
  }
}

/** The URL that the application prints, on either stream; rejects with what it said if it ends before. */
function baseUrl(child: ChildProcess): Promise<string> {
  let said = '';
  return new Promise((found, reject) => {
    const hear = (chunk: Buffer): void => {
      said += chunk;
      const url = /http:\/\/127\.0\.0\.1:\d+\b/.exec(said)?.[0];
      if (url !== undefined) found(url);
    };
    child.stdout?.on('data', hear);
    child.stderr?.on('data', hear);
    child.on('error', reject);
    child.on('exit', () => reject(new Error(`The application did not start: ${said}`)));
  });
}

async function end(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGKILL');
  await ended;
}

function verify(url: string, config: string): Promise<{ status: number; output: VerifyOutput }> {
  const argv = ['verify', '--url', url, '--client-id', clientId, '--config', config, '--json'];
  const options = { timeout: longestMs, maxBuffer: 2 ** 26 };
  return new Promise((done, reject) => {
    const command = [resolve('bin/authcli.js'), ...argv];
    execFile(process.execPath, command, options, (error, stdout, stderr) => {
      const status = error === null ? 0 : Number(error.code);
      if (stdout === '') reject(new Error(stderr));
      else done({ status, output: JSON.parse(stdout) });
    });
  });
}
