import { jsonDocument } from './json.ts';
import type { VerifyDocument } from './verify-document.ts';
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
