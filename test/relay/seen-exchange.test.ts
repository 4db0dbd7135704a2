import assert from 'node:assert/strict';
import { it } from 'node:test';
import { SeenExchange, SeenMessage } from '../../src/relay/seen-exchange.ts';

it('the time that the relay needs to make a key pair is not part of the duration', async () => {
  const head = { startLine: 'POST /callback HTTP/1.1', headers: [] };
  const exchange = new SeenExchange(new SeenMessage(head), 1000);
  exchange.heldMs = 700;
  exchange.endedAt = 1750;
  const { durationMs } = await exchange.captured('exchange 1', 'called');
  assert.equal(durationMs, 50);
});
