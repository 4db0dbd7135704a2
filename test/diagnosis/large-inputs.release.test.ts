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
/** What is decrypted under every cipher may leave 10 MB for each megabyte. */
const mostMemory = megabytes * 10_000_000;
/** How often the processor time of a tenth may be that of the whole, on any processor: quadratic work takes 100 times it. */
const mostGrowth = 25;
/** Milliseconds that no text is too short for. */
const startMs = 10;

const key = 'Xq7vTn2RbLw9Zk4MdYc1Ge8HsJf5Pu3A';
const { key: privateKey } = readPrivateKey(fixture('keys/private.pkcs8.pem'));
const cipher = parseCipher('default');

const signs = [...'A= \n9f"[\\-é\0\ufffd', '%2B', 'a\n'];
const works: readonly (readonly [what: string, pieces: string[], (text: string) => unknown])[] = [
  ['wrapped key', signs, (text) => diagnoseWrappedKey(text, { privateKey })],
  ['per-user key', signs, (text) => diagnosePerUserKey(Buffer.from(text))],
  ['payload', ['%2B', '"', 'A '], (text) => diagnosePayload(text, key, { cipher })],
  [
    'payload to identify',
    ['7', 'QUJD', 'A ', '[', '='],
    (text) => {
      identifyCipher([text], key);
      identifyCipher([text], key, { knownPlaintext: text });
    },
  ],
];

for (const [what, pieces, work] of works) {
  const isKey = what.endsWith(' key');
  describe(`a hostile text of ${megabytes} MB for a ${what}`, () => {
    for (const piece of pieces) {
      it(`takes little time and memory: ${JSON.stringify(piece)}`, () => {
        const fill = (size: number) => piece.repeat(size / piece.length);
        const [tenth, whole] = [fill(megabytes * 100_000), fill(megabytes * 1_000_000)];
        const tenthMs = cpuTimeOf(() => work(tenth));
        for (const text of [whole, `${whole}!`, `"${whole}"`]) {
          const before = memoryInUse();
          const cpuMs = cpuTimeOf(() => work(text));
          const { heapUsed, external } = process.memoryUsage();
          // What is no key is seen without garbage, too.
          const used = (isKey ? heapUsed + external : memoryInUse()) - before;
          assert.ok(cpuMs < mostGrowth * (tenthMs + startMs), `${tenthMs} ms, then ${cpuMs} ms`);
          assert.ok(used < mostMemory, `${used} bytes`);
        }
        if (!isKey) return;
        for (const text of [`${fill(65_000)}!`, `"${fill(65_000)}"`, `${fill(3600)}x`]) {
          const cpuMs = cpuTimeOf(() => work(text));
          assert.ok(cpuMs < 1000, `${cpuMs} ms`);
        }
      });
    }
  });
}
