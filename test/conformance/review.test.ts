import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Transport } from '../../src/client/exchange.ts';
import { diagnosis } from '../../src/diagnosis/diagnosis.ts';
import {
  application,
  applicationWith,
  newRun,
  transportTo,
  troubles,
  verify,
  verifyDirectly,
} from './support.ts';

/*
 * Checks that review a run come after the malformed requests: an application that doesn't survive
 * those is not blamed for more than that.
 */

const newKey = 'key-exchange/new-key-each-time';
const missingField = 'key-exchange/rejects-missing-field';

describe('a review of an application that has died of bad input', () => {
  it('skips new-key-each-time if no user was given two keys, and blames nothing', async () => {
    const check = [missingField, newKey, 'key-exchange/plain-key-absent'];
    const result = await verify(application('dies-of-bad-input'), { check });
    assert.deepEqual(troubles(result), [
      `${newKey} incomplete No user was given two keys: the application accepts no key exchange any more.`,
    ]);
  });

  it('judges it by the keys from before', async () => {
    const check = ['registration/latest-key', missingField, newKey];
    assert.deepEqual(troubles(await verify(application('dies-of-bad-input'), { check })), []);
    const result = await verify(application('dies-of-bad-input', 'key-repeated'), { check });
    assert.ok(troubles(result).includes(`${newKey} failed key-repeated`), `${troubles(result)}`);
  });

  it('names the request that ended it, and calls nothing refused or slow that was not sent', async () => {
    const now = () => Date.UTC(2027, 0, 2);
    const others = ['protocol/survives-bad-input', 'protocol/response-time'];
    const check = ['key-exchange/rejects-bad-public-key', ...others];
    const changes = { check, transport: endingTransport(now), now };
    const run = newRun(new URL('http://127.0.0.1/'), changes);
    const [rejects, survives, time] = (await run.start()).checks;
    assert.equal(time?.status, 'passed');
    assert.equal(rejects?.status, 'incomplete');
    assert.match(`${rejects.reason}`, /was not sent: .* accepts no connections any more\.$/);
    assert.equal(survives?.status, 'failed');
    const { diagnosis: found, fix = '' } = survives.fault ?? {};
    assert.match(`${found?.message}`, /stopped accepting .* public_key that is not Base64/);
    assert.match(fix, /uncaught exception/);
  });
});

for (const check of [[newKey], [missingField, newKey]]) {
  it(`${newKey} fails where the second key exchange of a user is refused: ${check}`, async () => {
    const refused = { name: '', code: '9001', message: 'exists', fix: '', status: 200 };
    const users = new Set<string>();
    const once = applicationWith({
      refusal: (right, { operation, ptnCd = '' }) => {
        if (right || operation !== 'key-exchange') return right;
        const isSecond = users.has(ptnCd);
        users.add(ptnCd);
        return isSecond ? refused : undefined;
      },
    });
    const result = await verifyDirectly(once, { check });
    assert.deepEqual(troubles(result), [`${newKey} failed code-not-success`]);
  });
}

it('protocol/tls blames neither side where no response came for another reason', async () => {
  const result = await newRun(new URL('http://127.0.0.1:1/'), { check: ['protocol/tls'] }).start();
  assert.deepEqual(troubles(result), ['protocol/tls skipped No request got a response.']);
});

/** To an application whose process ends at a public_key that isn't Base64. */
function endingTransport(now: () => number): Transport {
  const { send, close } = transportTo(application(), now);
  let isEnded = false;
  return {
    close,
    send: async (request) => {
      const wasEnded = isEnded;
      isEnded ||= /[^\w+/=]/.test(JSON.parse(`${Buffer.from(request.body)}`).public_key ?? '');
      const { response, ...exchange } = await send(request);
      if (!isEnded) return { ...exchange, response };
      const failure = diagnosis(wasEnded ? 'refused' : 'reset', 'No response.', '');
      return { ...exchange, durationMs: 5000, failure };
    },
  };
}
