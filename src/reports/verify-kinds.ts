import type { VerifyDocument } from '../conformance/document.ts';
import { jsonDocument } from './json.ts';
import { verifyHtml } from './verify-html.ts';
import { verifyJunit } from './verify-junit.ts';
import { verifyMarkdown } from './verify-markdown.ts';

/** The sources of a report file, redacted. */
export interface ReportSource {
  readonly document: VerifyDocument;
  /** The document with ok, command and error. */
  readonly json: unknown;
  readonly har: unknown;
}

/** The values of `--report`, and how each is made. */
export const reportKinds = {
  json: ({ json }: ReportSource) => jsonDocument(json),
  junit: ({ document }: ReportSource) => verifyJunit(document),
  html: ({ document }: ReportSource) => verifyHtml(document),
  markdown: ({ document }: ReportSource) => verifyMarkdown(document),
  har: ({ har }: ReportSource) => jsonDocument(har),
} as const;

export type ReportKind = keyof typeof reportKinds;

export const reportKindNames = Object.keys(reportKinds) as readonly ReportKind[];

export interface ReportSubject {
  readonly command: string;
  readonly target: string;
}

/** How much of a report is enough to find its subject. */
export const headBytes = 16 * 1024;

/** Where a report of each kind names its command and its target. */
const places: Readonly<Record<ReportKind, readonly [command: RegExp, target: RegExp]>> = {
  json: [/"command": "(\w+)"/, /"(?:target|url)": "((?:[^"\\]|\\.)*)"/],
  junit: [/name="authcli (\w+)"/, /name="url" value="([^"]*)"/],
  html: [/<p class="muted">authcli (\w+),/, /<p><code>([^<]*)<\/code>/],
  markdown: [/^## authcli (\w+):/, /^`+ ?([^`\n]*)/m],
  har: [/"comment": "authcli (\w+) /, /"comment": "authcli \w+ ((?:[^"\\]|\\.)*)"/],
};

/** What a report of this kind is of, by the beginning of its text, as it is written there; undefined for other files. */
export function subjectIn(kind: ReportKind, head: string): ReportSubject | undefined {
  const [command, target] = places[kind].map((place) => place.exec(head)?.[1]);
  return command === undefined || target === undefined ? undefined : { command, target };
}

/** Whether two subjects are the same, in whatever kind of report they are written. */
export function isSame(one: ReportSubject, other: ReportSubject): boolean {
  return one.command === other.command && bare(one.target) === bare(other.target);
}

/** Without what the kinds write in different ways. */
function bare(text: string): string {
  return text.replace(/&#\d+;|\\u[\da-f]{4}|[^\p{L}\p{N}.:/?=%+-]/giu, '');
}
