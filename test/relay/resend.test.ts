import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { WireRequest } from '../../src/client/exchange.ts';
import type { CapturedExchange, CapturedRequest } from '../../src/relay/capture.ts';
import type { RelayedExchange } from '../../src/relay/relay.ts';
import { Resender } from '../../src/relay/resend.ts';
import { memoryTransport } from '../support/memory-transport.ts';

const origins = { callback: 'http://127.0.0.1:8090', service: undefined };

const right: CapturedRequest = {
  method: 'POST',
  target: '/callback?shop=1&x=%2F',
  headers: [
    ['Host', 'shop.example.com'],
    ['Content-Type', 'application/json;charset=utf-8'],
    ['Content-Length', '17'],
    ['Connection', 'close'],
    ['X-Own', 'a'],
    ['X-Own', 'b'],
  ],
  body: Buffer.from('{"used_type":"1"}'),
};

function relayed(
  changes: Partial<CapturedRequest> = {},
  direction: RelayedExchange['direction'] = 'callback',
): RelayedExchange {
  const request = { ...right, ...changes };
  const exchange: CapturedExchange = { source: 'exchange 1', operation: 'key-exchange', request };
  const judgement = { ok: true, findings: [], diagnoses: [], secrets: [], texts: {} };
  return { exchange, judgement, direction, status: 200, faults: [] };
}

function newResender() {
  const sent: WireRequest[] = [];
  const inMemory = memoryTransport(() => ({ json: { code: '0000' } }));
  const send = (request: WireRequest) => {
    sent.push(request);
    return inMemory.send(request);
  };
  return { sent, resender: new Resender({ ...inMemory, send }, origins) };
}

describe('sending a relayed request again', () => {
  it('sends path, query, headers and body as they came, to the relay itself', async () => {
    const { sent, resender } = newResender();
    await resender.send(relayed());
    const [request] = sent;
    assert.equal(request?.url.href, 'http://127.0.0.1:8090/callback?shop=1&x=%2F');
    assert.deepEqual(request?.headers, [
      ['Content-Type', 'application/json;charset=utf-8'],
      ['X-Own', 'a'],
      ['X-Own', 'b'],
    ]);
    assert.equal(Buffer.from(request?.body ?? '').toString(), '{"used_type":"1"}');
  });

  const lacking: Readonly<Record<string, RelayedExchange>> = {
    'a body that was cut': relayed({ isCut: true }),
    'a body that was decoded': relayed({ headers: [['content-encoding', 'gzip']] }),
    'a path that a URL would change': relayed({ target: '/a/../callback' }),
    'a target of another host': relayed({ target: 'http://example.com/callback' }),
    'another method': relayed({ method: 'GET' }),
    'a direction that is not relayed': relayed({}, 'service'),
  };
  for (const [title, exchange] of Object.entries(lacking)) {
    it(`does not offer ${title}`, async () => {
      const { sent, resender } = newResender();
      assert.equal(resender.canSend(exchange), false);
      await resender.send(exchange);
      assert.deepEqual(sent, []);
    });
  }

  it('never leaves the relay, whatever the target looks like', async () => {
    const { sent, resender } = newResender();
    for (const target of ['//example.com/x', '/\\example.com', '/@example.com/', '/a#b', '', '*'])
      await resender.send(relayed({ target }));
    assert.ok(sent.every(({ url }) => url.origin === origins.callback));
  });

  it('recognizes what it sent, once each', async () => {
    const { resender } = newResender();
    const { exchange } = relayed();
    assert.equal(resender.claims(exchange), false);
    await resender.send(relayed());
    assert.equal(resender.claims(relayed({ body: Buffer.from('{}') }).exchange), false);
    assert.equal(resender.claims(relayed({ target: '/other' }).exchange), false);
    assert.equal(resender.claims(exchange), true);
    assert.equal(resender.claims(exchange), false);
  });
});
