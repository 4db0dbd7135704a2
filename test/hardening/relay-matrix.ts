import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { allPairs, wholeProduct } from '../interop/java-python/matrix/combinations.ts';
import { faults, faultyCombinations } from '../interop/java-python/matrix/faults.ts';
import { Matrix } from '../interop/java-python/matrix/matrix.ts';
import type { HardeningOptions, SectionResult } from './section.ts';
import { inParallel } from './worker.ts';

/** Exchanges that are under way at once: services and applications wait for each other. */
const width = 4;

/**
 * A service and an application in Python and Java behind the relay, with everything that the interface leaves open: both
 * see what they see without the relay, and what is learned is true. `quick` tries every pair of values of two settings.
 */
export async function relayMatrix({ quick }: HardeningOptions): Promise<SectionResult> {
  const folder = mkdtempSync(join(tmpdir(), 'authcli-relay-matrix-'));
  const matrix = await Matrix.start();
  const failures: string[] = [];
  const certain: Record<string, number> = {};
  const combinations = quick ? allPairs() : wholeProduct();
  const faulty = faultyCombinations(
    ({ bits, form }) => !quick || (bits === 2048 && form === 'pem'),
  );
  let [unchanged, alike, tried] = [0, 0, 0];
  try {
    await inParallel(combinations, width, async (combination) => {
      const { problems, settings } = await matrix.try(combination);
      if (problems.length === 0) unchanged += 1;
      else failures.push(`${JSON.stringify(combination)}: ${problems.join('\n')}`);
      for (const name of settings) certain[name] = (certain[name] ?? 0) + 1;
    });
    await inParallel(faulty, width, async ({ combination, fault, spec }) => {
      tried += 1;
      const configFile = join(folder, `${tried}`, 'config.json');
      const { relay, simulated } = await matrix.diagnoses(combination, spec, { configFile });
      if (relay === simulated && relay === faults[fault]) alike += 1;
      else failures.push(`${JSON.stringify(combination)} ${fault}: ${relay}, ${simulated}`);
    });
  } finally {
    await matrix.close();
    rmSync(folder, { recursive: true, force: true });
  }
  const decrypted = combinations.filter(({ decrypt }) => decrypt).length;
  const rows = [
    row('combinations behind the relay', combinations.length, unchanged, 'unchanged'),
    row('ciphers learned', decrypted, certain.cipher, 'certain'),
    row('forms of user information learned', decrypted, certain['user-info-format'], 'certain'),
    row('faulty applications', faulty.length, alike, 'diagnosed alike'),
  ];
  return { rows, failures };
}

function row(what: string, tried: number, count = 0, outcome: string) {
  return { what, tried, outcome, count, atLeast: tried };
}
