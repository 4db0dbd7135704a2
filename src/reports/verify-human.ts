import { hintLines } from '../diagnosis/catalogue-hint.ts';
import { escapeControls } from '../text.ts';
import { fields, marks, padEnd, type Style, verdict } from './human.ts';
import type { CheckDocument, VerifyDocument } from './verify-document.ts';
import {
  counted,
  countsOf,
  groupsOf,
  isGood,
  remarksOf,
  seconds,
  targetOf,
  trafficOf,
  troubled,
} from './verify-words.ts';

/** A run for people: every check in a line, then what is wrong and how to mend it, then the verdict. */
export function verifyLines(document: VerifyDocument, style: Style): readonly string[] {
  const { checks, duration_ms: duration, users } = document;
  const width = Math.max(0, ...checks.map(({ id }) => id.length));
  return [
    `Verifying ${style.bold(escapeControls(targetOf(document)))}`,
    ...groupsOf(checks).flatMap(([, group]) => [
      '',
      ...group.flatMap((check) => [
        checkLine(check, { width, style, isRepeated: isRepeated(check, checks) }),
        ...noteLines(check, width, style),
      ]),
    ]),
    ...troubled(document).flatMap((check) => ['', ...troubleLines(check, style)]),
    '',
    ...remarksOf(document).map((remark) => style.warn(escapeControls(remark))),
    style.dim(
      `${trafficOf(document)} in ${seconds(duration)} s; ${counted(users.length, 'test user')}${exampleOf(users)}; seed ${document.seed}; cipher ${document.cipher}`,
    ),
    verdict(isGood(document), `${countsOf(document)}.`, style),
  ];
}

/** Whether the check before it that was skipped was so for the same reason: that need not be read twice. */
function isRepeated(check: CheckDocument, checks: readonly CheckDocument[]): boolean {
  if (check.status !== 'skipped') return false;
  const skipped = checks.filter(({ status }) => status === 'skipped');
  return skipped[skipped.indexOf(check) - 1]?.reason === check.reason;
}

interface LineLook {
  /** Of the widest id, in columns. */
  readonly width: number;
  readonly style: Style;
  readonly isRepeated: boolean;
}

function checkLine(check: CheckDocument, { width, style, isRepeated }: LineLook): string {
  const { id, title, status, reason = '', known } = check;
  const mark = {
    passed: style.good(marks.good),
    failed: style.bad(marks.bad),
    warned: style.warn('!'),
    skipped: style.dim(marks.note),
  }[status];
  const why = isRepeated ? 'skipped likewise' : `skipped: ${escapeControls(reason)}`;
  const text = status === 'skipped' ? style.dim(why) : title;
  const suffix = known === undefined ? '' : style.dim(` (known: ${escapeControls(known.reason)})`);
  return `  ${mark} ${padEnd(id, width)}  ${text}${suffix}`;
}

function noteLines({ notes }: CheckDocument, width: number, style: Style): readonly string[] {
  return notes.map((note) => `    ${padEnd('', width)}  ${style.dim(escapeControls(note))}`);
}

/** The order is that of the contract: what it is, where it stands, what was seen, how to mend and repeat it. */
function troubleLines(check: CheckDocument, style: Style): readonly string[] {
  const { id, title, level, status, section, sentence, diagnosis, repeat } = check;
  const mark = status === 'failed' ? style.bad(marks.bad) : style.warn('!');
  const cause = diagnosis && `${style.bold(diagnosis.code)}: ${escapeControls(diagnosis.message)}`;
  return [
    `${mark} ${style.bold(id)}  ${title} (${level})`,
    ...fields(
      [
        ['section', `${section}: ${sentence}`],
        ['expected', shown(check.expected)],
        ['observed', shown(check.observed)],
        ['diagnosis', cause],
        ...changeRows(check),
      ],
      style,
      '    ',
    ),
    ...(repeat?.curl === undefined ? [] : [`    ${escapeControls(repeat.curl)}`]),
    ...(repeat === undefined ? [] : [`    ${escapeControls(repeat.command)}`]),
  ];
}

/** The instruction, and the right call of each stack in a line of its own. */
function changeRows({ mend }: CheckDocument): readonly (readonly [string, string | undefined])[] {
  const [first, ...calls] = hintLines(mend ?? '');
  return [['change', shown(first)], ...calls.map((call) => ['', shown(call.trim())] as const)];
}

function shown(text: string | undefined): string | undefined {
  return text === undefined || text === '' ? undefined : escapeControls(text);
}

function exampleOf([first]: readonly string[]): string {
  return first === undefined ? '' : ` (${escapeControls(first)} …)`;
}
