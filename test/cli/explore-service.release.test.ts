import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it, type TestContext } from 'node:test';
import { application, serve } from '../conformance/support.ts';
import { violations } from '../support/json-schema.ts';
import { type RunEnvironment, run } from '../support/run.ts';
import { seededBytes } from '../support/seeded-bytes.ts';
import { startSide } from '../support/side.ts';

const folder = mkdtempSync(join(tmpdir(), 'authcli-explore-service-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const environment = { configFile: join(folder, 'config.json'), cwd: folder };
const schemaOf = (name: string) => JSON.parse(readFileSync(`schemas/${name}-1.json`, 'utf8'));

const users = ['alice', 'bob', 'carol'].map((ptnCd, index) => ({
  ptn_cd: ptnCd,
  key: `${index}123456789abcdefghijklmnopqrstuv`,
  super_passcode: `passcode-of-${ptnCd}-${index}`,
}));

/** The service draws its tokens from other bytes than those that are invented here. */
const explore = (argv: readonly string[], { context, ...changes }: Partial<RunEnvironment> = {}) =>
  run(['explore', ...argv], {
    ...environment,
    ...changes,
    context: { randomBytes: seededBytes(argv.join(' ')), ...context },
  });

/** Explores an emulated service of this test alone, which knows the users of the profile. */
async function exploreService(
  context: TestContext,
  faults: readonly string[],
  argv: readonly string[],
) {
  const file = join(folder, 'users.json');
  writeFileSync(file, JSON.stringify(users));
  await run(['users', 'import', file], environment);
  const flags = faults.flatMap((fault) => ['--fault', fault]);
  const service = await startSide(['service', ...flags], environment);
  context.after(() => service.stop());
  return explore(['--auth-url', service.url, ...argv]);
}

describe('explore --auth-url', () => {
  it('finds nothing wrong with the emulated service', async (context) => {
    const { status, stdout } = await exploreService(context, [], ['--runs', '8', '--json']);
    assert.equal(status, 0, stdout);
    const document = JSON.parse(stdout);
    assert.deepEqual(violations(document, schemaOf('explore')), []);
    assert.equal(document.side, 'service');
    assert.equal(document.sequences, 8);
  });

  it('prints a failure in its fewest steps, saves it, and writes it as a report of checks', async (context) => {
    const argv = ['--seed', 'reports', '--report', 'junit=r.xml', '--report', 'json=r.json'];
    const { status, stdout, stderr } = await exploreService(
      context,
      ['next-user-ends-acs-token'],
      [...argv, '--report', 'har=r.har', '--max-steps', '12'],
    );
    assert.equal(status, 1, stdout + stderr);
    assert.match(
      stdout,
      /✗ an authenticate request with the latest acs_token of its user was not accepted\n {2}1\. user 1: a token request.*\n {2}2\. user 2: a token request.*\n {2}3\. user 1: an authenticate/,
    );
    for (const { key, super_passcode: passcode } of users) {
      assert.ok(!stdout.includes(key) && !stdout.includes(passcode));
    }
    const saved = JSON.parse(readFileSync(join(folder, 'authcli-explore-reports.json'), 'utf8'));
    assert.deepEqual(violations(saved, schemaOf('explore')), []);
    const report = JSON.parse(readFileSync(join(folder, 'r.json'), 'utf8'));
    assert.deepEqual(report.failures, saved.failures);
    const junit = readFileSync(join(folder, 'r.xml'), 'utf8');
    assert.match(junit, /failures="1"/);
    assert.match(junit, /authenticate\/latest-token/);
    assert.equal(JSON.parse(readFileSync(join(folder, 'r.har'), 'utf8')).log.entries.length, 3);
    assert.ok(!/acs_token.{1,6}:.{1,6}[\w-]{43}/.test(readFileSync(join(folder, 'r.har'), 'utf8')));
  });

  it('runs a saved failure again, and not at the other side', async (context) => {
    const fault = ['repeat-names-user-before'];
    const saved = await exploreService(context, fault, ['--seed', 'saved', '--save', 'saved.json']);
    assert.equal(saved.status, 1, saved.stderr);
    const replay = ['--replay', join(folder, 'saved.json')];
    const again = await exploreService(context, fault, replay);
    assert.equal(again.status, 1);
    assert.match(again.stdout, /named another user/);
    const fixed = await exploreService(context, [], replay);
    assert.equal(fixed.status, 0, fixed.stdout);
    const other = await explore(['--url', 'http://127.0.0.1:1/callback', ...replay]);
    assert.equal(other.status, 2);
    assert.match(other.stderr, /a failure of a service/);
  });

  it('takes the users of --user-codes, whose tokens a command prints', async (context) => {
    const service = await startSide(['service'], environment);
    context.after(() => service.stop());
    writeFileSync(join(folder, 'codes.txt'), 'alice\nbob\n');
    const seen: (readonly string[])[] = [];
    const firstLineOf = async (command: string, args: readonly string[]) => {
      seen.push([command, ...args]);
      const code = args.at(-1) ?? '';
      const issued = await run(['issue-ptn-token', '--ptn-cd', code, '--quiet'], environment);
      return issued.stdout.trim();
    };
    const { status, stdout, stderr } = await explore(
      [
        ...['--auth-url', service.url, '--secret-key', 'authcli-emulated-secret', '--runs', '3'],
        ...['--user-codes', join(folder, 'codes.txt'), '--max-steps', '6'],
        ...['--ptn-token-command', './new-token --user {ptn_cd}'],
      ],
      { context: { firstLineOf } },
    );
    assert.equal(status, 0, stdout + stderr);
    assert.deepEqual(seen[0], ['./new-token', '--user', 'alice']);
    assert.deepEqual(new Set(seen.map((words) => words.at(-1))), new Set(['alice', 'bob']));
  });

  it('refuses to start without users', async () => {
    const configFile = join(folder, 'empty.json');
    const { status, stderr } = await explore(['--auth-url', 'http://127.0.0.1:1'], { configFile });
    assert.equal(status, 2);
    assert.match(stderr, /needs users who are registered/);
  });

  it('lists what can be sent to the side that is named', async () => {
    const listed = async (...argv: readonly string[]) =>
      (await explore(['--list', ...argv])).stdout;
    assert.doesNotMatch(await listed('--auth-url', 'http://127.0.0.1:1'), /registration\//);
    assert.doesNotMatch(await listed('--url', 'http://127.0.0.1:1/'), /\ntoken\//);
    const both = await listed();
    assert.match(both, /\ntoken\/valid /);
    assert.match(both, /\nregistration\/late /);
  });
});

describe('explore --user-codes', () => {
  it('sends only callbacks of these users', async (context) => {
    const endpoint = await serve(application());
    context.after(() => endpoint.close());
    const file = join(folder, 'given.txt');
    writeFileSync(file, 'given-1\ngiven-2\ngiven-3\n');
    const argv = ['--url', endpoint.url.href, '--user-codes', file, '--runs', '10'];
    const { status, stdout } = await explore([
      ...[...argv, '--seed', 'given', '--max-steps', '12'],
      ...['--operations', 'key-exchange/valid', '--operations', 'registration'],
    ]);
    assert.equal(status, 0, stdout);
    const codes = endpoint.requests.map(
      ({ body }) => JSON.parse(Buffer.from(body).toString()).ptn_cd,
    );
    assert.deepEqual(new Set(codes), new Set(['given-1', 'given-2', 'given-3']));
  });
});
