import { isJsonObject } from '../protocol/json.ts';
import { escapeControls } from '../text.ts';
import { marks, type Style } from './human.ts';

/** A check of either run. */
export interface ComparedCheck {
  readonly id: string;
  readonly title: string;
  readonly status: string;
  readonly diagnosis?: { readonly code: string };
}

/** Whether a value of a file is a check that can be compared. */
export function isComparedCheck(value: unknown): value is ComparedCheck {
  const names = ['id', 'title', 'status'];
  if (!isJsonObject(value) || !names.every((name) => typeof value[name] === 'string')) return false;
  return value.diagnosis === undefined || hasCode(value.diagnosis);
}

/** Whether a value of a file is a diagnosis, by its code. */
export function hasCode(value: unknown): boolean {
  return isJsonObject(value) && typeof value.code === 'string';
}

interface CheckChange extends Pick<ComparedCheck, 'id' | 'title'> {
  readonly before: string | null;
  readonly after: string | null;
  readonly diagnosis_before: string | null;
  readonly diagnosis_after: string | null;
}

/** Two runs compared; each list in the order of the later run. */
export interface VerifyDiff {
  /** It failed in the later run and not in the earlier one. */
  readonly broke: readonly CheckChange[];
  /** It failed in the earlier run and passed in the later one. */
  readonly fixed: readonly CheckChange[];
  /** Any other change of status, or of the diagnosis of a failure. */
  readonly changed: readonly CheckChange[];
  readonly added: readonly CheckChange[];
  readonly removed: readonly CheckChange[];
}

/** Compares the checks of two runs by their ids. */
export function diffRuns(
  before: readonly ComparedCheck[],
  after: readonly ComparedCheck[],
): VerifyDiff {
  const earlier = new Map(before.map((check) => [check.id, check]));
  const later = new Set(after.map(({ id }) => id));
  const both = after.filter(({ id }) => earlier.has(id));
  const changes = both.map((check) => changeOf(earlier.get(check.id), check)).filter(isChange);
  const broke = changes.filter((change) => change.after === 'failed' && change.before !== 'failed');
  const fixed = changes.filter(({ before: was, after: is }) => was === 'failed' && is === 'passed');
  const added = after
    .filter(({ id }) => !earlier.has(id))
    .map((check) => changeOf(undefined, check));
  return {
    broke: [...broke, ...added.filter(({ after: is }) => is === 'failed')],
    fixed,
    changed: changes.filter((change) => !broke.includes(change) && !fixed.includes(change)),
    added: added.filter(({ after: is }) => is !== 'failed'),
    removed: before.filter(({ id }) => !later.has(id)).map((check) => changeOf(check, undefined)),
  };
}

/** Whether no check has a different result. */
export function isEmptyDiff({ broke, fixed, changed, added, removed }: VerifyDiff): boolean {
  return [broke, fixed, changed, added, removed].every((changes) => changes.length === 0);
}

/** The difference for people. */
export function diffLines(diff: VerifyDiff, style: Style): readonly string[] {
  const sections = [
    ['Broke', diff.broke, style.bad(marks.bad)],
    ['Fixed', diff.fixed, style.good(marks.good)],
    ['Changed', diff.changed, style.warn('!')],
    ['New', diff.added, marks.note],
    ['Gone', diff.removed, marks.note],
  ] as const;
  const shown = sections.filter(([, changes]) => changes.length > 0);
  if (shown.length === 0) return ['No check has a different result.'];
  return shown.flatMap(([title, changes, mark], index) => [
    ...(index === 0 ? [] : ['']),
    style.bold(title),
    ...changes.map(
      (change) =>
        `  ${mark} ${escapeControls(`${change.id}  ${side(change, 'before')} → ${side(change, 'after')}`)}`,
    ),
  ]);
}

function changeOf(
  before: ComparedCheck | undefined,
  after: ComparedCheck | undefined,
): CheckChange {
  const { id = '', title = '' } = after ?? before ?? {};
  return {
    id,
    title,
    before: before?.status ?? null,
    after: after?.status ?? null,
    diagnosis_before: before?.diagnosis?.code ?? null,
    diagnosis_after: after?.diagnosis?.code ?? null,
  };
}

function isChange(change: CheckChange): boolean {
  return change.before !== change.after || change.diagnosis_before !== change.diagnosis_after;
}

function side(change: CheckChange, which: 'before' | 'after'): string {
  const status = change[which] ?? 'not there';
  const diagnosis = change[`diagnosis_${which}`];
  return diagnosis === null ? status : `${status} (${diagnosis})`;
}
