import type { CheckDocument, VerifyDocument } from './verify-document.ts';
import { commandOf, countsOf, remarksOf, troubled } from './verify-words.ts';

/** A run as workflow commands of GitHub Actions: an annotation for each check that doesn't hold, then the verdict. */
export function verifyGithub(document: VerifyDocument): readonly string[] {
  return [
    ...troubled(document).map(annotation),
    ...remarksOf(document).map(
      (remark) => `::warning title=${commandOf(document)}::${data(remark)}`,
    ),
    `${commandOf(document)}: ${countsOf(document)}.`,
  ];
}

function annotation(check: CheckDocument): string {
  const { id, title, status, known, expected, observed, diagnosis, mend, repeat } = check;
  const command = status === 'failed' && known === undefined ? 'error' : 'warning';
  const message = [
    title,
    `Expected: ${expected}`,
    `Observed: ${observed}`,
    ...(diagnosis ? [`${diagnosis.code}: ${diagnosis.message}`] : []),
    ...(mend ? [`Change: ${mend}`] : []),
    ...(known ? [`Known: ${known.reason}`] : []),
    ...(repeat ? [repeat.command] : []),
  ].join('\n');
  return `::${command} title=${property(id)}::${data(message)}`;
}

/** The escapes that the runner undoes; no text can begin another command. */
function data(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}

function property(text: string): string {
  return data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
}
