import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { addressCases } from './connections/addresses.ts';
import { proxyCases, redirectCases } from './connections/proxies.ts';
import { tlsCases } from './connections/tls.ts';
import { tryCases } from './connections.ts';

/* Every other way of connecting; all of them, and peers of other makers, in `npm run hardening`. */
describe('connections', () => {
  it('are made and refused as they must be', async () => {
    const all = [...tlsCases, ...proxyCases, ...redirectCases, ...(await addressCases())];
    const { tried, failures } = await tryCases(all.filter((_, index) => index % 2 === 0));
    assert.deepEqual(failures, []);
    assert.ok(tried >= 40, String(tried));
  });
});
