import { reveal } from '../../reports/redact.ts';
import { defineCommand } from '../command.ts';
import { completionScripts, shells } from '../completion-scripts.ts';
import { required } from '../options.ts';
import { choice } from '../values.ts';

export const completion = defineCommand({
  path: 'completion',
  about:
    'Prints a script for your shell that completes commands, flags and their values: check ids, faults, ciphers, profiles, known user codes, settings, files. The script is small and stays right when authcli changes: it asks the installed program at each press of Tab.',
  flags: {
    shell: required('<shell>', 'the shell', {
      input: 'word',
      choices: shells,
      parse: choice(shells),
    }),
  },
  notes: [
    'bash: add `eval "$(authcli completion bash)"` to ~/.bashrc, or write the script to ~/.local/share/bash-completion/completions/authcli.',
    'zsh: write the script to a file _authcli in a folder of $fpath, before compinit is called; or add `eval "$(authcli completion zsh)"` to ~/.zshrc after it.',
    'fish: write the script to ~/.config/fish/completions/authcli.fish.',
    'PowerShell: add `authcli completion powershell | Out-String | Invoke-Expression` to the file that $PROFILE names. The tests of authcli have no PowerShell: that script is not run by them.',
    'authcli has to be on the PATH: npm install --global authcli.',
  ],
  examples: [
    { about: 'in this bash, or in ~/.bashrc', line: 'eval "$(authcli completion bash)"' },
    {
      about: 'for zsh',
      line: 'mkdir -p ~/.zfunc && authcli completion zsh > ~/.zfunc/_authcli',
    },
    {
      about: 'for fish',
      line: 'mkdir -p ~/.config/fish/completions && authcli completion fish > ~/.config/fish/completions/authcli.fish',
    },
  ],
  run: async ({ shell }) => ({
    fields: { shell, script: reveal(completionScripts[shell]) },
    lines: [reveal(completionScripts[shell].trimEnd())],
  }),
});
