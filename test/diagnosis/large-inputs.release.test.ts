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
 * Hostile texts, large ones and the longest that are inspected: work that grows faster than they do
 * would exceed the bounds many times over.
 */

const megabytes = 10;
const bytes = megabytes * 1_000_000;
/** The memory that a text may take to be judged as a wrapped key. */
const wrapMemory = 100_000_000;
/** What is decrypted under every cipher may leave 10 MB for each megabyte. */
const decryptionMemory = megabytes * 10_000_000;

const key = 'Xq7vTn2RbLw9Zk4MdYc1Ge8HsJf5Pu3A';
const { key: privateKey } = readPrivateKey(fixture('keys/private.pkcs8.pem'));

/** How often the processor time of a tenth may be that of the whole, on any processor: quadratic work takes 100 times it. */
const mostGrowth = 25;
/** Milliseconds that no text is too short for. */
const startMs = 10;

/** Processor time, and memory: what was allocated since the last collection, and what is retained. */
function measure(work: () => void): { cpuMs: number; allocated: number; retained: number } {
  const before = memoryInUse();
  const cpuMs = cpuTimeOf(work);
  const { heapUsed, external } = process.memoryUsage();
  return { cpuMs, allocated: heapUsed + external - before, retained: memoryInUse() - before };
}

/** The processor time of a text may be that of its tenth many times, but not a hundred times. */
function assertGrowsSlowly(tenthMs: number, wholeMs: number): void {
  assert.ok(wholeMs < mostGrowth * (tenthMs + startMs), `${tenthMs} ms, then ${wholeMs} ms`);
}

const ofSize = (piece: string, size = bytes) => piece.repeat(size / piece.length);

describe(`a hostile text of ${megabytes} MB`, () => {
  for (const piece of ['A', '=', ' ', '\n', '9', 'f', '"', '[', '\\', '%2B', '\ufffd', '-', 'é']) {
    it(`is soon no wrapped key, in little memory: ${JSON.stringify(piece)}`, () => {
      for (const filler of [ofSize(piece), ofSize(piece, 65_000)]) {
        for (const text of [filler, `${filler}!`, `"${filler}"`]) {
          const { cpuMs, allocated } = measure(() =>
            assert.equal(diagnoseWrappedKey(text, { privateKey }).ok, false),
          );
          const used = `${text.length}: ${cpuMs} ms, ${allocated} bytes`;
          assert.ok(cpuMs < 1000 && allocated < wrapMemory, used);
        }
      }
    });
  }

  for (const piece of ['%2B', '"', 'A ']) {
    it(`is soon no payload: ${piece}`, () => {
      const cipher = parseCipher('default');
      const diagnose = (text: string) => cpuTimeOf(() => diagnosePayload(text, key, { cipher }));
      assertGrowsSlowly(diagnose(ofSize(piece, bytes / 10)), diagnose(ofSize(piece)));
    });
  }

  for (const piece of ['7', 'QUJD', 'A ', '[', '=']) {
    it(`soon has no cipher, in little memory: ${piece}`, () => {
      const identify = (payload: string) =>
        measure(() => {
          identifyCipher([payload], key);
          identifyCipher([payload], key, { knownPlaintext: payload });
        });
      const tenth = identify(ofSize(piece, bytes / 10));
      const whole = identify(ofSize(piece));
      assertGrowsSlowly(tenth.cpuMs, whole.cpuMs);
      assert.ok(whole.retained < decryptionMemory, `${whole.retained} bytes`);
    });
  }

  for (const piece of ['a', '\n', '"', '\0', 'é', '=', 'a\n']) {
    it(`is soon no per-user key: ${JSON.stringify(piece)}`, () => {
      for (const text of [piece.repeat(bytes), `${piece.repeat(1800)}x`]) {
        const message = Buffer.from(text);
        const cpuMs = cpuTimeOf(() =>
          assert.notDeepEqual(diagnosePerUserKey(message).diagnoses, []),
        );
        assert.ok(cpuMs < 1000, `${cpuMs} ms`);
      }
    });
  }
});
