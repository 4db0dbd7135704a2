import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Context } from '../context.ts';

const pollMs = 300;
/** Further files are not watched. */
const mostFiles = 20_000;
/** Dependencies, and what programs write beside their sources. */
const ignored =
  /^\.|~$|^(?:node_modules|vendor|venv|__pycache__)$|\.(?:log|pid|lock|tmp|swp|(?:db|sqlite\d?)(?:-\w+)?)$/;
const source = /\.(?:py|[cm]?[jt]sx?|php|java|kts?|go|rb|cs|scala|rs)$/;

/** When each file was written last. */
type Times = ReadonlyMap<string, number>;

/**
 * The files below a folder, which are compared by polling: that works on every file system. What is written while a run
 * is under way is data of the application, unless it is source code.
 */
export function watchFolder(folder: string, { pause, signal }: Context) {
  const ownData = new Set<string>();
  let before: Times = new Map();
  return {
    /** A run begins. */
    begin: async (): Promise<void> => {
      before = await timesIn(folder);
    },

    /** The run has ended: resolves with a file that somebody has changed since it began, once nothing more changes. */
    change: async (): Promise<string> => {
      let times = await timesIn(folder);
      for (const path of differing(before, times)) if (!source.test(path)) ownData.add(path);
      for (;;) {
        const changed = differing(before, times).find((path) => !ownData.has(path));
        await pause(pollMs, signal);
        const now = await timesIn(folder);
        if (changed !== undefined && differing(times, now).length === 0) return changed;
        times = now;
      }
    },
  };
}

function differing(before: Times, after: Times): readonly string[] {
  const paths = new Set([...before.keys(), ...after.keys()]);
  return [...paths].filter((path) => before.get(path) !== after.get(path));
}

async function timesIn(root: string): Promise<Times> {
  const times = new Map<string, number>();
  const folders = [''];
  for (const folder of folders) {
    const entries = await readdir(join(root, folder), { withFileTypes: true }).catch(() => []);
    for (const entry of entries.filter(({ name }) => !ignored.test(name))) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) folders.push(path);
      if (!entry.isFile() || times.size >= mostFiles) continue;
      const found = await stat(join(root, path)).catch(() => undefined); // removed meanwhile
      if (found !== undefined) times.set(path, found.mtimeMs);
    }
  }
  return times;
}
