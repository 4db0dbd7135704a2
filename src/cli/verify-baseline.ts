import { readFile, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { decodeUtf8 } from '../bytes.ts';
import { type KnownFailure, updateBaseline } from '../conformance/baseline.ts';
import { readBaseline, writeBaseline } from '../conformance/baseline-file.ts';
import type { CheckFacts } from '../conformance/check.ts';
import type { CheckResult } from '../conformance/result.ts';
import { AuthcliError } from '../errors.ts';
import { usage } from './hints.ts';
import { cannotWrite } from './output-file.ts';
import type { Session } from './session.ts';
import type { CheckRunOptions } from './verify-flags.ts';

type BaselineOptions = Pick<CheckRunOptions, 'expect' | 'updateExpect'>;

/** The known failures of --expect; none without it, and none in a file that is still to be made. */
export async function loadBaseline(
  { expect: file, updateExpect }: BaselineOptions,
  catalogue: readonly CheckFacts[],
  { context }: Session,
): Promise<readonly KnownFailure[]> {
  if (file === undefined) {
    if (updateExpect)
      throw usage('--update-expect needs --expect.', 'Name the file with --expect.');
    return [];
  }
  let bytes: Uint8Array;
  try {
    bytes = await readFile(resolve(context.cwd, file));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (updateExpect && code === 'ENOENT') return [];
    throw usage(
      `--expect: ${file} can't be read (${code ?? 'unknown'}).`,
      'With --update-expect it is made of the failures of this run.',
    );
  }
  return parse(decodeUtf8(bytes) ?? '', catalogue);
}

/** Writes the failures of the run to the file of --expect; the new list. */
export async function saveBaseline(
  file: string,
  results: readonly CheckResult[],
  baseline: readonly KnownFailure[],
  session: Session,
): Promise<readonly KnownFailure[]> {
  const { context } = session;
  const updated = updateBaseline(results, baseline, dayOf(context.now()));
  const text = session.redact(writeBaseline(updated));
  try {
    await writeFile(resolve(context.cwd, file), text);
  } catch (error) {
    throw cannotWrite(file, '--expect', error as NodeJS.ErrnoException);
  }
  return updated;
}

/** The day of an instant, in UTC: `2027-01-31`. */
export function dayOf(instant: number): string {
  return new Date(instant).toISOString().slice(0, 10);
}

function parse(text: string, catalogue: readonly CheckFacts[]): readonly KnownFailure[] {
  try {
    return readBaseline(text, catalogue);
  } catch (error) {
    if (!(error instanceof AuthcliError)) throw error;
    throw usage(`--expect: ${error.message}`, error.hint);
  }
}
