import { padEnd } from '../../reports/human.ts';
import { defineCommand } from '../command.ts';
import { describeCommands } from '../command-description.ts';
import { commands as entries } from './index.ts';

/** The version of the document; fields may be added to it, what stands there stays. */
const schema = 'authcli/commands/1';

export const commands = defineCommand({
  path: 'commands',
  about:
    'Lists every command. With --json, all that there is to know of each, for tools and agents: arguments, options with type, default, variable and setting, examples, exit codes. schemas/commands-1.json in the package describes it.',
  flags: {},
  examples: [
    { about: 'the list', line: 'authcli commands' },
    {
      about: 'the options of one command',
      line: `authcli commands --json | jq '.commands[] | select(.name == "verify").options'`,
    },
    {
      about: 'every variable that is read',
      line: "authcli commands --json | jq -r '.commands[].options[].environment // empty' | sort -u",
    },
  ],
  run: async (_, { style, context }) => {
    const described = await describeCommands(entries);
    const column = Math.max(...entries.map(({ path }) => path.length));
    return {
      fields: { schema, version: context.version, commands: described },
      lines: entries.map(({ path, summary }) => `${padEnd(style.bold(path), column)}  ${summary}`),
    };
  },
});
