import { hanging, type Style, wrapText } from '../../reports/human.ts';
import {
  environmentName,
  type Flag,
  type Flags,
  isPositional,
  sourceName,
} from '../args/options.ts';
import { globalFlags } from '../args/shared-flags.ts';
import type { CommandDefinition } from '../command.ts';
import { exitCodesOf, groupOf, usageOf } from './command-description.ts';

/** The help of one command; `width` in columns. Notes, and options that many commands share, are only in the whole of it. */
export function commandHelp(
  definition: CommandDefinition,
  width: number,
  isWhole: boolean,
): string {
  const { flags, notes = [], examples } = definition;
  const all = [...Object.values<Flag<unknown>>(flags), ...Object.values(globalFlags)];
  const positionals = all.filter(isPositional);
  const options = (group: string): Flag<unknown>[] =>
    all.filter((flag) => !isPositional(flag) && groupOf(flag) === group);
  const network = options('network');
  const own = network.length > 0 ? 'What to send and how to evaluate it' : 'Options';
  const shared = [
    ['Network', network],
    ['Output', options('output')],
    ['Every command', options('general')],
  ] as const;
  const named = shared.filter(([, flags]) => !isWhole && flags.length > 0);
  return [
    ...wrapText(definition.about, width),
    '',
    ...wrapText(`Usage: ${usageOf(definition)}`, width),
    ...section('Arguments', positionals, width, isWhole),
    ...section(own, options('command'), width, isWhole),
    ...(isWhole ? shared.flatMap(([title, flags]) => section(title, flags, width, true)) : ['']),
    ...named.flatMap(([title, flags]) =>
      hanging(`${title}: `, flags.map(sourceName).join(', '), width),
    ),
    ...(isWhole ? notes.flatMap((note) => ['', ...wrapText(note, width)]) : []),
    '',
    'Examples:',
    ...Object.entries(examples).flatMap(([about, line]) => [
      ...wrapText(about, width - 4).map((part) => `  # ${part}`),
      `  ${line}`,
    ]),
    '',
    'Exit status:',
    ...exitCodesOf(definition)
      .filter(({ status }) => status < 70)
      .flatMap(({ status, meaning }) => hanging(`  ${status}  `, meaning, width)),
    '',
    ...wrapText(
      'A value "-" reads standard input, "@FILE" a file; a secret may be env:NAME, file:PATH or cmd:COMMAND.',
      width,
    ),
    ...wrapText(
      `More: authcli ${isWhole ? '' : `${definition.path} --help --all, `}help exit-codes, help environment, help ciphers`,
      width,
    ),
    '',
  ].join('\n');
}

/** Makes headings bold: lines after an empty one that end with a colon. */
export function withHeadings(text: string, { bold }: Style): string {
  return text.replace(/(?<=\n\n)[A-Z][^\n]*:(?=\n)/g, bold);
}

function section(
  title: string,
  flags: readonly Flag<unknown>[],
  width: number,
  isWhole: boolean,
): string[] {
  if (flags.length === 0) return [];
  const rows = flags.map((flag) => [flag.syntax, aboutOf(flag, isWhole)] as const);
  return ['', ...pairs(`${title}:`, rows, width, 36)];
}

/** Where else a value comes from, and a long default, are said in the whole help. */
function aboutOf(flag: Flag<unknown>, isWhole: boolean): string {
  const { fallback, setting } = flag;
  const usual = isWhole || (fallback ?? '').length < 30 ? fallback : undefined;
  const traits = [
    flag.required && !isPositional(flag) ? 'required' : undefined,
    flag.choices?.join(', '),
    usual === undefined ? undefined : `default ${usual}`,
    isWhole && setting !== undefined ? `setting ${setting}` : undefined,
    isWhole ? environmentName(flag) : undefined,
    flag.repeatable && !isPositional(flag) ? 'repeatable' : undefined,
  ].filter((trait) => trait !== undefined);
  return traits.length === 0 ? flag.about : `${flag.about} (${traits.join('; ')})`;
}

/** Rows below a title, wrapped. An explanation with fewer than `narrowest` columns is below its name. */
export function pairs(
  title: string,
  rows: readonly (readonly [name: string, about: string])[],
  width: number,
  narrowest = 18,
): string[] {
  const column = Math.max(...rows.map(([name]) => name.length)) + 4;
  const beside = width - column >= narrowest;
  return [
    title,
    ...rows.flatMap(([name, about]) =>
      beside
        ? hanging(`  ${name}`.padEnd(column), about, width)
        : [...hanging('  ', name, width), ...hanging('      ', about, width)],
    ),
  ];
}

function mostCommon(texts: readonly string[]): string {
  const times = (text: string) => texts.filter((other) => other === text).length;
  return texts.reduce((best, text) => (times(text) > times(best) ? text : best));
}

/** One row for each variable; where commands describe it differently, the most common text. */
export function environmentHelp(flags: readonly Flags[], width: number): string {
  const abouts = new Map<string, string[]>();
  for (const flag of flags.flatMap((record) => Object.values<Flag<unknown>>(record))) {
    const name = environmentName(flag);
    if (name !== undefined) abouts.set(name, [...(abouts.get(name) ?? []), flag.about]);
  }
  const names = [...abouts].map(([name, all]) => [name, mostCommon(all)] as const);
  return [
    ...wrapText(
      'Every option with a value can be set in the environment. An option overrides its variable, a variable overrides the setting of the profile.',
      width,
    ),
    ...pairs('', names.sort(), width),
    '',
    ...wrapText(
      'Also supported: NO_COLOR, FORCE_COLOR (0 to 3), TERM, CI, HTTP_PROXY, HTTPS_PROXY, NO_PROXY.',
      width,
    ),
    '',
  ].join('\n');
}
