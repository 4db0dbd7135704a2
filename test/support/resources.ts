import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * The processor time of some work, in milliseconds: a bound on it finds work that grows out of
 * proportion, and means the same on a busy machine.
 */
export function cpuTimeOf(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}

/** The bytes that are in use once garbage has been collected. */
export function memoryInUse(): number {
  collectGarbage ??= exposedCollector();
  // What the first finds is freed beside the program; the second waits for that.
  collectGarbage();
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

let collectGarbage: (() => void) | undefined;

/** Found once: a context for each collection would cost ten times the collection. */
function exposedCollector(): () => void {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc');
}

/** Writes a text that often as fast as it is taken; what it returns counts the times. */
export function pour(socket: Socket, text: string, times: number): () => number {
  let written = 0;
  const texts = function* () {
    for (; written < times; written += 1) yield text;
  };
  Readable.from(texts()).pipe(socket, { end: false });
  return () => written;
}

/** Resolves with a count that no longer grows. */
export async function settled(count: () => number): Promise<number> {
  for (let before = -1; before !== count(); await delay(300)) before = count();
  return count();
}
