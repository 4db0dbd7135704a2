import type { CheckDocument, VerifyDocument } from '../conformance/document.ts';
import { escapeControls } from '../text.ts';
import {
  commandsOf,
  countsOf,
  factsOf,
  groupsOf,
  remarksOf,
  requirementsIn,
  seconds,
  trafficOf,
  troubled,
} from './verify-words.ts';

const marks = {
  passed: '✅',
  failed: '❌',
  warned: '⚠️',
  incomplete: '❔',
  skipped: '➖',
} as const;

export function verifyMarkdown(document: VerifyDocument): string {
  const { duration_ms: duration, users, seed, cipher } = document;
  const lines = [
    `## authcli ${document.command}: ${countsOf(document)}`,
    '',
    `${code(document.target)}${requirementsIn(document)}, ${trafficOf(document)} in ${seconds(duration)} s, seed ${code(seed)}, cipher ${code(cipher)}`,
    ...remarksOf(document).flatMap((remark) => ['', `> ${text(remark)}`]),
    ...troubled(document).flatMap((check) => trouble(check, document)),
    '',
    '<details><summary>All checks</summary>',
    ...groupsOf(document.checks).flatMap(([group, checks]) => [
      '',
      `| ${group} | passes when | |`,
      '|---|---|---|',
      ...checks.map(row),
    ]),
    '',
    '</details>',
    '',
    '<details><summary>Test users</summary>',
    '',
    users.map(code).join(' ') || 'none',
    '',
    '</details>',
  ];
  return `${lines.join('\n')}\n`;
}

function trouble(check: CheckDocument, document: VerifyDocument): readonly string[] {
  const commands = commandsOf(check);
  return [
    '',
    `### ${marks[check.status]} ${check.id} (${check.level})`,
    '',
    text(check.title),
    '',
    ...factsOf(check, document).map(
      ([name, fact, isCode]) => `- ${name}: ${(isCode ? code : text)(fact)}`,
    ),
    ...(commands.length === 0 ? [] : ['', ...fenced(commands)]),
  ];
}

function row(check: CheckDocument): string {
  const why = check.reason ?? check.diagnosis?.code ?? '';
  const cells = [`${marks[check.status]} ${check.id}`, text(check.title), text(why)];
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}

/** A fence longer than any run of backticks inside. */
function fenced(lines: readonly string[]): readonly string[] {
  const body = lines.map(escapeControls);
  const fence = ticksAround(body.join('\n'), 3);
  return [`${fence}sh`, ...body, fence];
}

function ticksAround(text: string, least: number): string {
  let count = least;
  for (const [run] of text.matchAll(/`+/g)) count = Math.max(count, run.length + 1);
  return '`'.repeat(count);
}

/** No user is mentioned (`@team`), and nothing is linked (`https://`, `www.`, `#12`): an invisible space is put into each. */
function text(raw: string): string {
  return escapeControls(raw)
    .replace(/[\\`*_{}[\]<>#|~]/g, (mark) => `\\${mark}`)
    .replace(/@(?=\w)|#(?=\d)|:(?=\/\/)|www(?=\.)/gi, '$&\u200b');
}

function code(raw: string): string {
  const shown = escapeControls(raw);
  const ticks = ticksAround(shown, 1);
  return ticks === '`' ? `\`${shown}\`` : `${ticks} ${shown} ${ticks}`;
}
