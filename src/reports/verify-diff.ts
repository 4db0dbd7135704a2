import { isJsonObject } from '../protocol/json.ts';
import { escapeControls } from '../text.ts';
import { marks, type Style } from './human.ts';

export interface ComparedCheck {
  readonly id: string;
  readonly title: string;
  readonly status: string;
  readonly diagnosis?: { readonly code: string; readonly message?: string };
  readonly observed?: string | undefined;
  readonly fix?: string | undefined;
}

/** Whether a value of a file is a check that can be compared. */
export function isComparedCheck(value: unknown): value is ComparedCheck {
  const names = ['id', 'title', 'status'];
  if (!isJsonObject(value) || !names.every((name) => typeof value[name] === 'string')) return false;
  const { diagnosis = { code: '' } } = value;
  return isJsonObject(diagnosis) && typeof diagnosis.code === 'string';
}

/** Two runs compared; each list in the order of the later run. */
export type VerifyDiff = ReturnType<typeof diffRuns>;

type CheckChange = ReturnType<typeof changeOf>;

/** Compares the checks of two runs by their ids; a check that fails and was not there before broke. */
export function diffRuns(before: readonly ComparedCheck[], after: readonly ComparedCheck[]) {
  const earlier = new Map(before.map((check) => [check.id, check]));
  const later = new Set(after.map(({ id }) => id));
  const all = after.map((check) => changeOf(earlier.get(check.id), check));
  const changes = all.filter(
    ({ id, ...change }) =>
      earlier.has(id) &&
      (change.before !== change.after || change.diagnosis_before !== change.diagnosis_after),
  );
  const isBroken = (change: CheckChange) => change.after === 'failed' && change.before !== 'failed';
  const isFixed = (change: CheckChange) => change.before === 'failed' && change.after === 'passed';
  const added = all.filter(({ id }) => !earlier.has(id));
  return {
    broke: [...changes, ...added].filter(isBroken),
    fixed: changes.filter(isFixed),
    /** Any other change of status, or of the diagnosis of a failure. */
    changed: changes.filter((change) => !isBroken(change) && !isFixed(change)),
    added: added.filter((change) => !isBroken(change)),
    removed: before.filter(({ id }) => !later.has(id)).map((check) => changeOf(check, undefined)),
  };
}

/** What differs; no lines where nothing does. */
export function diffLines(diff: VerifyDiff, style: Style): readonly string[] {
  const sections = [
    ['Broke', diff.broke, style.bad(marks.bad)],
    ['Fixed', diff.fixed, style.good(marks.good)],
    ['Changed', diff.changed, style.warn('!')],
    ['New', diff.added, marks.note],
    ['Gone', diff.removed, marks.note],
  ] as const;
  const shown = sections.filter(([, changes]) => changes.length > 0);
  return shown.flatMap(([title, changes, mark], index) => [
    ...(index === 0 ? [] : ['']),
    style.bold(title),
    ...changes.map(
      (change) =>
        `  ${mark} ${escapeControls(`${change.id}  ${side(change, 'before')} → ${side(change, 'after')}`)}`,
    ),
  ]);
}

function changeOf(before: ComparedCheck | undefined, after: ComparedCheck | undefined) {
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

function side(change: CheckChange, which: 'before' | 'after'): string {
  const status = change[which] ?? 'not there';
  const diagnosis = change[`diagnosis_${which}`];
  return diagnosis === null ? status : `${status} (${diagnosis})`;
}
