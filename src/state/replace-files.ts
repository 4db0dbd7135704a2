import { readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { encodeHex, type RandomBytes } from '../bytes.ts';
import { fileMode, withFileErrors } from './files.ts';

export interface NewFile {
  readonly file: string;
  readonly text: string;
}

interface ReplaceOptions {
  readonly randomBytes: RandomBytes;
  /** Throws if the lock was lost, and the files must not be put in place. */
  readonly confirm?: () => void;
  /** Called after each portion with the number of files written. */
  readonly onWritten?: (count: number) => void;
}

/** The number of files written between two turns of the event loop, in which the lock is refreshed. */
const portion = 256;

/**
 * Replaces files: each is written beside its place, and none is put in place before all are written,
 * so that a full disk changes nothing and no reader gets half a file.
 *
 * @throws AuthcliError `config`
 */
export async function replaceFiles(
  files: readonly NewFile[],
  { randomBytes, confirm, onWritten }: ReplaceOptions,
): Promise<void> {
  const staged = files.map(({ file, text }) => {
    return { file, text, temporary: temporaryFor(file, randomBytes) };
  });
  // To sync each of thousands would take minutes; an import can be repeated.
  const flush = files.length <= portion;
  const write = ({ file, text, temporary }: (typeof staged)[number]) =>
    withFileErrors('write', file, () =>
      writeFileSync(temporary, text, { flag: 'wx', mode: fileMode, flush }),
    );
  const putInPlace = ({ file, temporary }: (typeof staged)[number]) =>
    withFileErrors('write', file, () => renameSync(temporary, file));
  try {
    await inPortions(staged, write, onWritten);
    confirm?.();
    await inPortions(staged, putInPlace);
  } catch (error) {
    for (const { temporary } of staged) rmSync(temporary, { force: true });
    throw error;
  }
}

async function inPortions<T>(
  items: readonly T[],
  work: (item: T) => void,
  onDone?: (count: number) => void,
): Promise<void> {
  for (const [index, item] of items.entries()) {
    if (index % portion === portion - 1) {
      onDone?.(index);
      await setImmediate();
    }
    work(item);
  }
}

/** A new name beside a file, to write it before it is put in place. */
export function temporaryFor(file: string, randomBytes: RandomBytes): string {
  return `${file}.tmp-${encodeHex(randomBytes(6))}`;
}

/** Whether a name is one of {@link temporaryFor} or conf. */
export function isTemporaryName(name: string): boolean {
  return /\.tmp-[0-9a-f]+$/.test(name);
}

/**
 * Removes the unfinished writes of a process that died: beside the file and anywhere in the
 * folder that belongs to it. Called under the lock, so that no process is still writing them.
 */
export function removeUnfinished(file: string, folder?: string): void {
  const beside = entriesOf(dirname(file), false)
    .filter((name) => name.startsWith(`${basename(file)}.tmp-`))
    .map((name) => join(dirname(file), name));
  const inside = folder ? entriesOf(folder, true).map((name) => join(folder, name)) : [];
  for (const unfinished of [...beside, ...inside].filter(isTemporaryName)) {
    rmSync(unfinished, { force: true });
  }
}

function entriesOf(folder: string, recursive: boolean): string[] {
  try {
    return readdirSync(folder, { recursive, encoding: 'utf8' });
  } catch {
    return []; // a folder that can't be read is reported where it is needed
  }
}
