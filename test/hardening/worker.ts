import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { bundleInto } from '../support/bundled.ts';

/** A process that does a part of the trials, and the lines it said. */
export interface Worker {
  readonly child: ChildProcess;
  /** Grows while it runs. */
  readonly lines: readonly string[];
  /** The exit status; null where a signal ended it. */
  readonly ended: Promise<number | null>;
}

/** A folder for trials, to be removed by who asked for it. */
export function trialFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'authcli-hardening-'));
  chmodSync(folder, 0o755);
  return folder;
}

/**
 * Bundles `source` once into `folder` and gives what starts it with arguments: processes that each compile it first
 * would take longer than their work.
 */
export async function workerIn(
  folder: string,
  source: string,
): Promise<(...task: readonly string[]) => Worker> {
  const script = join(folder, 'worker.mjs');
  await bundleInto(script, 'esm', source);
  return (...task) => {
    const child = spawn(process.execPath, [script, ...task], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const lines: string[] = [];
    createInterface(child.stdout).on('line', (line) => lines.push(line));
    const ended = once(child, 'close').then(([code]) => code as number | null);
    return { child, lines, ended };
  };
}

/** Does the work for each item, that many at a time. */
export async function inParallel<T>(
  items: readonly T[],
  width: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const queue = [...items];
  const lane = async (): Promise<void> => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: width }, lane));
}
