import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { dayOf } from '../../app/verification.ts';
import {
  type KnownFailure,
  readBaseline,
  updateBaseline,
  writeBaseline,
} from '../../conformance/baseline.ts';
import type { CheckFacts } from '../../conformance/check.ts';
import type { CheckResult } from '../../conformance/result.ts';
import { AuthcliError } from '../../errors.ts';
import { fileContent } from '../args/input.ts';
import { usage } from '../failure.ts';
import { writeOutputFile } from '../process/output-file.ts';
import type { Session } from '../session.ts';
import type { CheckRunOptions } from './verify-flags.ts';

/** Empty without --expect, and if its file is still to be written. */
export async function loadBaseline(
  { expect: file, updateExpect }: Pick<CheckRunOptions, 'expect' | 'updateExpect'>,
  catalogue: readonly CheckFacts[],
  { context, input }: Session,
): Promise<readonly KnownFailure[]> {
  if (file === undefined) {
    if (updateExpect)
      throw usage('--update-expect needs --expect.', 'Name the file with --expect.');
    return [];
  }
  if (updateExpect && !existsSync(resolve(context.cwd, file))) return [];
  const bytes = await input.file(file, '--expect');
  return parse(fileContent(bytes).text, catalogue);
}

/** Writes the failures of the run to the file of --expect; returns them. */
export async function saveBaseline(
  file: string,
  results: readonly CheckResult[],
  baseline: readonly KnownFailure[],
  session: Session,
): Promise<readonly KnownFailure[]> {
  const updated = updateBaseline(results, baseline, dayOf(session.context.now()));
  await writeOutputFile(file, session.redact(writeBaseline(updated)), '--expect', session);
  return updated;
}

function parse(text: string, catalogue: readonly CheckFacts[]): readonly KnownFailure[] {
  try {
    return readBaseline(text, catalogue);
  } catch (error) {
    if (!(error instanceof AuthcliError)) throw error;
    throw usage(`--expect: ${error.message}`, error.hint);
  }
}
