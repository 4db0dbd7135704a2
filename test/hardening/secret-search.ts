import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { HardeningOptions, SectionResult } from './section.ts';
import { trialFolder } from './worker.ts';

/**
 * Runs the tests of the command line, each run of which is searched for the secrets it was given
 * (test/support/secret-scan.ts), and counts them.
 */
export async function secretSearch({ quick }: HardeningOptions): Promise<SectionResult> {
  const folder = trialFolder();
  const counts = join(folder, 'counts');
  writeFileSync(counts, '');
  try {
    const files = readdirSync('test/cli')
      .filter((name) => name.endsWith('.test.ts') && (!quick || /^secret/.test(name)))
      .map((name) => `test/cli/${name}`);
    const child = spawn(process.execPath, ['--import', 'tsx', '--test', ...files], {
      stdio: 'ignore',
      env: { ...process.env, AUTHCLI_SCAN_COUNTS: counts },
    });
    const [status] = (await once(child, 'close')) as [number | null];
    const runs = readFileSync(counts, 'utf8').trim().split('\n');
    const sum = (column: number): number =>
      runs.reduce((total, line) => total + Number(line.split(' ')[column]), 0);
    const failed = status === 0 ? [] : [`the tests ended with ${status}`];
    return {
      rows: [
        {
          what: 'outputs searched',
          tried: runs.length,
          outcome: 'clean',
          count: runs.filter((line) => line.endsWith(' 0')).length,
          atLeast: 100,
        },
        {
          what: 'secrets searched for',
          tried: sum(0),
          outcome: 'found',
          count: sum(1),
          atLeast: 100,
        },
      ],
      failures: sum(1) === 0 ? failed : [...failed, `${sum(1)} secrets stand in outputs`],
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
