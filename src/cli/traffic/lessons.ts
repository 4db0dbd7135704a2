import { reveal } from '../../reports/redact.ts';
import { settingNamed } from '../../state/settings.ts';
import { escapeControls } from '../../text.ts';
import type { Departures, DistinctFinding } from '../../traffic/findings.ts';
import type { Lesson } from '../../traffic/learn.ts';
import { readSetting } from '../args/setting-values.ts';
import type { Session } from '../session.ts';

/** What both sides do that the interface forbids; nothing where neither does. */
export function departureLines(departures: Departures, { style }: Session): readonly string[] {
  const sides = [
    ['the service', departures.service],
    ['the application', departures.application],
  ] as const;
  const lines = sides.flatMap(([side, findings]) => [
    ...(findings.length > 0 ? ['', style.bold(side)] : []),
    ...findings.map((finding) => {
      const { check, count, source } = finding;
      const places = count === 1 ? source : `${count} times, first in ${source}`;
      return escapeControls(`  ${statementOf(finding)} ${check.id}, ${places}`);
    }),
  ]);
  return lines.length === 0 ? [] : ['', 'Departures from the interface:', ...lines];
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
    const name = settingNamed(setting);
    if (name === undefined || value === undefined || confidence !== 'certain') continue;
    await settings.assign(() => ({ [name]: readSetting(name, value) }));
    saved.push(name);
  }
  return saved;
}
