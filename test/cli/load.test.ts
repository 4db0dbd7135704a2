import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { AuthcliError } from '../../src/errors.ts';
import { violations } from '../support/json-schema.ts';
import { type RunEnvironment, run } from '../support/run.ts';
import { type RunningSide, startSide } from '../support/side.ts';

const folder = mkdtempSync(join(tmpdir(), 'authcli-load-'));
const file = (name: string): string => join(folder, name);
const schema = JSON.parse(readFileSync('schemas/load-1.json', 'utf8'));
const environment: RunEnvironment = { configFile: file('config/config.json') };
const service = ['--client-id', 'shop', '--secret-key', 'a-secret-of-the-tests'] as const;

let application: RunningSide;
let emulatedService: RunningSide;
before(async () => {
  application = await startSide(['app', '--client-id', 'shop'], {
    configFile: file('app/config.json'),
  });
  // Tokens are issued by the real clock, in the threads of the load.
  const context = { now: Date.now };
  emulatedService = await startSide(['service', ...service], { ...environment, context });
});
after(async () => {
  await application.stop();
  await emulatedService.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** One key pair is enough, and quick to make. */
function load(argv: readonly string[], changes: Partial<RunEnvironment> = {}) {
  const client = argv.includes('--client-id') ? [] : ['--client-id', 'shop'];
  return run(['load', ...client, ...argv], {
    ...environment,
    ...changes,
  });
}

interface LoadJson {
  readonly ok: boolean;
  readonly attempted: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly signups_per_second: number;
  readonly latency_ms: Readonly<Record<'p50' | 'p90' | 'p99' | 'max', number>>;
  readonly errors: Readonly<Record<string, number>>;
  readonly error?: { readonly code: string; readonly message: string };
}

async function loadJson(argv: readonly string[], changes?: Partial<RunEnvironment>) {
  const result = await load(['--json', ...argv], changes);
  const json = JSON.parse(result.stdout) as LoadJson;
  assert.deepEqual(violations(json, schema), []);
  return { ...result, json };
}

describe('load', () => {
  it('says how many signed up, how fast, and how long it took', async () => {
    const { status, json } = await loadJson(['--url', application.url, '--signups', '20']);
    assert.equal(status, 0);
    assert.deepEqual([json.ok, json.attempted, json.succeeded, json.failed], [true, 20, 20, 0]);
    assert.ok(json.signups_per_second > 0);
    const { p50, p90, p99, max } = json.latency_ms;
    assert.ok(0 < p50 && p50 <= p90 && p90 <= p99 && p99 <= max);
    assert.deepEqual(json.errors, {});
  });

  it('ends with status 1 and the diagnosis where sign-ups fail, unless --max-errors allows them', async () => {
    await application.control('faults', { name: 'oaep-sha1', times: 3 });
    // One after the other: the next calls are those of the next three users.
    const some = ['--url', application.url, '--signups', '10', '--concurrency', '1'];
    const one = await loadJson(some);
    assert.deepEqual([one.status, one.json.failed, one.json.error?.code], [1, 3, 'oaep-sha1']);
    assert.deepEqual(one.json.errors, { 'oaep-sha1': 3 });
    await application.control('faults', { name: 'oaep-sha1', times: 3 });
    const other = await loadJson([...some, '--max-errors', '30%']);
    assert.deepEqual([other.status, other.json.ok, other.json.failed], [0, true, 3]);
  });

  it('ends with status 1 where a threshold is missed', async () => {
    const { status, json, stdout } = await loadJson([
      '--url',
      application.url,
      '--signups',
      '5',
      '--max-p99',
      '1ms',
      '--min-rate',
      '1',
    ]);
    assert.deepEqual([status, json.error?.code], [1, 'threshold-missed']);
    assert.match(json.error?.message ?? '', /p99 at most 1 ms: it was [\d.]+ ms/);
    const { thresholds } = JSON.parse(stdout) as { thresholds: { kept: boolean }[] };
    assert.deepEqual(
      thresholds.map(({ kept }) => kept),
      [false, true],
    );
  });

  it('ends with status 3 where nothing responds', async () => {
    const { status, json } = await loadJson(['--url', 'http://127.0.0.1:9/', '--signups', '2']);
    assert.deepEqual([status, json.error?.code, json.failed], [3, 'refused', 2]);
  });

  it('does not go on where nothing responds', async () => {
    const argv = ['--url', 'http://127.0.0.1:9/', '--duration', '10m'];
    const { status, json, stdout } = await loadJson(argv);
    assert.deepEqual([status, json.error?.code], [3, 'refused']);
    assert.match(stdout, /The run ended early: \d+ attempts failed and no response came/);
  });

  it('writes its reports, the JSON one like standard output', async () => {
    const json = file('load.json');
    const html = file('load.html');
    const { stdout } = await load([
      '--json',
      '--url',
      application.url,
      '--signups',
      '5',
      '--report',
      `json=${json}`,
      '--report',
      `html=${html}`,
    ]);
    assert.equal(readFileSync(json, 'utf8'), stdout);
    assert.match(readFileSync(html, 'utf8'), /^<!doctype html>[\s\S]*5 of 5 sign-ups succeeded/);
  });

  it('shows people the figures and no secret', async () => {
    const { stdout, stderr } = await load(['--url', application.url, '--signups', '5']);
    assert.match(stdout, /sign-ups\s+5 in /);
    assert.match(stdout, /whole sign-up\s+\S+ ms/);
    assert.match(stdout, /✓ 5 of 5 sign-ups succeeded, each key unwrapped and checked\./);
    assert.equal(stderr, '');
  });

  it('reports what ran when it is interrupted', async () => {
    const controller = new AbortController();
    const interrupted = new AuthcliError('interrupted', 'Interrupted.');
    const before = await callsOf(application);
    const watch = setInterval(async () => {
      if ((await callsOf(application)) > before + 20) controller.abort(interrupted);
    }, 100);
    const html = file('interrupted.html');
    const { status, json } = await loadJson(
      ['--url', application.url, '--duration', '60s', '--report', `html=${html}`],
      { signal: controller.signal },
    );
    clearInterval(watch);
    assert.deepEqual([status, json.error?.code], [130, 'interrupted']);
    assert.ok(json.attempted > 0);
    assert.match(readFileSync(html, 'utf8'), /The run was interrupted/);
  });

  it('keeps users only where that is asked for, and signs them in afterwards', async () => {
    await load(['--url', application.url, '--signups', '3']);
    const before = await run(['users', 'list', '--json'], environment);
    assert.deepEqual((JSON.parse(before.stdout) as { users: unknown[] }).users, []);
    await load(['--url', application.url, '--signups', '6', '--save-users']);
    const { stdout } = await run(['users', 'list', '--json'], environment);
    const { users } = JSON.parse(stdout) as { users: { state: string }[] };
    assert.deepEqual(
      users.map(({ state }) => state),
      Array.from({ length: 6 }, () => 'registered'),
    );
    const signIns = ['--scenario', 'signin', '--auth-url', emulatedService.url];
    const { status, json } = await loadJson([...signIns, ...service, '--signups', '12']);
    assert.deepEqual([status, json.succeeded], [0, 12]);
    const wrong = await loadJson([...signIns, '--secret-key', 'another', '--signups', '2']);
    assert.deepEqual([wrong.status, wrong.json.error?.code], [1, 'code-not-success']);
  });

  it('signs in with tokens from a file, each for whoever it is of', async () => {
    const configFile = file('tokens/config.json');
    const own = await startSide(['service', ...service], { configFile });
    const here = { configFile };
    await load(['--url', application.url, '--signups', '2', '--save-users'], here);
    const { users } = JSON.parse((await run(['users', 'list', '--json'], here)).stdout) as {
      users: { ptn_cd: string }[];
    };
    const tokens: string[] = [];
    for (const { ptn_cd: ptnCd } of users) {
      // The emulated service goes by the clock of these tests, as this command does.
      const issued = await run(['issue-ptn-token', '--ptn-cd', ptnCd, ...service], here);
      tokens.push(issued.stdout.trim());
    }
    writeFileSync(file('tokens.txt'), `${tokens.join('\n')}\n`);
    const argv = [
      '--scenario',
      'signin',
      '--auth-url',
      own.url,
      ...service,
      '--ptn-tokens',
      file('tokens.txt'),
    ];
    const { status, json, stdout } = await loadJson([...argv, '--signups', '6'], here);
    await own.stop();
    assert.deepEqual([status, json.succeeded], [0, 6]);
    assert.ok(!tokens.some((token) => stdout.includes(token)));
  });

  it('shows one exchange where exchanges are to be shown', async () => {
    const har = file('load.har');
    const { stderr } = await load([
      '--url',
      application.url,
      '--signups',
      '3',
      '--curl',
      '--har',
      har,
    ]);
    assert.equal(stderr.match(/^curl /gm)?.length, 2);
    const { log } = JSON.parse(readFileSync(har, 'utf8')) as { log: { entries: unknown[] } };
    assert.equal(log.entries.length, 2);
  });

  it('shows on a terminal how it goes', async () => {
    const { stderr } = await load(
      ['--url', application.url, '--duration', '1500ms', '--concurrency', '2'],
      { isTerminal: true },
    );
    assert.match(stderr, /\d+ s, \d+\/s, p99 [\d.]+ ms, \d+ ended, 0 failed/);
  });
});

/** How many calls an emulator has received. */
async function callsOf({ url }: RunningSide): Promise<number> {
  const response = await fetch(new URL('/_authcli/health', url));
  return ((await response.json()) as { calls: number }).calls;
}

/** What can't be asked for, and what is said. */
const refused: readonly (readonly [argv: readonly string[], message: RegExp])[] = [
  [[], /load needs --url/],
  [
    ['--url', 'http://example.com/'],
    /example\.com is not this machine[\s\S]*--allow-host example\.com/,
  ],
  [
    ['--url', 'http://example.com/', '--allow-host', 'example.org'],
    /--allow-host names example\.org/,
  ],
  [['--signups', '1', '--duration', '1s'], /--signups and --duration exclude each other/],
  [['--signups', '0'], /--signups: "0" is not a whole number/],
  [['--rate', '-1'], /rate/],
  [['--rate', '0'], /is not a number above 0/],
  [['--max-errors', '101%'], /neither a whole number nor a share/],
  [['--max-errors', '1.5'], /neither a whole number nor a share/],
  [['--max-p98', '1s'], /[Uu]nknown option '--max-p98'[\s\S]*--max-p9[09]/],
  [['--report', 'junit=x'], /"junit" is not one of json, html/],
  [['--report', 'html=/nowhere/at/all.html'], /can't be written/],
  [['--retry', '1'], /A load does not retry/],
  [['--scenario', 'sign-in'], /not one of signup, signin/],
  [['--scenario', 'signin'], /needs --auth-url/],
  [['--scenario', 'signin', '--auth-url', 'http://127.0.0.1:9'], /needs --secret-key/],
  [['--cipher', 'aes-256-cbc?padding=none'], /whole blocks|16/],
];

describe('load refuses, before anything is sent,', () => {
  for (const [argv, message] of refused) {
    it(argv.join(' ') || 'a run without a URL', async () => {
      const target =
        argv[0] === '--url' || argv.length === 0 ? [] : ['--url', 'http://127.0.0.1:9/'];
      const { status, stderr } = await run(['load', ...target, ...argv], {
        configFile: file('none/config.json'),
      });
      assert.match(stderr, message);
      assert.equal(status, 2);
    });
  }

  it('sign-ins without a user', async () => {
    const argv = ['--scenario', 'signin', '--auth-url', 'http://127.0.0.1:9', '--secret-key', 'x'];
    const { status, stderr } = await run(['load', ...argv], {
      configFile: file('none/config.json'),
    });
    assert.match(stderr, /No user can sign in/);
    assert.equal(status, 2);
  });
});
