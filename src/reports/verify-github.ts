import type { CheckDocument, VerifyDocument } from './verify-document.ts';
import { countsOf, remarksOf, troubled } from './verify-words.ts';

/** A run as workflow commands of GitHub Actions: an annotation for each failure, then the verdict. */
export function verifyGithub(document: VerifyDocument): readonly string[] {
  return [
    ...troubled(document).map(annotation),
    ...remarksOf(document).map(
      (remark) => `::warning title=authcli ${document.command}::${data(remark)}`,
    ),
    `authcli ${document.command}: ${countsOf(document)}.`,
  ];
}

function annotation(check: CheckDocument): string {
  const { id, title, status, known, expected, observed, diagnosis, fix, repeat } = check;
  const command = status === 'failed' && known === undefined ? 'error' : 'warning';
  const message = [
    title,
    `Expected: ${expected}`,
    `Observed: ${observed}`,
    ...(diagnosis ? [`${diagnosis.code}: ${diagnosis.message}`] : []),
    ...(fix ? [`Fix: ${fix}`] : []),
    ...(known ? [`Known: ${known.reason}`] : []),
    ...(repeat ? [repeat.command] : []),
  ].join('\n');
  return `::${command} title=${property(id)}::${data(message)}`;
}

/** The escapes of workflow commands, so that no text begins another. */
function data(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function property(text: string): string {
  return data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
