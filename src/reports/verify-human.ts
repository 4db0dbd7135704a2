import type { CheckDocument, VerifyDocument } from '../conformance/document.ts';
import { counted, escapeControls } from '../text.ts';
import { type FailureLook, failureText } from './failure-text.ts';
import { fields, marks, padEnd, type Style, verdict, wrapCommand } from './human.ts';
import {
  causesOf,
  commandsOf,
  countsOf,
  factsOf,
  groupsOf,
  isGood,
  remarksOf,
  requirementsIn,
  seconds,
  trafficOf,
  unjudgedIn,
  unjudgedText,
} from './verify-words.ts';

/** So that a run fits a page of a terminal. */
const mostCauses = 4;

/** A run for people: what ran, each cause with its fix, the verdict. --verbose adds each check and what was observed. */
export function verifyLines(document: VerifyDocument, look: FailureLook): readonly string[] {
  const { style, detail } = look;
  const { checks, target, duration_ms: duration, users, seed, cipher, interrupted } = document;
  const causes = causesOf(document);
  const isWhole = detail === 'verbose' || causes.length <= mostCauses + 1;
  const [shown, named] = isWhole
    ? [causes, []]
    : [causes.slice(0, mostCauses), causes.slice(mostCauses)];
  const skipped = unjudgedIn(document).filter(({ status }) => status === 'skipped' && !interrupted);
  const facts = [
    `${trafficOf(document)} in ${seconds(duration)} s`,
    counted(users.length, 'test user') + (users[0] === undefined ? '' : ` (${users[0]} …)`),
    `seed ${seed}`,
    `cipher ${cipher}`,
  ];
  return [
    ...(detail === 'quiet'
      ? []
      : [`Verifying ${style.bold(escapeControls(target))}${requirementsIn(document)}`]),
    ...(detail === 'quiet' ? [] : groupsOf(checks).flatMap((group) => groupLines(group, look))),
    ...shown.flatMap((group) => ['', ...causeLines(group, document, look)]),
    ...(named.length === 0 ? [] : ['']),
    ...named.flat().map((check) => headOf(check, style)),
    '',
    ...skipped.map((each) => style.dim(escapeControls(unjudgedText(each)))),
    ...remarksOf(document).map((remark) => style.warn(escapeControls(remark))),
    style.dim(escapeControls(facts.join('; '))),
    verdict(isGood(document), `${countsOf(document)}.`, style),
  ];
}

type Group = readonly [name: string, checks: readonly CheckDocument[]];

function groupLines([name, checks]: Group, { style, detail }: FailureLook): readonly string[] {
  if (detail === 'verbose') {
    const width = Math.max(...checks.map(({ id }) => id.length));
    return ['', ...checks.flatMap((check) => checkLines(check, width, style))];
  }
  const passed = checks.filter(({ status }) => status === 'passed').length;
  const ranked = ['failed', 'incomplete', 'warned', 'skipped', 'passed'] as const;
  const worst = ranked.find((status) => checks.some((check) => check.status === status));
  const count = passed === checks.length ? passed : `${passed} of ${checks.length}`;
  return [`  ${markOf(worst ?? 'skipped', style)} ${padEnd(name, 12)}  ${count} passed`];
}

function checkLines(check: CheckDocument, width: number, style: Style): readonly string[] {
  const { id, title, status, reason, known, notes } = check;
  const text = reason === undefined ? title : style.dim(`${status}: ${escapeControls(reason)}`);
  const suffix = known && style.dim(` (known: ${escapeControls(known.reason)})`);
  return [
    `  ${markOf(status, style)} ${padEnd(id, width)}  ${text}${suffix ?? ''}`,
    ...notes.map((note) => `    ${padEnd('', width)}  ${style.dim(escapeControls(note))}`),
  ];
}

function markOf(status: CheckDocument['status'], style: Style): string {
  return {
    passed: style.good(marks.good),
    failed: style.bad(marks.bad),
    warned: style.warn('!'),
    incomplete: style.warn('?'),
    skipped: style.dim(marks.note),
  }[status];
}

function headOf({ id, status, title }: CheckDocument, style: Style): string {
  return `${markOf(status, style)} ${style.bold(id)}  ${title}`;
}

const indent = '  ';

function causeLines(group: readonly CheckDocument[], document: VerifyDocument, look: FailureLook) {
  const [first, ...others] = group;
  if (first === undefined) return [];
  const { style, detail, width } = look;
  const { level, diagnosis, fix = '', known } = first;
  const { expected = '', observed = '' } = first;
  const parts = {
    cause: escapeControls(diagnosis?.message ?? `Expected ${expected}; got ${observed}.`),
    fix: escapeControls(fix),
    calls: diagnosis?.calls,
    evidence: diagnosis?.evidence,
  };
  const ids = group.map((check) => check.id);
  const lacking = document.checks.filter(
    ({ status: its, lacks = '' }) => its === 'skipped' && ids.includes(lacks),
  );
  const below = [
    ['also:', others.map((check) => check.id).join(', ')],
    ['known:', known === undefined ? '' : escapeControls(known.reason)],
    ['skipped for it:', lacking.length === 0 ? '' : counted(lacking.length, 'check')],
  ] as const;
  return [
    `${headOf(first, style)} (${level})`,
    ...failureText(parts, { ...look, width: width - indent.length }).map((line) => indent + line),
    ...below
      .filter(([, text]) => text !== '')
      .map(([label, text]) => `${indent}${style.bold(label)}  ${text}`),
    ...(detail === 'verbose' ? group.flatMap((check) => detailLines(check, look)) : []),
  ];
}

/** What --verbose adds to a failure; cause and fix are above it. */
function detailLines(check: CheckDocument, { style, width }: FailureLook): readonly string[] {
  const facts = factsOf(check, {})
    .filter(([name]) => name !== 'Diagnosis' && name !== 'Fix')
    .map(([name, text]) => [name, escapeControls(text)] as const);
  const commands = commandsOf(check).flatMap((line) => wrapCommand(line, width - 4));
  return [
    `${indent}${style.bold(check.id)}`,
    ...fields(facts, style, '    '),
    ...commands.map((line) => `    ${line}`),
  ];
}
