import assert from 'node:assert/strict';
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
      exploreApplication(context, [], [...quick, '--runs', '2', '--seed', seed, '--json']);
    const first = await run('same');
    const document = JSON.parse(first.stdout);
    valid(document);
    assert.deepEqual([first.status, document.sequences, document.failures], [0, 2, []]);
    assert.deepEqual((await run('same')).sent, first.sent);
    assert.notDeepEqual((await run('other')).sent, first.sent);
  });

  it('prints a failure in its fewest steps, and saves it so that it can be run again', async (context) => {
    const fault = ['keeps-first-key'];
    const argv = [...quick, '--seed', 'test', '--report', 'junit=report.xml'];
    const first = await exploreApplication(context, fault, argv);
    assert.equal(first.status, 1, first.stdout + first.stderr);
    assert.match(
      first.stdout,
      /✗ a registration was not accepted\n {2}1\. user 1: a key exchange → .*"0000"\n {2}2\. user 1: a key exchange → .*\n {2}3\. user 1: a registration → .*\n {5}expected {2}code "0000"\n {5}because {3}.*latest key exchange/,
    );
    assert.match(first.stdout, /to repeat: authcli explore --seed test /);
    assert.doesNotMatch(first.stdout, /It passed twice with a new connection/);
    assert.match(first.stderr, /next: {2}authcli explore --replay \S+ --url .* --max-steps 12/);
    const saved = JSON.parse(read('authcli-explore-test.json'));
    valid(saved);
    assert.equal(saved.failures[0].kept_connection_only, false);
    const [, skipped] = /failures="1".* skipped="(\d+)"/.exec(read('report.xml')) ?? [];
    assert.equal(skipped, '10');

    const replay = ['--replay', path('authcli-explore-test.json'), '--json'];
    const again = await exploreApplication(context, fault, replay);
    const document = JSON.parse(again.stdout);
    valid(document);
    const [{ steps, flaky }] = document.failures;
    assert.deepEqual([again.status, flaky], [1, false]);
    assert.deepEqual(
      steps.map(({ operation, wrong }: Record<string, unknown>) => `${operation} ${wrong}`),
      ['key-exchange/valid false', 'key-exchange/valid false', 'registration/latest-key true'],
    );
    const fixed = await exploreApplication(context, [], replay);
    assert.deepEqual([fixed.status, JSON.parse(fixed.stdout).steps], [0, 3]);
  });

  it('says that a failure needs a kept connection', async (context) => {
    const argv = [...quick, '--seed', 'kept'];
    const { status, stdout } = await exploreApplication(context, ['connection-caches-key'], argv);
    assert.equal(status, 1, stdout);
    assert.match(stdout, /It passed twice with a new connection for each request/);
    const [failure] = JSON.parse(read('authcli-explore-kept.json')).failures;
    assert.equal(failure.kept_connection_only, true);
  });

  const saved = (failures: string) =>
    `{"schema":"authcli/explore/1","seed":"a","failures":[${failures}]}`;
  const replayed = (step: string) =>
    saved(`{"replay":{"users":[{"family":0,"variant":"plain"}],"rounds":[[${step}]]}}`);
  for (const [name, text] of Object.entries({
    'broken.json': '{',
    'verify.json': '{"schema":"authcli/verify/1"}',
    'passed.json': saved(''),
    'unknown.json': replayed('{"operation":"a/b","user":0}'),
    'beyond.json': replayed('{"operation":"key-exchange/valid","user":1}'),
  }))
    save(name, text);
  const list = ['--list', '--operations'];
  for (const [argv, expected, message] of [
    [['--runs', '1'], 3, /refused|Nothing listens/i],
    [[...list, 'registration'], 0, /\nregistration\/other-users-key +a registration with an/],
    [[...list, 'registratoin'], 2, /No operation matches "registratoin"/],
    [['--replay', path('broken.json')], 2, /not a failure of explore/],
    [['--replay', path('verify.json')], 2, /not a failure of explore/],
    [['--replay', path('passed.json')], 2, /contains no failure/],
    [['--replay', path('unknown.json')], 2, /has no operation "a\/b"/],
    [['--replay', path('beyond.json')], 2, /not a failure of explore/],
  ] as const) {
    it(`exits ${expected} for ${argv.join(' ')}`, async () => {
      const { status, stdout, stderr } = await explore(...nobody, ...argv);
      assert.equal(status, expected, stderr);
      assert.match(stdout + stderr, message);
      assert.doesNotMatch(stdout, /key-exchange\//);
    });
  }

  it('fails where none of the selected operations can be sent', async (context) => {
    const argv = ['--operations', 'registration/again', '--runs', '2'];
    const { status, stderr } = await exploreApplication(context, [], argv);
    assert.equal(status, 1);
    assert.match(stderr, /Nothing could be sent/);
  });

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
    const { status, stdout } = await cli(['explore', ...argv], { signal: controller.signal });
    const document = JSON.parse(stdout);
    valid(document);
    assert.deepEqual([status, document.interrupted, document.sequences > 0], [130, true, true]);
  });
});
