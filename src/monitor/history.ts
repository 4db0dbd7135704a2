import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { RandomBytes } from '../bytes.ts';
import { isJsonObject, readJson } from '../protocol/json.ts';
import { hasCode, isComparedCheck } from '../reports/verify-diff.ts';
import { type VerifyDocument, verifySchema } from '../reports/verify-document.ts';
import { errnoCode, fileError, makeFolder } from '../state/files.ts';
import { replaceFiles } from '../state/replace-files.ts';

/** In the name of a report whose change could not be handed on: it doesn't count as reported. */
const unreportedMark = '.unreported';

/** Larger files are not reports of authcli. */
const mostBytes = 8 * 1024 * 1024;

/** A folder of reports, a file for each run, named by its start: in the order of their names. */
export class History {
  readonly #folder: string;
  readonly #keep: number;
  readonly #randomBytes: RandomBytes;

  /** @param keep how many reports are retained, the newest */
  constructor(folder: string, keep: number, randomBytes: RandomBytes) {
    this.#randomBytes = randomBytes;
    this.#folder = folder;
    this.#keep = keep;
  }

  /** Makes the folder, for its owner alone. Throws AuthcliError `config` where that is impossible. */
  prepare(): void {
    makeFolder(this.#folder);
  }

  /** Writes a report whole or not at all, readable by its owner alone, and removes the oldest. */
  async add(text: string, startedAt: number, isReported: boolean): Promise<void> {
    const stem = new Date(startedAt).toISOString().replaceAll(':', '-');
    const file = join(this.#folder, `${stem}${isReported ? '' : unreportedMark}.json`);
    // The folder may have been removed since.
    this.prepare();
    await replaceFiles([{ file, text }], { randomBytes: this.#randomBytes });
    await this.#prune();
  }

  async #prune(): Promise<void> {
    const own = (await reportFiles(this.#folder)).filter((name) => ownName.test(name));
    for (const name of own.slice(0, -this.#keep)) {
      await rm(join(this.#folder, name), { force: true });
    }
  }

  /** The newest `count` reports of `target` that were reported, the oldest first. */
  async latest(target: string, count: number): Promise<readonly VerifyDocument[]> {
    const found: VerifyDocument[] = [];
    const names = (await reportFiles(this.#folder)).filter(
      (name) => !name.includes(unreportedMark),
    );
    for (const name of names.reverse()) {
      if (found.length === count) break;
      const document = await readReport(join(this.#folder, name));
      if (document?.target === target && !document.interrupted) found.unshift(document);
    }
    return found;
  }
}

/** What {@link History.add} writes; other files in the folder stay. */
const ownName = /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}Z(?:\.unreported)?\.json$/;

/** The names of the JSON files of a folder, sorted. Throws AuthcliError `config` for one that can't be read. */
export async function reportFiles(folder: string): Promise<string[]> {
  try {
    return (await readdir(folder)).filter((name) => name.endsWith('.json')).sort();
  } catch (error) {
    throw fileError(error, 'read', folder);
  }
}

/** A report as it was stored, with whether the run passed. */
export interface KeptReport extends VerifyDocument {
  readonly ok: boolean;
}

/** A report of checks; undefined for any other file, and one that has gone meanwhile. */
export async function readReport(file: string): Promise<KeptReport | undefined> {
  const bytes = await readFile(file).catch((error: unknown) => {
    if (['ENOENT', 'EISDIR'].includes(errnoCode(error) ?? '')) return undefined;
    throw fileError(error, 'read', file);
  });
  if (bytes === undefined || bytes.length > mostBytes) return undefined;
  const reading = readJson(bytes);
  const value = reading.ok ? reading.value : undefined;
  return isReport(value) ? (value as unknown as KeptReport) : undefined;
}

/** Whether it has what is read of reports: anyone may put a file into the folder. */
function isReport(value: unknown): boolean {
  if (!isJsonObject(value) || value.schema !== verifySchema) return false;
  const { started_at: startedAt, target, ok, unreachable } = value;
  const isNumbered = ['duration_ms', 'requests'].every((name) => isCount(value[name]));
  const isTold = typeof ok === 'boolean' && typeof target === 'string';
  if (!isNumbered || !isTold || !isInstant(startedAt)) return false;
  if (unreachable !== undefined && !hasCode(unreachable)) return false;
  return [value.checks, value.controls].every(
    (checks) => Array.isArray(checks) && checks.every(isReportedCheck),
  );
}

function isReportedCheck(value: unknown): boolean {
  if (!isComparedCheck(value)) return false;
  const { exchanges } = value as { readonly exchanges?: unknown };
  return Array.isArray(exchanges) && exchanges.every(isExchange);
}

function isExchange(value: unknown): boolean {
  return isJsonObject(value) && typeof value.operation === 'string' && isCount(value.duration_ms);
}

function isCount(value: unknown): boolean {
  return typeof value === 'number' && value >= 0;
}

function isInstant(value: unknown): boolean {
  return typeof value === 'string' && !Number.isNaN(Date.parse(value));
}
