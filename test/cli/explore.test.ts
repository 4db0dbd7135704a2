import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it, type TestContext } from 'node:test';
import { AuthcliError } from '../../src/errors.ts';
import { application, serve } from '../conformance/support.ts';
import { violations } from '../support/json-schema.ts';
import { type RunEnvironment, run } from '../support/run.ts';

const folder = mkdtempSync(join(tmpdir(), 'authcli-explore-'));
const schema = JSON.parse(readFileSync('schemas/explore-1.json', 'utf8'));
after(() => rmSync(folder, { recursive: true, force: true }));

const explore = (argv: readonly string[], changes: Partial<RunEnvironment> = {}) =>
  run(['explore', ...argv], { configFile: join(folder, 'config.json'), cwd: folder, ...changes });

/** Explores an application of this test alone. */
async function exploreApplication(
  context: TestContext,
  faults: readonly string[],
  argv: readonly string[],
) {
  const endpoint = await serve(application(...faults));
  context.after(() => endpoint.close());
  const result = await explore(['--url', endpoint.url.href, ...argv]);
  const sent = endpoint.requests.map(({ headers }) => headers['x-authcli-check']);
  return { ...result, sent };
}

/** Key pairs of 2048 bits only, which are quick to make. */
const quick = ['--operations', 'key-exchange/valid', '--operations', 'registration'];

