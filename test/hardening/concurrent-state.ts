import { randomBytes } from 'node:crypto';
import { readdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Secret } from '../../src/crypto/secret.ts';
import { openState } from '../../src/state/state.ts';
import type { HardeningOptions, SectionResult } from './section.ts';
import { inParallel, trialFolder, type Worker, workerIn } from './worker.ts';

const stateOf = (file: string) =>
  openState({ configFile: file, now: Date.now, randomBytes, os: process.platform });
const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, n) => n);

/** What is beside a config file and is neither it nor its users. */
function strays(file: string): readonly string[] {
  const own = [basename(file), `${basename(file)}.profiles`];
  const beside = readdirSync(dirname(file)).filter((name) => name.startsWith(basename(file)));
  const inside = readdirSync(`${file}.profiles`, { recursive: true, encoding: 'utf8' });
  return [
    ...beside.filter((name) => !own.includes(name)),
    ...inside.filter((name) => name.includes('.tmp-')),
  ];
}

/** Processes that all write to one config file at the same time: nothing of it may be lost. */
export async function concurrentWriters({ quick }: HardeningOptions): Promise<SectionResult> {
  const count = quick ? 20 : 200;
  const folder = trialFolder();
  const failures: string[] = [];
  try {
    const start = await workerIn(folder, 'test/state/state-worker.ts');
    const file = join(folder, 'config.json');
    await stateOf(file).users.put({ ptnCd: 'shared', key: Secret.key('start'), state: 'known' });
    const names = numbers(count).map((n) => `w${n}`);
    const writers = names.map((name) => start(file, 'write', name, '1'));
    const codes = await Promise.all(writers.map(({ ended }) => ended));
    const { profiles, users } = stateOf(file);
    const keys = new Set(users.get('shared')?.key.reveal().split(','));
    const kept = names.filter(
      (name, index) =>
        codes[index] === 0 &&
        profiles.list().includes(`${name} 0`) &&
        users.get(`${name} 0`)?.key.reveal() === name &&
        keys.has(name),
    );
    if (kept.length < count) failures.push(`${count - kept.length} writers lost something`);
    failures.push(...strays(file).map((name) => `${name} was left`));
    return {
      rows: [
        {
          what: 'concurrent writers of one config file',
          tried: count,
          outcome: 'lost nothing',
          count: kept.length,
          atLeast: 200,
        },
      ],
      failures,
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Writers that are killed at random moments: what is there afterwards parses, contains every write
 * that was finished, and the next writer gets the lock within ten seconds and tidies up.
 */
export async function kills({ quick }: HardeningOptions): Promise<SectionResult> {
  const count = quick ? 8 : 200;
  const folder = trialFolder();
  const failures: string[] = [];
  let survived = 0;
  try {
    const start = await workerIn(folder, 'test/state/state-worker.ts');
    await inParallel(numbers(count), quick ? 8 : 20, async (round) => {
      const problem = await killOne(join(folder, `round-${round}.json`), start);
      if (problem === undefined) survived += 1;
      else failures.push(`round ${round}: ${problem}`);
    });
    return {
      rows: [
        {
          what: 'rounds of kill -9 while writing',
          tried: count,
          outcome: 'survived',
          count: survived,
          atLeast: 200,
        },
      ],
      failures,
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function killOne(
  file: string,
  start: (file: string, ...task: readonly string[]) => Worker,
): Promise<string | undefined> {
  await stateOf(file).users.put({ ptnCd: 'shared', key: Secret.key('start'), state: 'known' });
  const worker = start(file, 'write', 'w', '100000');
  while (worker.lines.length === 0 && worker.child.exitCode === null) await delay(5);
  await delay(Math.random() * 200);
  worker.child.kill('SIGKILL');
  await worker.ended;
  const finished = numbers(worker.lines.length);
  try {
    const { profiles, users } = stateOf(file);
    const known = new Set(profiles.list());
    const lost = finished.filter(
      (round) => !known.has(`w ${round}`) || users.get(`w ${round}`)?.key.reveal() !== 'w',
    );
    if (lost.length > 0) return `${lost.length} of ${finished.length} finished writes are lost`;
    users.list();
    const before = performance.now();
    await profiles.create('after');
    if (performance.now() - before > 10_000) return 'the lock was not taken over in ten seconds';
    const left = strays(file);
    return left.length === 0 ? undefined : `${left.join(', ')} was left`;
  } catch (error) {
    return String(error);
  }
}
