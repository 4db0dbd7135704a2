import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { verifyPlain, verifyUntrusted } from './off-loopback.ts';
import { newRun, troubles } from './support.ts';

describe('protocol/tls', () => {
  it('warns of a URL off loopback that is not https', async () => {
    const { checks, unreachable } = await verifyPlain();
    assert.equal(unreachable, undefined);
    assert.equal(checks[0]?.status, 'warned');
    assert.equal(checks[0]?.fault?.observed, 'http://');
  });

  it('names a certificate chain that is not valid', async () => {
    const { checks, unreachable } = await verifyUntrusted();
    assert.equal(checks[0]?.status, 'warned');
    assert.equal(checks[0]?.fault?.diagnosis?.code, 'tls-untrusted');
    assert.equal(unreachable?.code, 'tls-untrusted');
  });

  it('blames neither side where no response came for another reason', async () => {
    const url = new URL('http://127.0.0.1:1/');
    const result = await newRun(url, { check: ['protocol/tls'] }).start();
    assert.deepEqual(troubles(result), ['protocol/tls skipped No request got a response.']);
  });
});
