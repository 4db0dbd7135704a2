import { reveal } from '../../reports/redact.ts';
import { required } from '../args/options.ts';
import { choice } from '../args/values.ts';
import { defineCommand } from '../command.ts';
import { completionScripts, shells } from '../complete/completion-scripts.ts';

export const completion = defineCommand({
  path: 'completion',
  about:
    'Prints a script for your shell that completes commands, flags and values: check ids, diagnosis codes, faults, ciphers, settings, profiles, known user codes. The script asks the installed program for completions, so it stays up to date.',
  flags: {
    shell: required('<shell>', 'your shell', {
      input: 'word',
      choices: shells,
      parse: choice(shells),
    }),
  },
  notes: [
    'bash: add `eval "$(authcli completion bash)"` to ~/.bashrc, or write the script to ~/.local/share/bash-completion/completions/authcli.',
    'zsh: write the script to a file _authcli in a folder of $fpath; or add `eval "$(authcli completion zsh)"` to ~/.zshrc, after compinit.',
    'fish: write the script to ~/.config/fish/completions/authcli.fish.',
    'PowerShell: add `authcli completion powershell | Out-String | Invoke-Expression` to the file $PROFILE. The tests of authcli do not cover PowerShell.',
    'Completion needs authcli on the PATH: the executable of a release, or npm install --global . in a clone, or with the path of the tarball.',
  ],
  examples: {
    'in this bash, or in ~/.bashrc': 'eval "$(authcli completion bash)"',
    'for zsh': 'mkdir -p ~/.zfunc && authcli completion zsh > ~/.zfunc/_authcli',
    'for fish':
      'mkdir -p ~/.config/fish/completions && authcli completion fish > ~/.config/fish/completions/authcli.fish',
  },
  run: async ({ shell }) => ({
    fields: { shell, script: reveal(completionScripts[shell]) },
    lines: [reveal(completionScripts[shell].trimEnd())],
  }),
});
