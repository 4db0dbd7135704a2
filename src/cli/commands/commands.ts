import { padEnd } from '../../reports/human.ts';
import { defineCommand } from '../command.ts';
import { describeCommands } from '../terminal/help.ts';
import { commands as entries } from './index.ts';

/** Fields may be added; existing ones stay. */
const schema = 'authcli/commands/1';

export const commands = defineCommand({
  path: 'commands',
  about:
    'Lists every command. With --json, prints the complete command tree for tools and agents: arguments, options with type, default, variable and setting, examples, exit statuses. schemas/commands-1.json in the package describes the format.',
  flags: {},
  examples: {
    'the options of one command': `authcli commands --json | jq '.commands[] | select(.name == "verify").options'`,
    'every environment variable':
      "authcli commands --json | jq -r '.commands[].options[].environment // empty' | sort -u",
  },
  run: async (_, { style, context }) => {
    const described = await describeCommands();
    const column = Math.max(...entries.map(({ path }) => path.length));
    return {
      fields: { schema, version: context.version, commands: described },
      lines: entries.map(({ path, summary }) => `${padEnd(style.bold(path), column)}  ${summary}`),
    };
  },
});
