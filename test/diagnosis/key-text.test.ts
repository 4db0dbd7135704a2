import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fingerprintOfKey } from '../../src/crypto/secret.ts';
import { inspectKeyText } from '../../src/diagnosis/key-text.ts';
import { fixture, fixtureBytes, fixtureRows } from '../support/fixtures.ts';

const base64 = fixture('keys/public.spki.base64');
const rsa = { algorithm: 'rsa', bits: 2048, fingerprint: 'sha256:c1448d2cecf8' } as const;

describe('inspectKeyText', () => {
  it('knows what a key is, and what can be sent', () => {
    type Row = readonly [path: string, kind: string, encoding: string, usable: boolean];
    for (const [path, kind, encoding, usable] of fixtureRows<Row>('readings/key-kinds.jsonl')) {
      const inspection = inspectKeyText(fixtureBytes(`keys/${path}`));
      const { notes, ...rest } = inspection;
      assert.deepEqual(rest, { kind, ...rsa, encoding, usable }, path);
    }
    assert.deepEqual(inspectKeyText(`${base64}\n`).notes, []);
  });

  it("says why another key can't be used", () => {
    type Row = readonly [path: string, kind: string, algorithm: string | null, note: string];
    for (const [path, kind, algorithm, note] of fixtureRows<Row>('readings/keys-unusable.jsonl')) {
      const inspection = inspectKeyText(fixture(`keys/${path}`));
      const found = [inspection.kind, inspection.algorithm ?? null, inspection.usable];
      assert.deepEqual(found, [kind, algorithm, false], path);
      assert.match(inspection.notes.join('\n'), new RegExp(note));
    }
    const small = inspectKeyText(fixture('wraps/small.public.pem'));
    assert.deepEqual([small.usable, small.bits], [true, 1024]);
    assert.deepEqual(small.notes, ['1024 bits are fewer than the 2048 that are usual today']);
  });

  it('takes 32 characters for a per-user key', () => {
    for (const [key, notes] of [
      ['peyo30eJy6lEHn03nLgvLWt3PQcP567c', 0],
      [`{"'[<%41;:,.|~^_=+-*&#@!?>]'"}\\/`, 0],
      ['peyo30eJy6lEHn03 LgvLWt3PQcP567c', 1],
      ['열쇠'.repeat(16), 1],
    ] as const) {
      const inspection = inspectKeyText(`${key}\n`);
      const found = [inspection.kind, inspection.fingerprint, inspection.notes.length];
      assert.deepEqual(found, ['per-user-key', fingerprintOfKey(key), notes]);
    }
  });

  it('says what another length may come from', () => {
    type Row = readonly [text: string, note: string];
    for (const [text, note] of fixtureRows<Row>('readings/key-lengths.jsonl')) {
      const { kind, notes } = inspectKeyText(text);
      assert.equal(kind, 'unknown');
      assert.match(notes.join('\n'), new RegExp(note));
    }
  });

  it('takes as many bytes as RSA gives for a wrapped key', () => {
    const kindOf = (size: number) => inspectKeyText(Buffer.alloc(size, 0xa7).toString('hex')).kind;
    const kinds = [128, 256, 384, 512, 257].map(kindOf);
    assert.deepEqual(kinds, [...new Array<string>(4).fill('wrapped-key'), 'unknown']);
    const { notes } = inspectKeyText(Buffer.alloc(256, 0xa7).toString('base64'));
    assert.match(notes[0] ?? '', /256 bytes, the size of a ciphertext under RSA with 2048 bits/);
  });
});
