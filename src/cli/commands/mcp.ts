import { flag } from '../args/options.ts';
import { nonEmpty } from '../args/values.ts';
import { defineCommand } from '../command.ts';
import { usage } from '../failure.ts';
import { allowedFolder, allowedHost } from '../mcp/limits.ts';

export const mcp = defineCommand({
  path: 'mcp',
  about:
    'Serves the tools of authcli to a coding agent, by the Model Context Protocol over standard input and output, until the agent closes it: verify, simulate_signup, signin, key_unwrap, cipher_identify, cipher_probe, explain, analyze, and emulators. docs/agents.md shows the configuration for common agents.',
  flags: {
    allowHost: flag(
      '--allow-host <host...>',
      'let tools send to this host too, HOST or HOST:PORT',
      {
        input: 'word',
        parse: allowedHost,
      },
    ),
    allowDir: flag('--allow-dir <folder...>', 'let tools read the files in this folder', {
      input: 'path',
      parse: nonEmpty,
    }),
    allowEnv: flag('--allow-env <name...>', 'let tools refer to this environment variable', {
      input: 'word',
      parse: nonEmpty,
    }),
  },
  takesCommand: true,
  endsWithSignal: true,
  notes: [
    "Tools send to loopback alone, read no files, run no commands and never show secrets, whatever an agent asks for; the options above and a command are the only exceptions, and an agent can't change them.",
    'With -- COMMAND, the tool verify has the argument signin, which verifies the sign-in that COMMAND performs, as `authcli verify --signin -- COMMAND` does.',
    'Settings come from the profile and the environment of this process, as for all commands. Emulators that an agent started end with it.',
  ],
  examples: {
    'for the configuration of an agent': 'authcli mcp',
    'a staged application, and a folder with logs':
      'authcli mcp --allow-host staging.example.com --allow-dir .',
    'with a command that signs in': 'authcli mcp -- authcli signin',
  },
  run: async ({ allowHost, allowDir, allowEnv }, session) => {
    const { context, global } = session;
    if (global.showSecrets) throw usage('mcp never shows secrets.', 'Leave out --show-secrets.');
    const limits = {
      hosts: allowHost,
      folders: allowDir.map((folder) => allowedFolder(folder, context.cwd)),
      variables: allowEnv,
    };
    const { serve } = await import('../mcp/server.ts');
    await serve(limits, session);
    // Standard output is the protocol's: no document follows.
    return { fields: {}, lines: [], exitStatus: 0 };
  },
});
