import { exitStatusMeanings } from '../src/cli/exit-status.ts';
import {
  type CommandDescription,
  describeCommands,
  type OptionDescription,
  type ValueDescription,
} from '../src/cli/terminal/help.ts';
import { wrapText } from '../src/reports/human.ts';

/** The manual pages by their file: `authcli.1`, and `authcli-key-wrap.1` for each command. In the macros of man(7). */
export async function manPages(version: string): Promise<ReadonlyMap<string, string>> {
  const described = await describeCommands();
  const pages = described.map(
    (command) => [`${pageName(command)}.1`, commandPage(command, version)] as const,
  );
  return new Map([['authcli.1', programPage(described, version)], ...pages]);
}

function pageName({ name }: CommandDescription): string {
  return `authcli-${name.replaceAll(' ', '-')}`;
}

function programPage(described: readonly CommandDescription[], version: string): string {
  return page('authcli', version, [
    ...section('Name', ['authcli \\- integrate and test the sign\\-in and key\\-exchange service']),
    ...section('Synopsis', ['.B authcli', '.I command', '[options]']),
    ...section('Description', [
      text(
        'Plays the other side of the sign-in service, tells you what is wrong and how to fix it. Begin with `authcli demo`, or with `authcli init`.',
      ),
    ]),
    ...section(
      'Commands',
      described.flatMap((command) => [
        '.TP',
        `.BR ${pageName(command).replaceAll('-', '\\-')} (1)`,
        text(command.summary),
      ]),
    ),
    ...section(
      'Exit status',
      exitStatuses(exitStatusMeanings.map(([status, meaning]) => ({ status, meaning }))),
    ),
    ...section('Environment', [
      text(
        'Settings are also read from AUTHCLI_ plus their name; `authcli help environment` lists the variables. Also obeyed: NO_COLOR, FORCE_COLOR, TERM, CI, HTTP_PROXY, HTTPS_PROXY, NO_PROXY.',
      ),
    ]),
  ]);
}

const titles = {
  command: 'Options',
  network: 'Network',
  output: 'Output',
  general: 'Every command',
};

function commandPage(command: CommandDescription, version: string): string {
  const { summary, usage, about, notes, examples } = command;
  const name = pageName(command);
  const groups = (['command', 'network', 'output', 'general'] as const).map(
    (group) => [titles[group], command.options.filter((option) => option.group === group)] as const,
  );
  return page(name, version, [
    ...section('Name', [line(`${name} - ${summary}`)]),
    ...section('Synopsis', [text(usage)]),
    ...section(
      'Description',
      [about, ...notes].flatMap((part, index) =>
        index === 0 ? [text(part)] : ['.PP', text(part)],
      ),
    ),
    ...section('Arguments', command.arguments.flatMap(argument)),
    ...groups.flatMap(([title, options]) => section(title, options.flatMap(option))),
    ...section(
      'Examples',
      examples
        .flatMap((example) => [
          '.PP',
          text(`${example.about}:`),
          '.PP',
          '.nf',
          '.RS 4',
          line(example.line),
          '.RE',
          '.fi',
        ])
        .slice(1),
    ),
    ...section('Exit status', exitStatuses(command.exit_codes)),
    ...section('See also', ['.BR authcli (1)']),
  ]);
}

function page(name: string, version: string, lines: readonly string[]): string {
  const head = `.TH ${plain(name.toUpperCase())} 1 "" "authcli ${version}" "authcli manual"`;
  return `${[head, '.nh', '.ad l', ...lines].join('\n')}\n`;
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : [`.SH ${title.toUpperCase()}`, ...lines];
}

function argument({ name, about, required }: ValueDescription): string[] {
  return ['.TP', `.I ${plain(name)}`, text(required ? about : `${about} (optional)`)];
}

function option(described: OptionDescription): string[] {
  const { name, value, about } = described;
  const head = value === null ? `.B ${plain(name)}` : `.BI ${plain(name)} " ${plain(value)}"`;
  const traits = [
    described.required ? 'Required.' : undefined,
    described.choices === null ? undefined : `One of ${described.choices.join(', ')}.`,
    described.default === null ? undefined : `Default: ${described.default}.`,
    described.repeatable ? 'Repeatable.' : undefined,
    described.environment === null ? undefined : `Variable: ${described.environment}.`,
    described.setting === null ? undefined : `Setting: ${described.setting}.`,
  ].filter((trait) => trait !== undefined);
  const sentence = /[.?!]$/.test(about) ? about : `${about}.`;
  return ['.TP', head, text([sentence, ...traits].join(' '))];
}

function exitStatuses(codes: CommandDescription['exit_codes']): string[] {
  return codes.flatMap(({ status, meaning }) => ['.TP', `.B ${status}`, text(meaning)]);
}

/** Running text: what man(7) would take for a request, an escape or a hyphen is made plain. */
function text(words: string): string {
  return wrapText(plain(words), 78).map(escapeStart).join('\n');
}

/** A line that stays one. */
function line(words: string): string {
  return escapeStart(plain(words));
}

function escapeStart(words: string): string {
  return words.replace(/^(['.])/, '\\&$1');
}

function plain(words: string): string {
  return words
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll("'", '\\(aq')
    .replaceAll('`', '\\(ga')
    .replaceAll('"', '\\(dq')
    .replaceAll('^', '\\(ha')
    .replaceAll('~', '\\(ti')
    .replaceAll('…', '...')
    .replaceAll('–', '\\(en')
    .replace(/\s+/g, ' ');
}
