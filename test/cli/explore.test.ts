import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { AuthcliError } from '../../src/errors.ts';
import { application, serve } from '../conformance/support.ts';
import { violations } from '../support/json-schema.ts';
import { schemaOf, workspace } from './workspace.ts';

const { path, read, save, cli } = workspace();
const explore = (...argv: readonly string[]) => cli(['explore', ...argv]);
const valid = (document: unknown) =>
  assert.deepEqual(violations(document, schemaOf('explore')), []);

/** Explores an application of this test alone. */
async function exploreApplication(
  context: TestContext,
  faults: readonly string[],
  argv: readonly string[],
) {
  const endpoint = await serve(application(...faults));
  context.after(() => endpoint.close());
  const result = await explore('--url', endpoint.url.href, ...argv);
  const sent = endpoint.requests.map(({ headers }) => headers['x-authcli-check']);
  return { ...result, sent };
}

/** Key pairs of 2048 bits only, which are quick to make. */
const operations = ['--operations', 'key-exchange/valid', '--operations', 'registration'];
const quick = [...operations, '--max-steps', '12'];
const nobody = ['--url', 'http://127.0.0.1:1/callback'];

describe('explore', () => {
  it('exits 0 where every response is right, with the same sequences for the same seed', async (context) => {
    const run = (seed: string) =>
      exploreApplication(context, [], [...quick, '--runs', '4', '--seed', seed, '--json']);
    const first = await run('same');
    assert.equal(first.status, 0, first.stdout);
    const document = JSON.parse(first.stdout);
    valid(document);
    assert.deepEqual([document.sequences, document.failures], [4, []]);
    assert.deepEqual((await run('same')).sent, first.sent);
    assert.notDeepEqual((await run('other')).sent, first.sent);
  });

  it('prints a failure in its fewest steps, and saves it so that it can be run again', async (context) => {
    const fault = ['keeps-first-key'];
    const first = await exploreApplication(context, fault, [...quick, '--seed', 'test']);
    assert.equal(first.status, 1, first.stdout + first.stderr);
    assert.match(
      first.stdout,
      /✗ a registration was not accepted\n {2}1\. user 1: a key exchange → .*"0000"\n {2}2\. user 1: a key exchange → .*\n {2}3\. user 1: a registration → .*\n {5}expected {2}code "0000"\n {5}because {3}.*latest key exchange/,
    );
    assert.match(first.stdout, /to repeat: authcli explore --seed test /);
    const file = 'authcli-explore-test.json';
    assert.match(first.stderr, /next: {2}authcli explore --replay \S+ --url .* --max-steps 12/);
    valid(JSON.parse(read(file)));

    const replay = ['--replay', path(file), '--json'];
    const again = await exploreApplication(context, fault, replay);
    assert.equal(again.status, 1);
    const document = JSON.parse(again.stdout);
    valid(document);
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
    const fixed = await exploreApplication(context, [], replay);
    assert.deepEqual([fixed.status, JSON.parse(fixed.stdout).steps], [0, 3]);
  });

  it('says whether a failure needs a kept connection', async (context) => {
    for (const fault of ['connection-caches-key', 'keeps-first-key']) {
      const isKept = fault === 'connection-caches-key';
      const argv = [...quick, '--seed', 'kept'];
      const { status, stdout } = await exploreApplication(context, [fault], argv);
      assert.equal(status, 1, stdout);
      assert.equal(/It passed twice with a new connection for each request/.test(stdout), isKept);
      const [failure] = JSON.parse(read('authcli-explore-kept.json')).failures;
      assert.equal(failure.kept_connection_only, isKept);
    }
  });

  it('exits 3 where nothing responds, also to what should be refused', async () => {
    for (const which of [[], ['--operations', 'key-exchange/json-none']]) {
      const { status, stdout } = await explore(...nobody, ...which, '--runs', '1');
      assert.deepEqual([status, stdout], [3, '']);
    }
  });

  it('fails where none of the selected operations can be sent', async (context) => {
    const argv = ['--operations', 'registration/again', '--runs', '2'];
    const { status, stderr } = await exploreApplication(context, [], argv);
    assert.equal(status, 1);
    assert.match(stderr, /Nothing could be sent/);
  });

  it('lists the operations, and refuses names that none has', async () => {
    const { status, stdout } = await explore('--list', '--operations', 'registration');
    assert.equal(status, 0);
    assert.match(stdout, /\nregistration\/other-users-key +a registration with another user's key/);
    assert.doesNotMatch(stdout, /key-exchange\//);
    const wrong = await explore('--list', '--operations', 'registratoin');
    assert.equal(wrong.status, 2);
    assert.match(wrong.stderr, /No operation matches "registratoin"/);
  });

  const users = '[{"family":0,"variant":"plain"}]';
  const unknown = `{"users":${users},"rounds":[[{"operation":"a/b","user":0}]]}`;
  const saved = (failures: string) =>
    `{"schema":"authcli/explore/1","seed":"a","failures":[${failures}]}`;
  const files = [
    ['a failure of explore', '{'],
    ['a failure of explore', '{"schema":"authcli/verify/1"}'],
    ['contains no failure', saved('')],
    ['has no operation', saved(`{"replay":${unknown}}`)],
  ] as const;
  for (const [reason, text] of files) {
    it(`refuses ${text} as a saved failure`, async () => {
      save('wrong.json', text);
      const { status, stderr } = await explore(...nobody, '--replay', path('wrong.json'));
      assert.equal(status, 2, stderr);
      assert.ok(stderr.includes(reason), stderr);
    });
  }

  it('reports what was found up to a signal', async (context) => {
    const controller = new AbortController();
    const app = application('keeps-first-key');
    const endpoint = await serve(async (request) => {
      const stopped = new AuthcliError('interrupted', 'Stopped.');
      if (endpoint.requests.length === 30) controller.abort(stopped);
      return app(request);
    });
    context.after(() => endpoint.close());
    const argv = ['--url', endpoint.url.href, ...operations, '--seed', 'stopped', '--json'];
    const { signal } = controller;
    const { status, stdout } = await cli(['explore', ...argv], { signal });
    assert.equal(status, 130);
    const document = JSON.parse(stdout);
    valid(document);
    assert.equal(document.interrupted, true);
    assert.ok(document.sequences > 0);
  });

  it('alone loads what draws and shrinks', () => {
    const texts = readdirSync('dist')
      .filter((name) => name.endsWith('.cjs'))
      .map((name) => [name, readFileSync(join('dist', name), 'utf8')] as const);
    const naming = (text: string) => texts.filter(([, code]) => code.includes(text));
    const [[engine = ''] = [], ...others] = naming('asyncProperty');
    assert.match(engine, /^exploration-/);
    assert.deepEqual(others, []);
    const loading = naming(engine).map(([name]) => name.replace(/-.*/, ''));
    assert.deepEqual(loading, ['explore']);
  });
});
