import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checks as catalogue } from '../../src/conformance/catalogue.ts';
import { type CheckResult, type RunEvent, summarise } from '../../src/conformance/result.ts';
import { signinChecks } from '../../src/conformance/signin-catalogue.ts';
import { inventUsers } from '../../src/conformance/test-data.ts';
import { AuthcliError } from '../../src/errors.ts';
import { application, newRun, serve, troubles, verify } from './support.ts';

const success = 'key-exchange/answers-success';

const statuses = (checks: readonly CheckResult[]) =>
  checks.map(({ check, status }) => `${check.id} ${status}`);

describe('a run against the reference application', () => {
  it('passes every check, without a warning, and sends no more than it needs', async () => {
    const result = await verify(application());
    assert.deepEqual(troubles(result), []);
    assert.equal(result.checks.length, catalogue.length);
    assert.deepEqual(result.controls, []);
    assert.equal(result.unreachable, undefined);
    assert.ok(result.exchanges.length <= 140, `${result.exchanges.length} requests`);
  });

  it('names the check in every request, and begins every user code with authcli-', async () => {
    const endpoint = await serve(application());
    const result = await newRun(endpoint.url).start();
    await endpoint.close();
    const ids = new Set(catalogue.map(({ id }) => id));
    assert.equal(endpoint.requests.length, result.exchanges.length);
    const unnamed = endpoint.requests.filter(
      ({ headers: h }) => !ids.has(`${h['x-authcli-check']}`),
    );
    assert.deepEqual(unnamed, []);
    assert.ok(result.users.length > 30);
    for (const user of result.users) assert.match(user, /^authcli-/);
    assert.equal(new Set(result.users).size, result.users.length);
    // No user is registered twice without a key exchange between.
    const last = new Map<string, string>();
    for (const { body } of endpoint.requests) {
      const text = Buffer.from(body).toString();
      if (!text.endsWith('}')) continue;
      const { ptn_cd: user, used_type: usedType } = JSON.parse(text);
      assert.ok(!(usedType === '2' && last.get(user) === '2'), user);
      last.set(user, usedType);
    }
  });
});

describe('the selection of a run', () => {
  it('runs what the selected checks need, beside them', async () => {
    const check = ['registration/latest-key'];
    const { checks, controls } = await verify(application(), { check });
    assert.deepEqual(statuses(checks), ['registration/latest-key passed']);
    assert.deepEqual(statuses(controls), [
      'key-exchange/answers-success passed',
      'key-exchange/wraps-key passed',
      'registration/without-user-info passed',
    ]);
  });

  it('runs no check twice, however often it is selected and needed', async () => {
    const started: string[] = [];
    await verify(application(), {
      check: ['protocol/*', 'protocol/exact-user-code', success],
      emit: (event) => {
        if (event.type === 'check-started') started.push(event.check.id);
      },
    });
    assert.equal(new Set(started).size, started.length);
  });

  for (const { id } of catalogue) {
    it(`can run ${id} alone`, async () => {
      const { checks } = await verify(application(), { check: [id] });
      assert.deepEqual(statuses(checks), [`${id} passed`]);
    });
  }

  it('skips what its positive control does not allow to judge, with the reason', async () => {
    const check = ['registration/rejects-missing-passcode'];
    const { checks, controls } = await verify(application('refuses-user-info'), { check });
    assert.deepEqual(troubles({ checks }), [
      `${check} skipped needs registration/answers-success, which failed`,
    ]);
    assert.equal(controls.at(-1)?.status, 'failed');
  });

  it('names the check that failed where one that is needed was skipped for it', async () => {
    const check = ['registration/latest-key', 'key-exchange/key-sizes'];
    const { checks } = await verify(application('html'), { check });
    for (const { reason } of checks) assert.equal(reason, `needs ${success}, which failed`);
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
    assert.equal(checks[0]?.status, 'skipped');
    assert.match(checks[0]?.reason ?? '', /same request unmodified, was not accepted.*busy/);
  });
});

