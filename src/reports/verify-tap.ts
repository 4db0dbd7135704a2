import { escapeControls } from '../text.ts';
import type { CheckDocument, VerifyDocument } from './verify-document.ts';
import { remarksOf } from './verify-words.ts';

/** A run as TAP 14; warnings and known failures are `not ok` with TODO, which harnesses don't count. */
export function verifyTap(document: VerifyDocument): string {
  const { checks } = document;
  const lines = [
    'TAP version 14',
    `1..${checks.length}`,
    ...checks.flatMap((check, index) => testLines(check, index + 1)),
    ...remarksOf(document).map((remark) => `# ${escapeControls(remark)}`),
    ...(document.unreachable ? [`Bail out! ${escapeControls(document.unreachable.message)}`] : []),
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
  if (status === 'skipped') return ` # SKIP ${escapeControls(reason)}`;
  if (known !== undefined) return ` # TODO known: ${escapeControls(known.reason)}`;
  return status === 'warned' ? ' # TODO a should that failed' : '';
}

/** YAML whose values are JSON strings, which YAML reads as they are. */
function details(check: CheckDocument): readonly string[] {
  const { section, level, expected, observed, diagnosis, fix, repeat } = check;
  const values = {
    section,
    level,
    expected,
    observed,
    diagnosis: diagnosis?.code,
    message: diagnosis?.message,
    fix,
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
  return escapeControls(text).replaceAll('#', '\\#');
}
