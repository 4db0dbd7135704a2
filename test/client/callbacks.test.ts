import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { generateKeyPair } from '../../src/client/key-pair.ts';
import { exchangeKey, register } from '../../src/client/signup.ts';
import { exportPublicKey } from '../../src/crypto/rsa-key.ts';
import { Secret } from '../../src/crypto/secret.ts';
import { AuthcliError } from '../../src/errors.ts';
import { withTransport } from '../support/client.ts';
import { applicationKey, startApplication } from '../support/peer-application.ts';
import { inputFor, nextKeyPair } from './signups.ts';

describe('exchangeKey', () => {
  it('knows a key that was wrapped with an earlier public key', async () => {
    const earlier = await nextKeyPair(2048);
    const spki = exportPublicKey(earlier.publicKey);
    const application = await startApplication();
    const other = await startApplication({
      respond: (_, right) => right,
    });
    const wrapped = await withTransport({}, (transport) =>
      exchangeKey(transport, inputFor(application.url, { keyPair: earlier })),
    );
    assert.equal(wrapped.key?.reveal(), applicationKey);
    const stale = await startApplication({ respond: () => JSON.stringify(wrapped.reading?.json) });
    const outcome = await withTransport({}, (transport) =>
      exchangeKey(transport, { ...inputFor(stale.url), earlierKeyPairs: [earlier] }),
    );
    assert.equal(outcome.ok, false);
    assert.equal(outcome.diagnosis?.code, 'earlier-public-key');
    assert.equal(application.calls[0]?.public_key, spki);
    await Promise.all([application.close(), other.close(), stale.close()]);
  });
});

describe('register', () => {
  it('registers with a key that is known', async () => {
    const application = await startApplication();
    const outcome = await withTransport({}, (transport) =>
      register(transport, { ...inputFor(application.url), key: Secret.key(applicationKey) }),
    );
    await application.close();
    assert.ok(outcome.ok);
    assert.equal(outcome.usedType, '2');
    assert.equal(application.decrypted.partnerSp, 'pässcode-42');
  });

  it('refuses a key that the cipher can’t use, and sends nothing', async () => {
    const application = await startApplication();
    const run = withTransport({}, (transport) =>
      register(transport, { ...inputFor(application.url), key: Secret.key('short') }),
    );
    await assert.rejects(run, (error) => {
      assert.ok(error instanceof AuthcliError);
      assert.equal(error.code, 'usage');
      assert.match(error.message, /key can't be used with this cipher/);
      return true;
    });
    assert.equal(application.connections(), 0);
    await application.close();
  });
});

describe('generateKeyPair', () => {
  it('makes keys of the size that is asked for, off the main thread', async () => {
    let ticks = 0;
    const timer = setInterval(() => {
      ticks += 1;
    }, 1);
    const pairs = await Promise.all([generateKeyPair(), generateKeyPair(3072)]);
    clearInterval(timer);
    assert.deepEqual(
      pairs.map((pair) => [pair.modulusBits, pair.publicKey.publicExponent]),
      [
        [2048, 65537n],
        [3072, 65537n],
      ],
    );
    assert.ok(ticks > 0);
  });
});
