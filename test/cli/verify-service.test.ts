import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { serviceChecks } from '../../src/conformance/service-catalogue.ts';
import { AuthcliError } from '../../src/errors.ts';
import { violations } from '../support/json-schema.ts';
import { type RunEnvironment, run } from '../support/run.ts';
import { type RunningSide, startSide } from '../support/side.ts';

const folder = mkdtempSync(join(tmpdir(), 'authcli-verify-service-'));
const configFile = join(folder, 'config.json');
const secret = 'a-secret-key-of-the-tests';
const account = ['--client-id', 'shop', '--secret-key', secret];
const schema = JSON.parse(readFileSync('schemas/verify-1.json', 'utf8'));

interface CheckJson {
  readonly id: string;
  readonly status: string;
  readonly notes: readonly string[];
  readonly repeat?: { readonly command: string };
}

let service: RunningSide;

/** The real time, which the Date header of each response has too. */
const clock = { now: Date.now };

const verifyService = (argv: readonly string[], environment: Partial<RunEnvironment> = {}) =>
  run(['verify-service', ...argv], {
    configFile,
    cwd: folder,
    ...environment,
    context: { ...clock, ...environment.context },
  });

const verifyRunning = (argv: readonly string[] = [], url = service.url) =>
  verifyService(['--auth-url', url, ...account, ...argv]);

async function issueToken(): Promise<string> {
  const argv = ['issue-ptn-token', '--ptn-cd', 'alice', ...account];
  return (await run(argv, { configFile, context: clock })).stdout.trim();
}

