import { escapeControls } from '../text.ts';
import type { CheckDocument, VerifyDocument } from './verify-document.ts';
import { remarksOf } from './verify-words.ts';

/**
 * A run as TAP 14. A warning and a known failure are `not ok` with the directive TODO, which
 * harnesses show and don't count.
 */
export function verifyTap(document: VerifyDocument): string {
  const { checks } = document;
  const lines = [
    'TAP version 14',
    `1..${checks.length}`,
    ...checks.flatMap((check, index) => testLines(check, index + 1)),
    ...remarksOf(document).map((remark) => `# ${line(remark)}`),
    ...(document.unreachable ? [`Bail out! ${line(document.unreachable.message)}`] : []),
  ];
  return `${lines.join('\n')}\n`;
}

function testLines(check: CheckDocument, number: number): readonly string[] {
  const { status, id, title } = check;
  const result = status === 'passed' || status === 'skipped' ? 'ok' : 'not ok';
  const head = `${result} ${number} - ${id}: ${described(title)}${directive(check)}`;
  return status === 'failed' || status === 'warned' ? [head, ...details(check)] : [head];
}

function directive({ status, reason = '', known }: CheckDocument): string {
  if (status === 'skipped') return ` # SKIP ${line(reason)}`;
  if (known !== undefined) return ` # TODO known: ${line(known.reason)}`;
  return status === 'warned' ? ' # TODO a should that does not hold' : '';
}

/** YAML whose values are JSON strings, which YAML reads as they are. */
function details(check: CheckDocument): readonly string[] {
  const { section, level, expected, observed, diagnosis, mend, repeat } = check;
  const values = {
    section,
    level,
    expected,
    observed,
    diagnosis: diagnosis?.code,
    message: diagnosis?.message,
    change: mend,
    curl: repeat?.curl,
    repeat: repeat?.command,
  };
  const rows = Object.entries(values)
    .filter(([, value]) => value !== undefined && value !== '')
    .map(([name, value]) => `  ${name}: ${JSON.stringify(escapeControls(value ?? ''))}`);
  return ['  ---', ...rows, '  ...'];
}

/** A `#` in a description would begin a directive. */
function described(text: string): string {
  return line(text).replaceAll('#', '\\#');
}

function line(text: string): string {
  return escapeControls(text);
}
