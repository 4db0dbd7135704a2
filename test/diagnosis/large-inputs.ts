import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseCipher } from '../../src/crypto/cipher-notation.ts';
import { readPrivateKey } from '../../src/crypto/key-reading.ts';
import { identifyCipher } from '../../src/diagnosis/cipher-identification.ts';
import { diagnosePayload } from '../../src/diagnosis/payload.ts';
import { diagnosePerUserKey } from '../../src/diagnosis/per-user-key.ts';
import { diagnoseWrappedKey } from '../../src/diagnosis/wrapped-key.ts';
import { fixture } from '../support/fixtures.ts';
import { cpuTimeOf, memoryInUse } from '../support/resources.ts';

/*
 * Hostile texts, large ones and the longest that are looked into: work that grows faster than they do
 * would exceed the bounds many times over.
 */

interface Size {
  readonly megabytes: number;
  /** The memory that a text of this size may take to be judged as a wrapped key. */
  readonly wrapMemory: number;
}

const key = 'Xq7vTn2RbLw9Zk4MdYc1Ge8HsJf5Pu3A';
const { key: privateKey } = readPrivateKey(fixture('keys/private.pkcs8.pem'));

/** Milliseconds: some five times what a slow processor takes, and far less than work that grows faster. */
const slowest = 5000;

/** Processor time, and memory: what was allocated since the last collection, and what is retained. */
function measure(work: () => void): { cpuMs: number; allocated: number; retained: number } {
  const before = memoryInUse();
  const cpuMs = cpuTimeOf(work);
  const { heapUsed, external } = process.memoryUsage();
  return { cpuMs, allocated: heapUsed + external - before, retained: memoryInUse() - before };
}

/** Tests every diagnosis of a text with texts of this size. */
export function diagnosesLargeInputs({ megabytes, wrapMemory }: Size): void {
  const bytes = megabytes * 1_000_000;
  // What is decrypted under every cipher takes up to a second on a slow processor, and leaves up to 10 MB, for each megabyte.
  const [decryptionMs, decryptionMemory] = [megabytes * slowest, megabytes * 10_000_000];

  describe(`a hostile text of ${megabytes} MB`, () => {
    for (const piece of [
      'A',
      '=',
      ' ',
      '\n',
      '9',
      'f',
      '"',
      '[',
      '\\',
      '%2B',
      '\ufffd',
      '-',
      'é',
    ]) {
      it(`is soon no wrapped key, in little memory: ${JSON.stringify(piece)}`, () => {
        for (const length of [bytes, 65_000]) {
          const filler = piece.repeat(length / piece.length);
          for (const text of [filler, `${filler}!`, `"${filler}"`]) {
            const { cpuMs, allocated } = measure(() =>
              assert.equal(diagnoseWrappedKey(text, { privateKey }).ok, false),
            );
            const used = `${length}: ${cpuMs} ms, ${allocated} bytes`;
            assert.ok(cpuMs < slowest && allocated < wrapMemory, used);
          }
        }
      });
    }

    for (const piece of ['%2B', '"', 'A ']) {
      it(`is soon no payload: ${piece}`, () => {
        const payload = piece.repeat(bytes / piece.length);
        const cipher = parseCipher('default');
        const cpuMs = cpuTimeOf(() => diagnosePayload(payload, key, { cipher }));
        assert.ok(cpuMs < decryptionMs, `${cpuMs} ms`);
      });
    }

    for (const piece of ['7', 'QUJD', 'A ', '[', '=']) {
      it(`soon has no cipher, in little memory: ${piece}`, () => {
        const payload = piece.repeat(bytes / piece.length);
        const { cpuMs, retained } = measure(() => {
          identifyCipher([payload], key);
          identifyCipher([payload], key, { knownPlaintext: payload });
        });
        const used = `${cpuMs} ms, ${retained} bytes`;
        assert.ok(cpuMs < decryptionMs && retained < decryptionMemory, used);
      });
    }

    for (const piece of ['a', '\n', '"', '\0', 'é', '=', 'a\n']) {
      it(`is soon no per-user key: ${JSON.stringify(piece)}`, () => {
        for (const text of [piece.repeat(bytes), `${piece.repeat(1800)}x`]) {
          const message = Buffer.from(text);
          const cpuMs = cpuTimeOf(() =>
            assert.notDeepEqual(diagnosePerUserKey(message).diagnoses, []),
          );
          assert.ok(cpuMs < slowest, `${cpuMs} ms`);
        }
      });
    }
  });
}
