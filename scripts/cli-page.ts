import { commands } from '../src/cli/commands/index.ts';
import { exitStatusMeanings } from '../src/cli/exit-status.ts';
import {
  type CommandDescription,
  describeCommands,
  type OptionDescription,
} from '../src/cli/terminal/command-description.ts';

const groups = ['command', 'network', 'output'] as const;
const titles = { command: 'Options', network: 'Network', output: 'Output' };

/** docs/cli.md: every command with its arguments, options and examples, from their definitions. */
export async function cliPage(): Promise<string> {
  const described = await describeCommands(commands);
  const shared = sharedOptions(described);
  return `${[
    '# The command line',
    '',
    'Made by `npm run docs` from the definitions of the commands; change those, not this page. The same is in',
    '`authcli COMMAND --help`, in the manual pages, and for programs in `authcli commands --json`.',
    '',
    ...rows(
      ['command', 'what it does'],
      described.map(({ name, summary }) => [`[\`${name}\`](#${anchor(name)})`, summary]),
    ),
    '',
    '## Every command',
    '',
    'These come before or after the name of any command. A value `-` reads standard input, `@FILE` a file; a secret may',
    'be `env:NAME`, `file:PATH` or `cmd:COMMAND`. The command line counts more than variables, variables more than the',
    'settings of the profile.',
    '',
    ...optionTable(shared),
    '',
    ...described.flatMap((command) => commandSection(command, shared)),
    '## Exit codes',
    '',
    ...rows(
      ['status', 'meaning'],
      exitStatusMeanings.map(([status, meaning]) => [String(status), meaning]),
    ),
  ].join('\n')}\n`;
}

/** The options of every command are shown once. */
function sharedOptions(described: readonly CommandDescription[]): readonly OptionDescription[] {
  const [first, ...others] = described;
  return (first?.options ?? []).filter(({ name }) =>
    others.every(({ options }) => options.some((option) => option.name === name)),
  );
}

function commandSection(
  command: CommandDescription,
  shared: readonly OptionDescription[],
): readonly string[] {
  const own = command.options.filter(({ name }) => !shared.some((option) => option.name === name));
  return [
    `## ${command.name}`,
    '',
    prose(command.about),
    '',
    '```',
    command.usage,
    '```',
    '',
    ...(command.arguments.length === 0
      ? []
      : [
          ...rows(
            ['argument', 'what it is'],
            command.arguments.map(({ name, about, required }) => [
              `\`${name}\``,
              cell(required ? about : `${about} (optional)`),
            ]),
          ),
          '',
        ]),
    ...groups.flatMap((group) => {
      const options = own.filter((option) => option.group === group);
      return options.length === 0 ? [] : [`**${titles[group]}**`, '', ...optionTable(options), ''];
    }),
    ...command.notes.flatMap((note) => [prose(note), '']),
    '```sh',
    ...command.examples.flatMap(({ about, line }) => [`# ${about}`, line]),
    '```',
    '',
  ];
}

function optionTable(options: readonly OptionDescription[]): readonly string[] {
  return rows(
    ['option', 'what it does', 'default', 'variable', 'setting'],
    options.map((option) => {
      const { name, value, about, choices, required, repeatable } = option;
      const traits = [
        required ? 'required' : undefined,
        choices === null ? undefined : choices.join(', '),
        repeatable ? 'repeatable' : undefined,
      ].filter((trait) => trait !== undefined);
      return [
        `\`${value === null ? name : `${name} <${value}>`}\``,
        cell(traits.length === 0 ? about : `${about} (${traits.join('; ')})`),
        code(option.default),
        code(option.environment),
        code(option.setting),
      ];
    }),
  );
}

function rows(
  heading: readonly string[],
  cells: readonly (readonly string[])[],
): readonly string[] {
  const line = (row: readonly string[]): string => `| ${row.join(' | ')} |`;
  return [line(heading), `|${'---|'.repeat(heading.length)}`, ...cells.map(line)];
}

function code(text: string | null): string {
  return text === null ? '' : `\`${text.replaceAll('|', '\\|')}\``;
}

function cell(text: string): string {
  return prose(text).replaceAll('|', '\\|');
}

/** What Markdown would take for a tag or for emphasis, outside of code, is made plain. */
function prose(text: string): string {
  return text
    .split(/(`[^`]*`)/)
    .map((part, index) => (index % 2 === 1 ? part : part.replace(/[<>*_[\]]/g, '\\$&')))
    .join('');
}

function anchor(name: string): string {
  return name.replaceAll(' ', '-');
}