describe('verify-service', () => {
  before(async () => {
    service = await startSide(['service', ...account], { configFile, context: clock });
    const application = await startSide(['app', '--client-id', 'shop'], { configFile });
    const argv = ['simulate-signup', '--url', application.url, '--ptn-cd', 'alice'];
    await run([...argv, '--client-id', 'shop'], { configFile });
    await application.stop();
  });
  after(async () => {
    await service.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('exits 0 against the emulated service with no more than a user, and shows each check', async () => {
    const { status, stdout, stderr } = await verifyRunning(['--ptn-cd', 'alice']);
    assert.equal(status, 0, stdout + stderr);
    for (const { id } of serviceChecks) assert.ok(stdout.includes(id), id);
    assert.match(stdout, /23 passed, .*1 skipped/s);
    assert.ok(!stdout.includes(secret));
  });

  it('looks the user up by the name in the response where a token alone is given', async () => {
    const token = await issueToken();
    const { status, stdout } = await verifyRunning(['--ptn-token', token, '--json']);
    const { checks } = JSON.parse(stdout) as { checks: readonly CheckJson[] };
    const statusOf = (id: string) => checks.find((check) => check.id === id)?.status;
    assert.equal(status, 0);
    assert.equal(statusOf('service/names-user'), 'skipped');
    assert.equal(statusOf('service/returns-passcode'), 'passed');
    assert.ok(!stdout.includes(token));
  });

  it('asks the command for a token at each sign-in', async () => {
    const commands: (readonly string[])[] = [];
    const { status } = await verifyService(
      ['--auth-url', service.url, ...account, '--ptn-token-command', "new-token 'of alice'"],
      {
        context: {
          firstLineOf: async (command, args) => {
            commands.push([command, ...args]);
            return issueToken();
          },
        },
      },
    );
    assert.equal(status, 0);
    assert.ok(commands.length > 1);
    assert.deepEqual(commands[0], ['new-token', 'of alice']);
  });

  it('exits 1 for a fault, with how to repeat the check, in the published form', async () => {
    const faulty = await startSide(['service', ...account, '--fault', 'accepts-wrong-secret'], {
      configFile,
      context: clock,
    });
    const result = await verifyRunning(['--ptn-cd', 'alice', '--json'], faulty.url);
    await faulty.stop();
    const document = JSON.parse(result.stdout);
    assert.equal(result.status, 1);
    assert.deepEqual(violations(document, schema), []);
    assert.equal(document.command, 'verify-service');
    assert.equal(document.error.code, 'accepted-bad-input');
    assert.match(document.error.hint, /^Compare client_id and secret_key of the body with/);
    const failed = document.checks.find(({ status }: CheckJson) => status === 'failed');
    assert.equal(failed.id, 'service/rejects-wrong-secret');
    assert.match(
      failed.repeat.command,
      /^authcli verify-service --check \S+ --seed \S+ .*--ptn-cd alice$/,
    );
    assert.ok(!result.stdout.includes(secret));
  });

  it('writes every kind of report, and obeys a baseline', async () => {
    const kinds = ['json', 'junit', 'html', 'markdown', 'tap', 'har'];
    const reports = kinds.flatMap((kind) => ['--report', `${kind}=service.${kind}`]);
    const faulty = await startSide(['service', ...account, '--fault', 'accepts-wrong-secret'], {
      configFile,
      context: clock,
    });
    const known = ['service/rejects-wrong-secret', 'service/exact-credentials'].map((check) => ({
      check,
      reason: 'fixed next week',
    }));
    const baseline = { schema: 'authcli/expect/1', known_failures: known };
    writeFileSync(join(folder, 'known.json'), JSON.stringify(baseline));
    const argv = ['--ptn-cd', 'alice', '--expect', 'known.json', ...reports];
    const { status, stderr } = await verifyRunning(argv, faulty.url);
    await faulty.stop();
    assert.equal(status, 0, stderr);
    const read = (kind: string) => readFileSync(join(folder, `service.${kind}`), 'utf8');
    assert.match(read('junit'), /<testsuite [^>]*name="authcli verify-service"/);
    assert.match(read('markdown'), /^## authcli verify-service: /);
    assert.match(read('html'), /authenticate, invalid on purpose/);
    assert.match(read('html'), /<title>[^<]*: authcli verify-service http/);
    for (const kind of kinds) {
      const text = read(kind);
      assert.ok(text.includes('service/rejects-wrong-secret'), kind);
      assert.ok(!text.includes(secret), kind);
    }
  });

  it('exits 130 with the reports of what ran where it is interrupted', async () => {
    const controller = new AbortController();
    let tokens = 0;
    const { status, stdout } = await verifyService(
      ['--auth-url', service.url, ...account, '--ptn-token-command', 'new-token', '--json'],
      {
        signal: controller.signal,
        context: {
          firstLineOf: async () => {
            tokens += 1;
            if (tokens === 3) controller.abort(new AuthcliError('interrupted', 'Stopped.'));
            return issueToken();
          },
        },
      },
    );
    const { interrupted, summary } = JSON.parse(stdout);
    assert.equal(status, 130);
    assert.equal(interrupted, true);
    assert.ok(summary.passed > 3 && summary.skipped > 3);
  });

  it('lists its checks without an address or a token', async () => {
    const { status, stdout } = await verifyService(['--list', '--json']);
    const { checks } = JSON.parse(stdout) as { checks: readonly CheckJson[] };
    assert.equal(status, 0);
    assert.deepEqual(
      checks.map(({ id }) => id),
      serviceChecks.map(({ id }) => id),
    );
  });

  it('exits 3 where nothing responds', async () => {
    const argv = ['--auth-url', 'http://127.0.0.1:1', '--ptn-cd', 'alice'];
    assert.equal((await verifyService(argv)).status, 3);
  });

  for (const [what, argv, message] of [
    ['no address', ['--ptn-cd', 'alice'], /needs --auth-url/],
    ['no token', ['--auth-url', 'http://127.0.0.1:1'], /needs a valid ptn_token/],
    [
      'a token and no secret',
      ['--auth-url', 'http://127.0.0.1:1', '--ptn-token', 'token'],
      /needs --secret-key/,
    ],
    [
      'a check that is not there',
      ['--auth-url', 'http://127.0.0.1:1', '--ptn-cd', 'alice', '--check', 'service/tokenshape'],
      /No check matches "service\/tokenshape"/,
    ],
    [
      'two sources of tokens',
      ['--ptn-token', 'token', '--ptn-token-command', 'true'],
      /exclude each other/,
    ],
  ] as const) {
    it(`exits 2 for ${what}`, async () => {
      const { status, stderr } = await verifyService(argv);
      assert.equal(status, 2);
      assert.match(stderr, message);
    });
  }

  it('exits 2 where the command prints no token', async () => {
    const argv = ['--auth-url', service.url, ...account, '--ptn-token-command', 'nothing'];
    const { status, stderr } = await verifyService(argv);
    assert.equal(status, 2);
    assert.match(stderr, /--ptn-token-command: "nothing" failed or printed nothing\./);
  });
});
