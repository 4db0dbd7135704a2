import { defaultCipher } from '../../crypto/cipher.ts';
import { reveal } from '../../reports/redact.ts';
import { settingNamed } from '../../state/settings.ts';
import { counted, escapeControls, shellWord } from '../../text.ts';
import { type Departures, type DistinctFinding, Findings } from '../../traffic/findings.ts';
import { Judge } from '../../traffic/judge.ts';
import { Learner, type Lesson } from '../../traffic/learn.ts';
import { flag } from '../args/options.ts';
import { readSetting } from '../args/setting-values.ts';
import { defineCommand, type Line } from '../command.ts';
import type { Session } from '../session.ts';
import { exchangesOf, nothingFound } from './traffic-files.ts';

export const learn = defineCommand({
  path: 'learn',
  about:
    'Finds in recorded traffic what the interface leaves open: the cipher, the form of the user information, the time zone of expire_dt, the lifetime of a token, codes and messages, extra fields, headers. Prints each with its confidence and where it was seen, and what both sides do that the interface forbids.',
  flags: {
    files: flag('<file...>', 'recordings, HTTP archives (HAR) or logs, also packed with gzip', {
      input: 'path',
    }),
    saveSettings: flag('--save-settings', 'store the settings that are certain in the profile'),
  },
  notes: [
    '"certain": nothing else fits what was recorded. "likely": it fits best, and the others that fit are listed. "unknown": the recording doesn\'t show it.',
    'What --json prints is described by schemas/learn-1.json in the package. Departures are those of a `must`, by the checks of `analyze`, which judges payloads and keys as well.',
    'The cipher and the user information need a recording with keys: `relay --decrypt --record FILE --show-secrets`.',
  ],
  examples: {
    'a recording': 'authcli learn session.jsonl',
    'several of them, and store what is certain':
      'authcli learn monday.jsonl tuesday.jsonl --save-settings',
    'the cipher, for a script':
      'authcli learn session.jsonl --json | jq -r \'.settings[] | select(.setting == "cipher").value\'',
  },
  run: async ({ files, saveSettings }, session) => {
    const learner = new Learner();
    const judge = new Judge(noKeys);
    const findings = new Findings();
    const progress = session.progress('Reading traffic');
    let [exchanges, isRedacted] = [0, false];
    for await (const exchange of exchangesOf(files, session)) {
      if (exchange.operation === 'other') continue;
      exchanges += 1;
      isRedacted ||= exchange.isRedacted === true;
      learner.observe(exchange);
      // payloads are read by the cipher that is learned, and not judged
      const isKeyExchange = exchange.operation === 'key-exchange';
      const judged = isKeyExchange ? exchange : { ...exchange, key: undefined };
      const judgement = await judge.judge(judged, { cipher: defaultCipher });
      for (const finding of judgement.findings) findings.add(finding, exchange);
    }
    const lessons = learner.read();
    progress.stop();
    if (exchanges === 0) throw nothingFound(files);
    const onWire = lessons.filter(({ isOfWire }) => isOfWire);
    const saved = saveSettings ? await saveLessons(lessons, session) : [];
    if (isRedacted && lessons.some(({ confidence }) => confidence === 'unknown')) {
      session.note(
        'secrets are hidden in the recording; to learn what is unknown, record again with `authcli relay --decrypt --record FILE --show-secrets`',
      );
    }
    return {
      fields: {
        schema: reveal('authcli/learn/1'),
        exchanges,
        settings: lessons.map(lessonFields),
        departures: departureFields(findings.departures),
        saved,
      },
      lines: [
        `Learned from ${counted(exchanges, 'exchange')}:`,
        ...lessons
          .filter(({ isOfWire }) => !isOfWire)
          .flatMap((lesson) => ['', ...lessonLines(lesson, saved, session)]),
        ...(onWire.length > 0 ? ['', 'On the wire:'] : []),
        ...onWire.map(({ setting, value }) => escapeControls(`  ${setting}: ${value}`)),
        ...departureLines(findings.departures, session),
      ],
    };
  },
});

/** What a key is derived from is for `analyze`, which takes its time. */
const noKeys = { atOnce: 0, perSecond: 0 };

/** A lesson for programs. */
export function lessonFields({ setting, value, confidence, evidence, alternatives = [] }: Lesson) {
  return {
    setting: reveal(setting),
    value: value ?? null,
    confidence: reveal(confidence),
    evidence,
    ...(alternatives.length > 0 && { alternatives }),
  };
}

function lessonLines(
  { setting, value, confidence, evidence, alternatives = [], isAssumed }: Lesson,
  saved: readonly string[],
  { style }: Session,
): readonly Line[] {
  const isSetting = settingNamed(setting) !== undefined;
  const line = `authcli config set ${setting} ${shellWord(value ?? '')}`;
  const toSet = saved.includes(setting) ? 'stored in the profile' : style.accent(line);
  return [
    `${style.bold(setting)}  ${escapeControls(value ?? 'unknown')}  ${value === undefined ? '' : style.dim(confidence)}`.trimEnd(),
    `  ${escapeControls(evidence)}`,
    ...(alternatives.length > 0
      ? [
          `  ${value === undefined ? 'fits' : 'also fits'}: ${escapeControls(alternatives.join(', '))}`,
        ]
      : []),
    ...(isSetting && value !== undefined && !isAssumed ? [`  ${toSet}`] : []),
  ];
}

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
