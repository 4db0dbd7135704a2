import type { CheckDocument, VerifyDocument } from '../conformance/document.ts';
import {
  countsOf,
  factsOf,
  isGood,
  remarksOf,
  requirementsIn,
  troubled,
  unjudgedIn,
} from './verify-words.ts';

/** A run as workflow commands of GitHub Actions: an annotation for each failure, then the verdict. A run that fails has an error. */
export function verifyGithub(document: VerifyDocument): readonly string[] {
  const title = `title=authcli ${document.command}`;
  const checks = troubled(document).map((check) => annotation(check, document));
  const isExplained = isGood(document) || checks.some((line) => line.startsWith('::error '));
  return [
    ...checks,
    ...remarksOf(document).map((remark) => `::warning ${title}::${data(remark)}`),
    ...(isExplained ? [] : [`::error ${title}::${data(whyInconclusive(document))}`]),
    `authcli ${document.command}${requirementsIn(document)}: ${countsOf(document)}.`,
  ];
}

/** Of a run in which no check failed. */
function whyInconclusive(document: VerifyDocument): string {
  const { checks, controls, summary } = document;
  const untested = unjudgedIn(document).flatMap(({ status, ids }) =>
    status === 'incomplete' ? ids : [],
  );
  if (untested.length > 0 && summary.passed > 0) return `Not tested: ${untested.join(', ')}.`;
  const control = controls.find(({ status }) => status === 'failed');
  const reason = checks.find((check) => check.reason !== undefined)?.reason;
  const cause = control?.diagnosis?.message ?? control?.observed;
  return ['The run shows nothing.', reason, cause].filter(Boolean).join(' ');
}

function annotation(check: CheckDocument, document: VerifyDocument): string {
  const { id, title, status, known, repeat } = check;
  const command = status === 'failed' && known === undefined ? 'error' : 'warning';
  const facts = factsOf(check, document).map(([name, text]) => `${name}: ${text}`);
  const message = [title, ...facts, ...(repeat ? [repeat.command] : [])].join('\n');
  return `::${command} title=${property(id)}::${data(message)}`;
}

/** The escapes of workflow commands, so that no text begins another. */
function data(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function property(text: string): string {
  return data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
