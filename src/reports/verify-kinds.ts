import { jsonDocument } from './json.ts';
import type { VerifyDocument } from './verify-document.ts';
import { verifyHtml } from './verify-html.ts';
import { verifyJunit } from './verify-junit.ts';
import { verifyMarkdown } from './verify-markdown.ts';
import { verifyTap } from './verify-tap.ts';

/** What a report file is made of: the document, already redacted, and what programs read beside it. */
export interface ReportSource {
  readonly document: VerifyDocument;
  /** The whole JSON value that is printed with it: ok, command and error as well. */
  readonly json: unknown;
  /** The exchanges as an HTTP archive. */
  readonly har: unknown;
}

/** The kinds of report files, and how each is made. Add a kind here, and it can be asked for. */
export const reportKinds = {
  json: ({ json }: ReportSource) => jsonDocument(json),
  junit: ({ document }: ReportSource) => verifyJunit(document),
  html: ({ document }: ReportSource) => verifyHtml(document),
  markdown: ({ document }: ReportSource) => verifyMarkdown(document),
  tap: ({ document }: ReportSource) => verifyTap(document),
  har: ({ har }: ReportSource) => jsonDocument(har),
} as const;

export type ReportKind = keyof typeof reportKinds;

export const reportKindNames = Object.keys(reportKinds) as readonly ReportKind[];
