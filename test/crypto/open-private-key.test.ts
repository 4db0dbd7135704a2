import assert from 'node:assert/strict';
import { createPrivateKey, generateKeyPairSync } from 'node:crypto';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { openPrivateKey } from '../../src/crypto/open-private-key.ts';
import { readPrivateKey } from '../../src/crypto/private-key.ts';
import { exportPrivateKey, exportPublicKey } from '../../src/crypto/rsa-key.ts';
import { fixture, fixtureBytes } from '../support/fixtures.ts';

type Reading = ReturnType<typeof readPrivateKey>;

/** What comes of a text, as something that can be compared. */
async function outcomeOf(read: () => Reading | Promise<Reading>): Promise<unknown> {
  try {
    const { key, notes } = await read();
    const { modulusBits, modulusBytes, publicKey } = key;
    const halves = [exportPrivateKey(key), exportPublicKey(publicKey)];
    return { halves, notes, modulusBits, modulusBytes, e: publicKey.publicExponent };
  } catch (error) {
    return String(error);
  }
}

async function sameAsReading(text: string | Uint8Array): Promise<void> {
  assert.deepEqual(
    await outcomeOf(() => openPrivateKey(text)),
    await outcomeOf(() => readPrivateKey(text)),
  );
}

const pkcs8 = fixture('keys/private.pkcs8.pem');

function pemOf(der: Uint8Array): string {
  const lines =
    Buffer.from(der)
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return ['-----BEGIN PRIVATE KEY-----', ...lines, '-----END PRIVATE KEY-----', ''].join('\n');
}

describe('openPrivateKey finds what readPrivateKey finds', () => {
  const files = readdirSync('fixtures/keys', { recursive: true, encoding: 'utf8' }).filter((name) =>
    statSync(join('fixtures/keys', name)).isFile(),
  );
  it('has keys of all forms to read', () => assert.ok(files.length > 20));
  for (const name of files) {
    it(`in ${name}`, () => sameAsReading(fixtureBytes(`keys/${name}`)));
  }

  for (const [modulusLength, publicExponent] of [
    [1024, 3],
    [2048, 65537],
    [3072, 65537],
  ] as const) {
    it(`in a key of ${modulusLength} bits with the exponent ${publicExponent}`, async () => {
      const { privateKey } = generateKeyPairSync('rsa', { modulusLength, publicExponent });
      await sameAsReading(privateKey.export({ type: 'pkcs8', format: 'pem' }) as string);
    });
  }

  it('in a plain key with any of its characters changed', async () => {
    for (let at = 0; at < pkcs8.length; at += 7) {
      const other = pkcs8[at] === 'B' ? 'C' : 'B';
      await sameAsReading(pkcs8.slice(0, at) + other + pkcs8.slice(at + 1));
    }
  });

  it('in a plain key with any of its characters missing or added', async () => {
    for (let at = 0; at < pkcs8.length; at += 13) {
      await sameAsReading(pkcs8.slice(0, at) + pkcs8.slice(at + 1));
      await sameAsReading(`${pkcs8.slice(0, at)}A${pkcs8.slice(at)}`);
    }
  });

  const der = createPrivateKey(pkcs8).export({ type: 'pkcs8', format: 'der' });
  it('in DER with any of its first bytes changed', async () => {
    for (let at = 0; at < 60; at += 1) {
      for (const value of [0, 1, 2, 0x30, 0x7f, 0x80, 0x84, 0xff]) {
        const changed = Buffer.from(der);
        changed[at] = value;
        await sameAsReading(pemOf(changed));
      }
    }
  });

  it('in DER that is cut off, or that goes on', async () => {
    await sameAsReading(pemOf(der.subarray(0, -1)));
    await sameAsReading(pemOf(Buffer.concat([der, Buffer.of(0)])));
    await sameAsReading(pemOf(Buffer.concat([der, Buffer.from('0500', 'hex')])));
  });

  for (const text of ['', 'x'.repeat(100_000), pkcs8.repeat(20), '-----BEGIN PRIVATE KEY-----\n']) {
    it(`in a text of ${text.length} characters that is none`, () => sameAsReading(text));
  }
});
