import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { after, describe, it } from 'node:test';
import { briefCipher, formatCipher, parseCipher } from '../../src/crypto/cipher-notation.ts';
import { decryptionCalls } from '../../src/diagnosis/decryption-calls/index.ts';
import type { Diagnosis, Stack } from '../../src/errors.ts';
import { type Change, type Example, withExample } from './example-application.ts';

/*
 * The applications of examples/ with another decryption, each a process of its own, against `authcli
 * cipher probe` as it is installed.
 */

interface ProbedVariant {
  readonly title: string;
  readonly changes: readonly Change[];
  readonly needs?: string;
  /** The ciphers that are accepted, the one that is named first. */
  readonly accepted: readonly string[];
}

interface Probed {
  readonly cipher: string | null;
  readonly accepted: readonly string[];
  readonly notes: readonly string[];
  readonly diagnosis?: Diagnosis;
}

const configured = parseCipher('aes-256-cbc');

/** Tests that what each variant decrypts is found, and weighed against AES-256-CBC with the IV in front. */
export function describeProbes(
  title: string,
  stack: Stack,
  example: Example,
  variants: readonly ProbedVariant[],
): void {
  describe(title, () => {
    mkdirSync('test-artifacts', { recursive: true });
    const scratch = mkdtempSync(resolve('test-artifacts', 'probed-'));
    after(() => rmSync(scratch, { recursive: true, force: true }));
    for (const { title: what, changes, needs, accepted } of variants) {
      it(`decrypts with ${what}, which cipher probe finds`, async () => {
        const variation = { changes, ...(needs && { needs }) };
        const found = await withExample(example, scratch, variation, (url) =>
          probe(`${url}/callback`, scratch),
        );
        const [first = ''] = accepted;
        assert.deepEqual(found.accepted, accepted.map(canonical), JSON.stringify(found));
        assert.equal(found.cipher, canonical(first));
        assertWeighed(found.diagnosis, first, stack);
      });
    }
  });
}

function assertWeighed(found: Diagnosis | undefined, cipher: string, stack: Stack): void {
  const theirs = parseCipher(cipher);
  if (formatCipher(theirs) === formatCipher(configured)) {
    assert.equal(found, undefined);
    return;
  }
  assert.equal(found?.code, 'cipher-mismatch');
  const [before, after] = [briefCipher(theirs, configured), briefCipher(configured, theirs)];
  assert.equal(
    found.message,
    `The application decrypts ${before}; authcli (the default) sends ${after}.`,
  );
  assert.equal(found.calls[stack], decryptionCalls(configured)[stack]);
}

function canonical(cipher: string): string {
  return formatCipher(parseCipher(cipher));
}

function probe(url: string, folder: string): Promise<Probed> {
  const config = ['--config', join(folder, 'config.json')];
  const argv = ['cipher', 'probe', '--url', url, '--client-id', 'my-shop', ...config, '--json'];
  const command = [resolve('bin/authcli.js'), ...argv];
  return new Promise((done, reject) => {
    execFile(process.execPath, command, { timeout: 120_000 }, (_, stdout, stderr) => {
      if (stdout === '') reject(new Error(stderr));
      else done(JSON.parse(stdout));
    });
  });
}