describe('a run that does not go to its end', () => {
  it('says that nothing responded at all', async () => {
    const { url, close } = await serve(application());
    await close();
    const { checks, unreachable, exchanges } = await newRun(url).start();
    assert.equal(unreachable?.code, 'refused');
    assert.equal(exchanges.length, 1);
    const { failed, skipped } = summarise(checks);
    assert.deepEqual({ failed, skipped }, { failed: 1, skipped: catalogue.length - 1 });
  });

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
    const negative = result.checks.filter(({ check }) => check.polarity === 'negative');
    for (const { status, check } of negative) {
      const expected = check.id === 'protocol/survives-bad-input' ? 'failed' : 'skipped';
      assert.equal(status, expected, check.id);
    }
  });

  it('ends after the first failure, where that is asked for', async () => {
    const { checks } = await verify(application('oaep-sha1'), { bail: true });
    const { passed, failed, skipped } = summarise(checks);
    assert.deepEqual([passed, failed, skipped], [2, 1, catalogue.length - 3]);
    assert.match(
      checks.at(-1)?.reason ?? '',
      /ended after the first failure, key-exchange\/wraps-key/,
    );
  });

  it('does not end after a failure that is known', async () => {
    const { checks } = await verify(application('oaep-sha1'), {
      bail: true,
      isKnown: ({ check }) => check.id === 'key-exchange/wraps-key',
    });
    assert.ok(summarise(checks).passed > 20);
  });

  it('keeps what ran when it is stopped', async () => {
    const controller = new AbortController();
    const endpoint = await serve(application());
    const stop = (event: RunEvent) => {
      if (event.type !== 'check-ended') return;
      if (event.result.check.id !== 'registration/answers-success') return;
      controller.abort(new AuthcliError('interrupted', 'Interrupted.'));
    };
    const run = newRun(endpoint.url, { signal: controller.signal, emit: stop });
    await run.start();
    await endpoint.close();
    const { checks, interrupted } = run.result();
    assert.equal(interrupted, true);
    for (const { status } of checks.slice(0, 3)) assert.equal(status, 'passed');
    assert.match(checks.at(-1)?.reason ?? '', /interrupted/);
  });
});

describe('the options of a run', () => {
  it('strict fails a should that is not met, which is a warning otherwise', async () => {
    const check = ['key-exchange/rejects-foreign-client'];
    const faults = application('accepts-foreign-client');
    assert.equal((await verify(faults, { check })).checks[0]?.status, 'warned');
    assert.equal((await verify(faults, { check, strict: true })).checks[0]?.status, 'failed');
  });

  it('a seed gives the same users and the same payloads, and another one others', async () => {
    const [first, second, other] = [await bodiesOf('a'), await bodiesOf('a'), await bodiesOf('b')];
    assert.deepEqual(first, second);
    assert.notDeepEqual(first, other);
  });
});

/** What the checks without a key of the application in their payloads send. */
async function bodiesOf(seed: string): Promise<readonly string[]> {
  const endpoint = await serve(application());
  const check = [
    'key-exchange/rejects-*',
    'protocol/rejects-*',
    'registration/rejects-unknown-user',
  ];
  await newRun(endpoint.url, { seed, users: inventUsers(seed), check }).start();
  await endpoint.close();
  const bodies = endpoint.requests.map(({ body }) => Buffer.from(body).toString());
  return bodies.filter((body) => !body.includes('"partner_sp"')).sort();
}

describe('the events of a run', () => {
  it('report every check and every exchange, and each secret before the exchange that contains it', async () => {
    const events: RunEvent[] = [];
    const result = await verify(application(), { emit: (event) => events.push(event) });
    const types = events.map(({ type }) => type);
    assert.equal(types[0], 'run-started');
    assert.equal(types.filter((type) => type === 'check-ended').length, catalogue.length);
    assert.equal(types.filter((type) => type === 'exchange').length, result.exchanges.length);
    assert.ok(types.filter((type) => type === 'secret').length > 50);
  });
});

describe('the catalogue', () => {
  const contract = `key-exchange/answers-success must, key-exchange/response-shape must, key-exchange/wraps-key must,
    key-exchange/key-length must, key-exchange/key-per-user must, key-exchange/key-is-random must,
    key-exchange/new-key-each-time must, key-exchange/plain-key-absent must, key-exchange/rotated-public-key must,
    key-exchange/key-sizes should, key-exchange/rejects-missing-field must, key-exchange/rejects-bad-public-key must,
    key-exchange/rejects-foreign-client should, registration/answers-success must, registration/without-user-info must,
    registration/response-shape must, registration/unicode-user-info must, registration/key-of-that-user must,
    registration/latest-key must, registration/rejects-missing-passcode must, registration/rejects-undecryptable must,
    registration/rejects-unknown-user must, registration/uses-iv must, protocol/rejects-unknown-used-type should, protocol/rejects-malformed-json should,
    protocol/survives-bad-input must, protocol/ignores-unknown-fields should, protocol/concurrent-signups must,
    protocol/exact-user-code must, protocol/json-content-type should, protocol/error-shape should,
    key-exchange/strict-base64 should, protocol/http-status should, protocol/response-time should, protocol/tls should`;

  it('has every check of the contract, at its level', () => {
    const there = new Set(catalogue.map(({ id, level }) => `${id} ${level}`));
    const missing = contract.split(/,\s*/).filter((entry) => !there.has(entry));
    assert.deepEqual(missing, []);
  });

  it('states a requirement in every title, with the word of its level', () => {
    for (const { id, title, level } of [...catalogue, ...signinChecks]) {
      assert.match(title, new RegExp(`^${level} [a-z].*[^.]$`), id);
      assert.ok(title.length <= 100, id);
    }
  });

  it('has no id twice, and what a check needs before it', () => {
    const ids = catalogue.map(({ id }) => id);
    assert.equal(new Set(ids).size, ids.length);
    const needed = catalogue.flatMap(({ needs }) => needs.filter((need) => need.includes('/')));
    for (const need of needed) assert.ok(ids.includes(need), need);
  });
});
