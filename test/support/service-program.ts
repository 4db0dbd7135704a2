import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, describe, it } from 'node:test';
import { shellWord } from '../../src/text.ts';
import { bin, start } from './program.ts';

/*
 * Services that were written by hand, each a program that is run, against `authcli verify-service`
 * as it is installed.
 */

/** A mistake of a service, and the check that must report it. */
export interface WrongService {
  readonly variant: string;
  readonly check: string;
  readonly diagnosis: string;
  /** What the message must say. */
  readonly says?: RegExp;
}

interface Document {
  readonly checks: readonly {
    readonly id: string;
    readonly status: string;
    readonly reason?: string;
    readonly fix?: string;
    readonly diagnosis?: { readonly code: string; readonly message: string };
  }[];
}

const user = {
  SERVICE_CLIENT_ID: 'shop',
  SERVICE_SECRET_KEY: 'Server-Secret-of-the-Shop',
  SERVICE_PTN_CD: 'alice',
  SERVICE_KEY: 'Zk3v9QxT1mB7cRf0LwY8nHs5JdPa2UgE',
  SERVICE_PASSCODE: 'Super-Passcode-0042',
};

const otherClient = { ...process.env, ...user, SERVICE_CLIENT_ID: 'another-shop' };

/** The token lives longer than the run waits. */
const outlasting = 'service/rejects-expired-acs-token';

/** One thread may keep requests at the same time waiting for too long to be judged. */
const mayWait = 'service/rejects-parallel-use';

/** Tests that no right variant of the program is blamed, and that each wrong one is. */
export function describeService(
  title: string,
  command: readonly [string, ...string[]],
  right: readonly string[],
  wrong: readonly WrongService[],
): void {
  describe(title, { concurrency: 2 }, () => {
    const folder = mkdtempSync(join(tmpdir(), 'authcli-service-'));
    after(() => rmSync(folder, { recursive: true, force: true }));

    const verify = async (variant: string, argv: readonly string[]) => {
      const [file, ...args] = command;
      const service = spawn(file, [...args, variant], {
        env: { ...process.env, ...user },
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      const ended = once(service, 'close');
      const [url] = (await once(createInterface(service.stdout), 'line')) as [string];
      const issuing = [...command, '--issue'].map(shellWord).join(' ');
      const of = { config: join(folder, `${variant}.json`), url, issuing };
      const foreign = execFileSync(file, [...args, '--issue'], { env: otherClient });
      try {
        return await verifyAt(of, [...argv, '--foreign-ptn-token', String(foreign).trim()]);
      } finally {
        service.kill();
        await ended;
      }
    };

    for (const variant of right) {
      it(`${variant} is right, and passes without a warning`, async () => {
        const { status, document } = await verify(variant, ['--timeout', '5s']);
        const others = document.checks.filter(
          (check) =>
            check.status !== 'passed' &&
            !(variant === 'one-thread' && check.id === mayWait && check.status === 'skipped'),
        );
        assert.deepEqual(
          others.map(({ id, status: how }) => [id, how]),
          [[outlasting, 'skipped']],
          JSON.stringify(others),
        );
        assert.equal(status, 0);
      });
    }

    for (const { variant, check, diagnosis, says = /./ } of wrong) {
      it(`${variant} fails ${check}`, async () => {
        const argv = ['--strict', '--timeout', '2s', '--check', check];
        const { status, document } = await verify(variant, argv);
        const [found] = document.checks;
        assert.equal(found?.status, 'failed', JSON.stringify(document.checks));
        assert.equal(found.diagnosis?.code, diagnosis);
        assert.match(found.diagnosis.message, says);
        assert.notEqual(found.fix, '');
        assert.equal(status, 1);
      });
    }
  });
}

async function verifyAt(
  { config, url, issuing }: { config: string; url: string; issuing: string },
  argv: readonly string[],
) {
  const run = start(
    process.execPath,
    [
      bin,
      'verify-service',
      ...['--config', config, '--json', '--auth-url', url, '--client-id', user.SERVICE_CLIENT_ID],
      ...['--secret-key', 'env:SERVICE_SECRET_KEY', '--ptn-cd', user.SERVICE_PTN_CD],
      ...['--key', 'env:SERVICE_KEY', '--expect-passcode', 'env:SERVICE_PASSCODE'],
      ...['--ptn-token-command', issuing, '--expire-time-zone', 'UTC', ...argv],
    ],
    { env: user },
  );
  const { status, stdout, stderr } = await run.ended;
  assert.notEqual(stdout, '', stderr);
  return { status, document: JSON.parse(stdout) as Document };
}
