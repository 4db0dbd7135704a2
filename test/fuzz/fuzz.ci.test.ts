import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { AuthcliError } from '../../src/errors.ts';
import { draws, sampleSeed } from '../support/draws.ts';
import { fc } from '../support/fast-check.ts';
import { fileTargets } from './file-targets.ts';
import { keyTargets } from './key-targets.ts';
import { messageTargets } from './message-targets.ts';
import { mutated } from './mutated.ts';
import { assertSilent, type Target } from './target.ts';

/** Every parser of input from outside. */
const targets: readonly Target[] = [...messageTargets, ...keyTargets, ...fileTargets];

const seed = createHash('sha256').update(sampleSeed).digest().readInt32BE();
const shares = targets.reduce((sum, [, , , { share = 1 } = {}]) => sum + share, 0);

describe(`whatever is read, edited at random by ${sampleSeed}`, () => {
  for (const target of targets) {
    const [name, samples, , { share = 1 } = {}] = target;
    const numRuns = Math.max(4, Math.ceil((draws(5000) * share) / shares));
    it(`${name}: an error that is intended, or none`, () => {
      const property = fc.asyncProperty(mutated(samples), (bytes) => feed(target, bytes));
      return fc.assert(property, { numRuns, seed });
    });
  }
});

/** Feeds one input to a target; rejects where the target fails, or takes long. */
async function feed([, , read, { refuses, secret = '' } = {}]: Target, bytes: Uint8Array) {
  const before = process.cpuUsage();
  try {
    await read(bytes);
  } catch (error) {
    if (!(error instanceof AuthcliError)) throw error;
    assert.ok(refuses && error.code === 'usage', `${error.code}: ${error.message}`);
    assert.ok(error.message.length < 2000, 'a message that is no sentence');
    assertSilent(`${error.message} ${error.hint} ${JSON.stringify(error.data)}`, secret);
  }
  const { user, system } = process.cpuUsage(before);
  assert.ok(user + system < 10_000_000, `it took ${user + system} microseconds`);
}
