import { catalogue } from '../diagnosis/catalogue.ts';
import type { CertificateFacts } from '../diagnosis/connection.ts';
import { isDiagnosisCode } from '../errors.ts';
import { isJsonObject } from '../protocol/json.ts';
import { counted, escapeControls, firstOf } from '../text.ts';
import { marks, type Style, verdict } from './human.ts';

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
  return value.diagnosis === undefined || hasCode(value.diagnosis);
}

/** Whether a value of a file is a diagnosis, by its code. */
export function hasCode(value: unknown): boolean {
  return isJsonObject(value) && typeof value.code === 'string';
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

/** Whether no check has a different result. */
function isEmptyDiff({ broke, fixed, changed, added, removed }: VerifyDiff): boolean {
  return [broke, fixed, changed, added, removed].flat().length === 0;
}

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

export const changeSchema = 'authcli/change/1';

/** A certificate as documents describe it; its instants are ISO 8601, in UTC. */
export type CertificateDocument = NonNullable<ReturnType<typeof certificateDocument>>;

/** With the first end of a certificate of the chain; undefined without certificates, and if none names its end. */
export function certificateDocument(chain: readonly CertificateFacts[]) {
  const end = Math.min(...chain.map(({ validTo }) => validTo));
  const [own] = chain;
  if (own === undefined || !Number.isFinite(end)) return undefined;
  return { subject: own.subject, issuer: own.issuer, valid_to: new Date(end).toISOString() };
}

/** `replaced`: another one is used; `expires`: fewer days are left than at the last report. */
export interface CertificateChange {
  readonly what: 'replaced' | 'expires';
  readonly days_left: number;
  readonly before: CertificateDocument | null;
  readonly after: CertificateDocument;
}

/** What differs from what was last reported: the fields of `report diff`, and more. */
export interface Differences extends VerifyDiff {
  /** `reachable`, or the diagnosis code of why it is not; before is null if nothing was known. */
  readonly endpoint: { readonly before: string | null; readonly after: string } | null;
  readonly certificate: CertificateChange | null;
}

/** Differences with what they mean (schemas/change-1.json). */
export interface Change extends Differences {
  /** Of the first new failure; null where nothing fails that did not. */
  readonly cause: string | null;
  readonly fix: string | null;
  readonly text: string;
}

/** Why checks fail, or with no check why no request got a response. */
export interface NewFailure {
  readonly checks: readonly ComparedCheck[];
  readonly code: string | undefined;
  readonly cause: string;
  readonly fix: string;
}

export function isChange(change: Differences): boolean {
  return change.endpoint !== null || change.certificate !== null || !isEmptyDiff(change);
}

/** A change in a few words: "endpoint unreachable (refused), 2 checks broke". */
export function changeSummary(change: Differences): string {
  const { endpoint, certificate, broke, fixed, changed, added, removed } = change;
  const checks = (some: readonly unknown[], what: string): readonly string[] =>
    some.length === 0 ? [] : [`${counted(some.length, 'check')} ${what}`];
  return [
    ...(endpoint === null ? [] : [endpointText(endpoint)]),
    ...checks(broke, 'broke'),
    ...checks(fixed, 'fixed'),
    ...checks(changed, 'changed'),
    ...checks(added, 'new'),
    ...checks(removed, 'gone'),
    ...(certificate === null ? [] : [certificateText(certificate)]),
  ].join(', ');
}

/** At most as many causes, and checks of one, in a line. */
const shownInLine = 3;

/** The change in one line, in authcli's own words: whoever posts it to a chat lets nobody else speak there. */
export function changeText(
  target: string,
  change: Differences,
  failures: readonly NewFailure[],
): string {
  const causes = failures.map(({ checks, code = '' }) => {
    const [first] = checks;
    const title = isDiagnosisCode(code) ? catalogue[code].title : (first?.title ?? code);
    const ids = checks.map(({ id }) => id);
    return first === undefined ? `${title}.` : `${firstOf(ids, shownInLine)}: ${title}.`;
  });
  const more = causes.length - shownInLine;
  const others = more > 0 ? [`And ${counted(more, 'other cause')}.`] : [];
  const fixed = change.fixed.map(({ id }) => id);
  const again = fixed.length > 0 ? [`${firstOf(fixed, shownInLine)}: passed.`] : [];
  const summary = `${target}: ${changeSummary(change)}.`;
  const parts = [summary, ...causes.slice(0, shownInLine), ...others, ...again];
  return escapeControls(parts.join(' '));
}

export function changeLines(change: Change, style: Style): readonly string[] {
  const { endpoint, certificate } = change;
  const isUp = endpoint?.after === 'reachable';
  return [
    ...(endpoint === null ? [] : [`  ${verdict(isUp, endpointText(endpoint), style)}`]),
    ...(certificate === null
      ? []
      : [`  ${style.warn('!')} ${escapeControls(certificateText(certificate))}`]),
    ...(isEmptyDiff(change) ? [] : diffLines(change, style)),
  ];
}

function endpointText({ before, after }: NonNullable<Change['endpoint']>): string {
  if (after === 'reachable') return `endpoint reachable again (was ${before})`;
  return before === null || before === 'reachable'
    ? `endpoint unreachable (${after})`
    : `endpoint still unreachable (${after}, was ${before})`;
}

function certificateText({ what, days_left: days, after, before }: CertificateChange): string {
  const left = days < 0 ? 'has expired' : `expires in ${counted(days, 'day')}`;
  const end = after.valid_to.slice(0, 10);
  if (what === 'expires') return `certificate ${left} (${end})`;
  const former = before === null ? '' : `, the one before until ${before.valid_to.slice(0, 10)}`;
  return `certificate replaced: it ${left} (${end})${former}`;
}
