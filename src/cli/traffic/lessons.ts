import type { Departures, DistinctFinding } from '../../relay/findings.ts';
import type { Lesson } from '../../relay/lessons/lesson.ts';
import { padEnd, wrapText } from '../../reports/human.ts';
import { reveal } from '../../reports/redact.ts';
import { type SettingValue, settingNamed } from '../../state/settings.ts';
import { escapeControls } from '../../text.ts';
import { readSetting } from '../args/setting-values.ts';
import type { Session } from '../session.ts';
import { columnsOf, cutToColumns } from '../terminal/style.ts';

/** Narrower columns are below each other. */
const narrowestColumn = 36;
const gap = '  ';

/** What both sides do that the interface forbids, side by side; nothing where neither does. */
export function departureLines(departures: Departures, session: Session): readonly string[] {
  const { service, application } = departures;
  if (service.length + application.length === 0) return [];
  const { style } = session;
  const columns = columnsOf(session.context.stdout);
  const width = Math.floor((Math.min(columns, 160) - 3 * gap.length) / 2);
  const isNarrow = width < narrowestColumn;
  const cell = (heading: string, findings: readonly DistinctFinding[]) =>
    cellLines(heading, findings, isNarrow ? columns - gap.length : width, session);
  const [left, right] = [cell('the service', service), cell('the application', application)];
  const bold = (line: string, row: number) => (row === 0 ? style.bold(line) : line);
  const indented = (lines: readonly string[]) =>
    lines.map((line, row) => (line === '' ? '' : gap + bold(line, row)));
  const rows = isNarrow
    ? [...indented(left), '', ...indented(right)]
    : Array.from({ length: Math.max(left.length, right.length) }, (_, row) => {
        const text = padEnd(left[row] ?? '', width);
        return `${gap}${bold(text, row)}${gap}${bold(right[row] ?? '', row)}`.trimEnd();
      });
  return ['', 'Departures from the interface:', ...rows];
}

/** A secret is hidden before the text is wrapped. */
function cellLines(
  heading: string,
  findings: readonly DistinctFinding[],
  width: number,
  session: Session,
): string[] {
  const texts = findings.flatMap((finding) => [
    '',
    ...wrapText(escapeControls(session.redact(statementOf(finding))), width),
    ...wrapText(`${finding.check.id}, ${placesOf(finding)}`, width),
  ]);
  const cut = texts.map((line) => cutToColumns(line, width));
  return [heading, ...(findings.length === 0 ? ['', 'none seen'] : cut)];
}

function placesOf({ count, source }: DistinctFinding): string {
  return count === 1 ? source : `${count} times, first in ${source}`;
}

function statementOf({ fault }: DistinctFinding): string {
  return fault.diagnosis?.message ?? `Expected ${fault.expected}, got ${fault.observed}.`;
}

/** The same for programs. */
export function departureFields({ service, application }: Departures) {
  return { service: service.map(fieldsOf), application: application.map(fieldsOf) };
}

function fieldsOf(finding: DistinctFinding) {
  const { check, fault, count, source } = finding;
  return {
    id: check.id,
    title: check.title,
    section: reveal(check.section),
    message: statementOf(finding),
    fix: fault.fix,
    count,
    first: source,
  };
}

/** Stores what is certain, and returns the names. */
export async function saveLessons(
  lessons: readonly Lesson[],
  session: Session,
): Promise<readonly string[]> {
  const saved: string[] = [];
  const { settings } = await session.state();
  for (const { setting, value, confidence } of lessons) {
    const definition = settingNamed(setting);
    if (definition === undefined || value === undefined || confidence !== 'certain') continue;
    const { name } = definition;
    await settings.set(name, readSetting(definition, value) as SettingValue<typeof name>);
    saved.push(name);
  }
  return saved;
}
