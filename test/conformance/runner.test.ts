import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checks as catalogue } from '../../src/conformance/catalogue.ts';
import { type CheckResult, type RunEvent, summarise } from '../../src/conformance/result.ts';
import { application, newRun, serve, troubles, verify, verifyDirectly } from './support.ts';

const success = 'key-exchange/answers-success';

const statuses = (checks: readonly CheckResult[]) =>
  checks.map(({ check, status }) => `${check.id} ${status}`);

it('the reference application passes every check, with no more requests than are needed', async () => {
  const endpoint = await serve(application());
  const events: RunEvent[] = [];
  const result = await newRun(endpoint.url, { emit: (event) => events.push(event) }).start();
  await endpoint.close();
  const { checks, controls, unreachable, exchanges, users } = result;
  assert.deepEqual([troubles(result), controls, unreachable], [[], [], undefined]);
  assert.equal(checks.length, catalogue.length);
  assert.ok(exchanges.length <= 155, `${exchanges.length} requests`);
  assert.equal(endpoint.requests.length, exchanges.length);

  const countOf = (type: RunEvent['type']) => events.filter((event) => event.type === type).length;
  assert.equal(events[0]?.type, 'run-started');
  assert.equal(countOf('check-ended'), catalogue.length);
  assert.equal(countOf('exchange'), exchanges.length);
  assert.ok(countOf('secret') > 50);

  const ids = new Set(catalogue.map(({ id }) => id));
  for (const { headers } of endpoint.requests) assert.ok(ids.has(`${headers['x-authcli-check']}`));
  assert.ok(users.length > 30 && users.some((user) => /^authcli-[0-9a-z]{9}$/.test(user)));
  assert.equal(new Set(users).size, users.length);
  // No user is registered twice without a key exchange between.
  const last = new Map<string, string>();
  for (const text of endpoint.requests.map(({ body }) => `${Buffer.from(body)}`)) {
    if (!text.endsWith('}')) continue;
    const { ptn_cd: user, used_type: usedType } = JSON.parse(text);
    assert.ok(!(usedType === '2' && last.get(user) === '2'), user);
    last.set(user, usedType);
  }
});

describe('the selection of a run', () => {
  it('runs what the selected checks need, beside them, and each once', async () => {
    const check = ['registration/latest-key', 'registration/latest-*'];
    const { checks, controls } = await verify(application(), { check });
    assert.deepEqual(statuses(checks), ['registration/latest-key passed']);
    assert.deepEqual(statuses(controls), [
      'key-exchange/answers-success passed',
      'key-exchange/wraps-key passed',
      'registration/without-user-info passed',
    ]);
  });

  for (const { id } of catalogue) {
    it(`can run ${id} alone`, async () => {
      const { checks } = await verifyDirectly(application(), { check: [id] });
      assert.deepEqual(statuses(checks), [`${id} passed`]);
    });
  }

  it('names the check that failed where one that is needed was skipped for it', async () => {
    const check = ['registration/latest-key', 'key-exchange/key-sizes'];
    const { checks } = await verify(application('html'), { check });
    for (const { reason } of checks) assert.equal(reason, `It needs ${success}, which failed.`);
  });

  it('skips a wrong request whose own control is not accepted', async () => {
    let exchanges = 0;
    const app = application();
    const { checks } = await verify(
      async (request) => {
        exchanges += 1;
        const response = await app(request);
        if (exchanges === 1) return response;
        return { ...response, body: Buffer.from('{"code":"9999","message":"busy"}') };
      },
      { check: ['key-exchange/rejects-bad-public-key'] },
    );
    const [found] = troubles({ checks });
    assert.match(`${found}`, / incomplete .*same request unmodified, was not accepted.*busy/);
  });
});

describe('a run that does not go to its end', () => {
  it('counts a valid request without a response as a failure, once the endpoint has responded', async () => {
    let requests = 0;
    const app = application();
    const result = await verify(async (request) => {
      requests += 1;
      const response = await app(request);
      return requests > 12 ? { ...response, delivery: { breakOff: 'reset' } } : response;
    });
    assert.equal(result.unreachable, undefined);
    const failed = result.checks.filter(({ status }) => status === 'failed');
    assert.notEqual(failed.length, 0);
    for (const { fault } of failed) assert.equal(fault?.diagnosis?.code, 'reset');
    for (const { status, check } of result.checks) {
      const expected = check.id === 'protocol/survives-bad-input' ? /failed/ : /skip|incomplete/;
      if (check.polarity === 'negative') assert.match(status, expected, check.id);
    }
  });

  it('ends after the first failure where that is asked for, unless the failure is known', async () => {
    const { checks } = await verify(application('oaep-sha1'), { bail: true });
    const { passed, failed, skipped } = summarise(checks);
    assert.deepEqual([passed, failed, skipped], [2, 1, catalogue.length - 3]);
    const ended = /ended after the first failure, key-exchange\/wraps-key/;
    assert.match(checks.at(-1)?.reason ?? '', ended);
    const knownFailures = [{ check: 'key-exchange/wraps-key', reason: 'old' }];
    const known = await verify(application('oaep-sha1'), { bail: true, knownFailures });
    assert.ok(summarise(known.checks).passed > 20);
  });
});

describe('the options of a run', () => {
  it('a seed gives the same users and the same payloads, and another one others', async () => {
    const group = ['key-exchange', 'protocol'].map((name) => `${name}/rejects-*`);
    const check = [...group, 'registration/rejects-unknown-user'];
    const bodiesOf = async (seed: string) => {
      const endpoint = await serve(application());
      await newRun(endpoint.url, { seed, check }).start();
      await endpoint.close();
      const bodies = endpoint.requests.map(({ body }) => Buffer.from(body).toString());
      // Without those that depend on a key of the application, and the key pairs.
      const own = bodies.filter((body) => !body.includes('"partner_sp"'));
      return own.map((body) => body.replace(/"MII[^"]*"/, '')).sort();
    };
    const [first, second, other] = [await bodiesOf('a'), await bodiesOf('a'), await bodiesOf('b')];
    assert.deepEqual(first, second);
    assert.notDeepEqual(first, other);
  });
});

describe('the catalogue', () => {
  it('has no id twice, and what a check needs before it', () => {
    const ids = catalogue.map(({ id }) => id);
    assert.equal(new Set(ids).size, ids.length);
    const needed = catalogue.flatMap(({ needs }) => needs.filter((need) => need.includes('/')));
    for (const need of needed) assert.ok(ids.includes(need), need);
  });
});
