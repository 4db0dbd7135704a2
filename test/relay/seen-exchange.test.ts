import assert from 'node:assert/strict';
import { it } from 'node:test';
import { SeenExchange } from '../../src/relay/seen-exchange.ts';

it('the time that the relay needs to make a key pair is not part of the duration', async () => {
  const request = { method: 'POST', target: '/callback', headers: [] };
  const exchange = new SeenExchange(request, 1000);
  exchange.heldMs = 700;
  exchange.endedAt = 1750;
  const { durationMs } = await exchange.captured('exchange 1', 'called');
  assert.equal(durationMs, 50);
});
