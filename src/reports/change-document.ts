import type { CertificateFacts } from '../diagnosis/connection.ts';
import { counted, escapeControls } from '../text.ts';
import { marks, type Style } from './human.ts';
import { diffLines, isEmptyDiff, type VerifyDiff } from './verify-diff.ts';

export const changeSchema = 'authcli/change/1';

/** A certificate as documents describe it; its instants are ISO 8601, in UTC. */
export interface CertificateDocument {
  readonly subject: string;
  readonly issuer: string;
  /** The first end of a certificate of the chain. */
  readonly valid_to: string;
}

/** Undefined without certificates, and if none names its end. */
export function certificateDocument(
  chain: readonly CertificateFacts[],
): CertificateDocument | undefined {
  const end = Math.min(...chain.map(({ validTo }) => validTo));
  const [own] = chain;
  if (own === undefined || !Number.isFinite(end)) return undefined;
  const { subject, issuer } = own;
  return { subject, issuer, valid_to: new Date(end).toISOString() };
}

/** `replaced`: another one is used; `expires`: fewer days are left than at the last report. */
export interface CertificateChange {
  readonly what: 'replaced' | 'expires';
  readonly days_left: number;
  readonly before: CertificateDocument | null;
  readonly after: CertificateDocument;
}

/** What differs from what was last reported: the fields of `report diff`, and more (schemas/change-1.json). */
export interface Change extends VerifyDiff {
  /** `reachable`, or the diagnosis code of why it is not; before is null if nothing was known. */
  readonly endpoint: { readonly before: string | null; readonly after: string } | null;
  readonly certificate: CertificateChange | null;
}

/** A change with the run in which it was found. */
export interface ChangeDocument extends Change {
  readonly schema: typeof changeSchema;
  readonly version: string;
  readonly target: string;
  /** ISO 8601, in UTC. */
  readonly at: string;
  /** Counted from 1 since the start. */
  readonly run: number;
  /** The change in a few words. */
  readonly summary: string;
}

export function isChange(change: Change): boolean {
  return change.endpoint !== null || change.certificate !== null || !isEmptyDiff(change);
}

/** A change in a few words: "endpoint unreachable (refused), 2 checks broke". */
export function changeSummary(change: Change): string {
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

/** The change for people. */
export function changeLines(change: Change, style: Style): readonly string[] {
  const { endpoint, certificate } = change;
  const up = [style.good(marks.good), style.bad(marks.bad)] as const;
  const lines: readonly (readonly [mark: string, text: string])[] = [
    ...(endpoint === null
      ? []
      : [[up[endpoint.after === 'reachable' ? 0 : 1], endpointText(endpoint)] as const]),
    ...(certificate === null ? [] : [[style.warn('!'), certificateText(certificate)] as const]),
  ];
  return [
    ...lines.map(([mark, text]) => `  ${mark} ${escapeControls(text)}`),
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
