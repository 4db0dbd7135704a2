import { randomBytes } from 'node:crypto';
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { withFileErrors } from './file-error.ts';
import { fileMode } from './files.ts';

/** A file to be written and all of its text. */
export interface NewFile {
  readonly file: string;
  readonly text: string;
}

/** How many files are written before others have their turn. */
const portion = 256;
/** The names that {@link temporaryFor} and conf give to what they write. */
const temporaryName = /\.tmp-[0-9a-f]+$/;

/**
 * Replaces files whole: each is written beside its place first and none is put in place before
 * all are written, so that a full disk leaves everything as it was, and a reader or a kill never
 * meets half a file. Many files are written in portions, so that the lock can be refreshed.
 *
 * @param confirm throws if the files must not be put in place any more
 * @param onWritten told now and then how many files are written
 * @throws AuthcliError `config`
 */
export async function replaceFiles(
  files: readonly NewFile[],
  confirm: () => void,
  onWritten: (count: number) => void = () => {},
): Promise<void> {
  const staged = files.map(({ file, text }) => ({ file, text, temporary: temporaryFor(file) }));
  // Bringing each of thousands to the disk would take minutes; an import can be repeated.
  const durable = files.length <= portion;
  try {
    await inPortions(
      staged,
      ({ file, text, temporary }) =>
        withFileErrors('write', file, () => writeNew(temporary, text, durable)),
      onWritten,
    );
    confirm();
    await inPortions(staged, ({ file, temporary }) =>
      withFileErrors('write', file, () => renameSync(temporary, file)),
    );
  } catch (error) {
    for (const { temporary } of staged) rmSync(temporary, { force: true });
    throw error;
  }
}

async function inPortions<T>(
  items: readonly T[],
  work: (item: T) => void,
  onDone: (count: number) => void = () => {},
): Promise<void> {
  for (const [index, item] of items.entries()) {
    if (index % portion === portion - 1) {
      onDone(index);
      await setImmediate();
    }
    work(item);
  }
}

/** A name beside a file for its next content while that is written. */
export function temporaryFor(file: string): string {
  return `${file}.tmp-${randomBytes(6).toString('hex')}`;
}

function writeNew(file: string, text: string, durable: boolean): void {
  const descriptor = openSync(file, 'wx', fileMode);
  try {
    writeFileSync(descriptor, text);
    if (durable) fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Whether a name is one that an unfinished write of ours or of conf left behind. */
export function isTemporaryName(name: string): boolean {
  return temporaryName.test(name);
}