describe('explore', () => {
  it('exits 0 where every response is right, with the same sequences for the same seed', async (context) => {
    const argv = [...quick, '--runs', '4', '--max-steps', '12', '--seed', 'same', '--json'];
    const [first, second] = [
      await exploreApplication(context, [], argv),
      await exploreApplication(context, [], argv),
    ];
    assert.equal(first.status, 0, first.stdout);
    const document = JSON.parse(first.stdout);
    assert.deepEqual(violations(document, schema), []);
    assert.deepEqual([document.sequences, document.failures], [4, []]);
    assert.deepEqual(second.sent, first.sent);
    const other = await exploreApplication(context, [], argv.with(-2, 'other'));
    assert.notDeepEqual(other.sent, first.sent);
  });

  it('prints a failure in its fewest steps, and saves it so that it can be run again', async (context) => {
    const fault = ['keeps-first-key'];
    const argv = [...quick, '--seed', 'test', '--max-steps', '12'];
    const { status, stdout, stderr } = await exploreApplication(context, fault, argv);
    assert.equal(status, 1, stdout + stderr);
    assert.match(
      stdout,
      /✗ a registration was not accepted\n {2}1\. user 1: a key exchange → .*"0000"\n {2}2\. user 1: a key exchange → .*\n {2}3\. user 1: a registration → .*\n {5}expected {2}code "0000"\n {5}because {3}.*latest key exchange/,
    );
    assert.match(stdout, /to repeat: authcli explore --seed test /);
    const file = 'authcli-explore-test.json';
    assert.match(
      stderr,
      new RegExp(`next: {2}authcli explore --replay ${file} --url .* --max-steps 12`),
    );
    const saved = readFileSync(join(folder, file), 'utf8');
    assert.deepEqual(violations(JSON.parse(saved), schema), []);

    const path = join(folder, file);
    const again = await exploreApplication(context, fault, ['--replay', path, '--json']);
    assert.equal(again.status, 1);
    const document = JSON.parse(again.stdout);
    assert.deepEqual(violations(document, schema), []);
    const [failure] = document.failures;
    assert.deepEqual(
      failure.steps.map(({ operation, wrong }: Record<string, unknown>) => [operation, wrong]),
      [
        ['key-exchange/valid', false],
        ['key-exchange/valid', false],
        ['registration/latest-key', true],
      ],
    );
    assert.equal(failure.flaky, false);

    const fixed = await exploreApplication(context, [], ['--replay', path, '--json']);
    assert.equal(fixed.status, 0, fixed.stdout);
    assert.equal(JSON.parse(fixed.stdout).steps, 3);
  });

  it('says whether a failure needs a kept connection', async (context) => {
    const argv = [...quick, '--seed', 'kept', '--max-steps', '12'];
    for (const [fault, isKept] of [
      ['connection-caches-key', true],
      ['keeps-first-key', false],
    ] as const) {
      const { status, stdout } = await exploreApplication(context, [fault], argv);
      assert.equal(status, 1, stdout);
      assert.equal(
        /It passed twice with a new connection for each request/.test(stdout),
        isKept,
        stdout,
      );
      const saved = readFileSync(join(folder, 'authcli-explore-kept.json'), 'utf8');
      assert.equal(JSON.parse(saved).failures[0].kept_connection_only, isKept);
    }
  });

  it('exits 3 where nothing responds, also to what should be refused', async () => {
    const url = ['--url', 'http://127.0.0.1:1/callback'];
    for (const operations of [[], ['--operations', 'key-exchange/json-none']]) {
      const { status, stdout, stderr } = await explore([...url, ...operations, '--runs', '1']);
      assert.equal(status, 3, stderr);
      assert.equal(stdout, '');
    }
  });

  it('fails where none of the selected operations can be sent', async (context) => {
    const argv = ['--operations', 'registration/again', '--runs', '2'];
    const { status, stderr } = await exploreApplication(context, [], argv);
    assert.equal(status, 1);
    assert.match(stderr, /Nothing could be sent/);
  });

  it('lists the operations, and refuses names that none has', async () => {
    const { status, stdout } = await explore(['--list', '--operations', 'registration']);
    assert.equal(status, 0);
    assert.match(
      stdout,
      /\nregistration\/other-users-key +a registration with another user's key\n/,
    );
    assert.doesNotMatch(stdout, /key-exchange\//);
    const wrong = await explore(['--list', '--operations', 'registratoin']);
    assert.equal(wrong.status, 2);
    assert.match(wrong.stderr, /No operation matches "registratoin"/);
  });

  it('refuses files that are not a saved failure', async () => {
    const texts = {
      'a failure of explore': ['{', '{"schema":"authcli/verify/1"}'],
      'contains no failure': ['{"schema":"authcli/explore/1","seed":"a","failures":[]}'],
      'has no operation': [
        '{"schema":"authcli/explore/1","seed":"a","failures":[{"replay":{"users":[{"family":0,"variant":"plain"}],"rounds":[[{"operation":"a/b","user":0}]]}}]}',
      ],
    };
    const file = join(folder, 'wrong.json');
    for (const [reason, all] of Object.entries(texts)) {
      for (const text of all) {
        writeFileSync(file, text);
        const argv = ['--url', 'http://127.0.0.1:1/callback', '--replay', file];
        const { status, stderr } = await explore(argv);
        assert.equal(status, 2, stderr);
        assert.ok(stderr.includes(reason), stderr);
      }
    }
  });

  it('reports what was found up to a signal', async (context) => {
    const controller = new AbortController();
    const app = application('keeps-first-key');
    let requests = 0;
    const endpoint = await serve(async (request) => {
      requests += 1;
      if (requests === 30) controller.abort(new AuthcliError('interrupted', 'Stopped.'));
      return app(request);
    });
    context.after(() => endpoint.close());
    const argv = ['--url', endpoint.url.href, ...quick, '--seed', 'stopped', '--json'];
    const { status, stdout } = await explore(argv, { signal: controller.signal });
    assert.equal(status, 130);
    const document = JSON.parse(stdout);
    assert.deepEqual(violations(document, schema), []);
    assert.equal(document.interrupted, true);
    assert.ok(document.sequences > 0);
  });

  it('alone loads what draws and shrinks', () => {
    const texts = new Map(
      readdirSync('dist')
        .filter((name) => name.endsWith('.cjs'))
        .map((name) => [name, readFileSync(join('dist', name), 'utf8')]),
    );
    const naming = (text: string) => [...texts].filter(([, code]) => code.includes(text));
    const [[engine = ''] = [], ...others] = naming('asyncProperty');
    assert.match(engine, /^exploration-/);
    assert.deepEqual(others, []);
    const loading = naming(engine).map(([name]) => name.replace(/-.*/, ''));
    assert.deepEqual(loading, ['explore']);
  });
});
