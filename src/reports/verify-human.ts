import { counted, escapeControls } from '../text.ts';
import { type FailureLook, failureText } from './failure-text.ts';
import { fields, marks, padEnd, type Style, verdict, wrapCommand } from './human.ts';
import type { CheckDocument, VerifyDocument } from './verify-document.ts';
import {
  commandsOf,
  countsOf,
  factsOf,
  groupsOf,
  isGood,
  remarksOf,
  seconds,
  trafficOf,
  troubled,
} from './verify-words.ts';

/** A run for people: the checks, the failures and how to fix them, the verdict. */
export function verifyLines(document: VerifyDocument, look: FailureLook): readonly string[] {
  const { checks, target } = document;
  const lines = new CheckLines(checks, look.style);
  return [
    headLine(target, look.style),
    ...groupsOf(checks).flatMap(([, group]) => ['', ...group.flatMap((check) => lines.of(check))]),
    ...summaryLines(document, look),
  ];
}

export function headLine(target: string, style: Style): string {
  return `Verifying ${style.bold(escapeControls(target))}`;
}

/** What follows the list of the checks. */
export function summaryLines(document: VerifyDocument, look: FailureLook): readonly string[] {
  const { style } = look;
  const { duration_ms: duration, users } = document;
  return [
    ...causesOf(document).flatMap((group) => ['', ...causeLines(group, look)]),
    '',
    ...remarksOf(document).map((remark) => style.warn(escapeControls(remark))),
    style.dim(
      `${trafficOf(document)} in ${seconds(duration)} s; ${counted(users.length, 'test user')}${exampleOf(users)}; seed ${document.seed}; cipher ${document.cipher}`,
    ),
    verdict(isGood(document), `${countsOf(document)}.`, style),
  ];
}

type CheckInList = Pick<CheckDocument, 'id' | 'title' | 'status' | 'reason' | 'known' | 'notes'>;

/** The lines of the checks of a run, one after the other, as they end. */
export class CheckLines {
  readonly #width: number;
  readonly #style: Style;
  #reason: string | undefined;

  constructor(checks: readonly Pick<CheckDocument, 'id'>[], style: Style) {
    this.#width = Math.max(0, ...checks.map(({ id }) => id.length));
    this.#style = style;
  }

  /** The line of a check, with its notes below it; a reason that was printed just before is not repeated. */
  of(check: CheckInList): readonly string[] {
    const style = this.#style;
    const { id, title, status, reason = '', known, notes } = check;
    const why =
      reason === this.#reason
        ? 'skipped for the same reason'
        : `skipped: ${escapeControls(reason)}`;
    if (status === 'skipped') this.#reason = reason;
    const text = status === 'skipped' ? style.dim(why) : title;
    const suffix =
      known === undefined ? '' : style.dim(` (known: ${escapeControls(known.reason)})`);
    return [
      `  ${markOf(status, style)} ${padEnd(id, this.#width)}  ${text}${suffix}`,
      ...notes.map((note) => `    ${padEnd('', this.#width)}  ${style.dim(escapeControls(note))}`),
    ];
  }
}

function markOf(status: CheckDocument['status'], style: Style): string {
  return {
    passed: style.good(marks.good),
    failed: style.bad(marks.bad),
    warned: style.warn('!'),
    skipped: style.dim(marks.note),
  }[status];
}

/** Failures and warnings that have one cause and one fix. */
function causesOf(document: VerifyDocument): readonly (readonly CheckDocument[])[] {
  const groups = new Map<string, CheckDocument[]>();
  for (const check of troubled(document)) {
    const { diagnosis, observed = '', fix = '' } = check;
    const key = JSON.stringify([diagnosis?.code ?? observed, fix]);
    groups.set(key, [...(groups.get(key) ?? []), check]);
  }
  return [...groups.values()];
}

const indent = '  ';

function causeLines(group: readonly CheckDocument[], look: FailureLook): readonly string[] {
  const [first, ...others] = group;
  if (first === undefined) return [];
  const { style, detail } = look;
  const { id, title, level, status, diagnosis, fix = '' } = first;
  const parts = {
    code: diagnosis?.code ?? '',
    cause: escapeControls(diagnosis?.message ?? differenceOf(first)),
    fix: escapeControls(fix),
    calls: diagnosis?.calls,
  };
  const also = others.map((check) => check.id).join(', ');
  return [
    `${markOf(status, style)} ${style.bold(id)}  ${title} (${level})`,
    ...failureText(parts, { ...look, width: look.width - indent.length }).map(
      (line) => indent + line,
    ),
    ...(also === '' ? [] : [`${indent}${style.bold('also:')}  ${also}`]),
    ...(detail === 'verbose' ? group.flatMap((check) => detailLines(check, look)) : []),
  ];
}

function differenceOf({ expected = '', observed = '' }: CheckDocument): string {
  return `Expected ${expected}; got ${observed}.`;
}

/** What --verbose adds to a failure; cause and fix are above it. */
function detailLines(check: CheckDocument, { style, width }: FailureLook): readonly string[] {
  const facts = factsOf(check)
    .filter(([name]) => name !== 'Diagnosis' && name !== 'Fix')
    .map(([name, text]) => [name, escapeControls(text)] as const);
  const commands = commandsOf(check).flatMap((line) => wrapCommand(line, width - 4));
  return [
    `${indent}${style.bold(check.id)}`,
    ...fields(facts, style, '    '),
    ...commands.map((line) => `    ${line}`),
  ];
}

function exampleOf([first]: readonly string[]): string {
  return first === undefined ? '' : ` (${escapeControls(first)} …)`;
}
