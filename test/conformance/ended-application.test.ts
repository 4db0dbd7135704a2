import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Transport } from '../../src/client/transport.ts';
import { diagnosis } from '../../src/diagnosis/diagnosis.ts';
import { transportTo } from './directly.ts';
import { application, newRun } from './support.ts';

/** An application whose process ends at a public_key that isn't Base64. */
function endingTransport(now: () => number): Transport {
  const { send, close } = transportTo(application(), now);
  let isEnded = false;
  const failing = async (
    request: Parameters<Transport['send']>[0],
    failed: 'reset' | 'refused',
  ) => {
    const { response, ...exchange } = await send(request);
    return { ...exchange, failure: diagnosis(failed, 'No response.', '') };
  };
  return {
    close,
    send: (request) => {
      if (isEnded) return failing(request, 'refused');
      const { public_key: key = '' } = JSON.parse(`${Buffer.from(request.body)}`);
      isEnded = /[^\w+/=]/.test(key);
      return isEnded ? failing(request, 'reset') : send(request);
    },
  };
}

describe('an application that ends at a malformed request', () => {
  it('refuses nothing that was not sent, and is told which request ended it', async () => {
    const now = () => Date.UTC(2027, 0, 2);
    const check = ['key-exchange/rejects-bad-public-key', 'protocol/survives-bad-input'];
    const transport = endingTransport(now);
    const { checks } = await newRun(new URL('http://127.0.0.1/'), {
      check,
      transport,
      now,
    }).start();
    const [rejects, survives] = checks;
    assert.equal(rejects?.status, 'skipped');
    assert.match(rejects?.reason ?? '', /was not sent: .* accepts no connections any more\.$/);
    assert.equal(survives?.status, 'failed');
    assert.match(
      survives?.fault?.diagnosis?.message ?? '',
      /stopped accepting connections after .* public_key that is not Base64/,
    );
    assert.match(survives?.fault?.fix ?? '', /uncaught exception/);
  });
});
