import { reveal } from '../../reports/redact.ts';
import { flag } from '../args/options.ts';
import { defineCommand } from '../command.ts';

export const shells = ['bash', 'zsh', 'fish', 'powershell'] as const;

export type Shell = (typeof shells)[number];

/*
 * Each script hands the words up to the cursor to `authcli __complete SHELL`, which prints "words" or
 * "files" and then a line "VALUE<tab>ABOUT" for each offer. Nothing of the command line is evaluated,
 * and files are left to the shell.
 */

const bash = `# bash completion for authcli
_authcli() {
  local mode value about
  COMPREPLY=()
  {
    IFS= read -r mode
    while IFS=$'\\t' read -r value about; do COMPREPLY+=("$value"); done
  } < <(authcli __complete bash "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  if [[ $mode == files ]]; then compopt -o default 2>/dev/null; fi
}
complete -F _authcli authcli
`;

const zsh = `#compdef authcli
# zsh completion for authcli
_authcli() {
  local line quote=$compstate[quote]
  local current=\${(Q):-$quote$PREFIX$quote}
  local -a before lines values shown
  # zsh leaves a quote open behind a word of several quoted parts
  local typed=$words[CURRENT]
  [[ $typed == \\'* ]] || typed=\${typed//\\\\?/}
  [[ $typed == ([^\\'\\"]#|\\'[^\\']#(|\\')|\\"[^\\"]#(|\\")) ]] || return 1
  (( CURRENT > 2 )) && before=("\${(@Q)words[2,CURRENT-1]}")
  lines=("\${(@f)$(authcli __complete zsh "\${before[@]}" "$current" 2>/dev/null)}")
  if [[ $lines[1] == files ]]; then
    _files
    return
  fi
  for line in "\${(@)lines[2,-1]}"; do
    values+=("\${line%%$'\\t'*}")
    shown+=("\${line/$'\\t'/  -- }")
  done
  compadd -l -d shown -a values
}
if [[ "\${funcstack[1]}" == _authcli ]]; then
  _authcli "$@"
elif (( $+functions[compdef] )); then
  compdef _authcli authcli
fi
`;

const fish = `# fish completion for authcli
function __authcli_complete
    set -l before (commandline -opc)
    set -l current (commandline -ct | string collect)
    set -l flag (string match -r -- '^-[a-z-]*$' "$current")
    set -l lines (authcli __complete fish $before[2..-1] "$flag" 2>/dev/null)
    if test "$lines[1]" = files
        complete -C "'' $current"
    else if test (count $lines) -gt 1
        printf '%s\\n' $lines[2..-1]
    end
end
complete -c authcli -f -a '(__authcli_complete)'
`;

/*
 * $wordToComplete is the whole word at the cursor, with its quotes; words behind the cursor are in the
 * tree too. Where nothing is returned, PowerShell offers files of its own. npm's authcli.ps1 swallows
 * "--", and Windows PowerShell drops empty arguments: so each word has a dot in front. A word that
 * begins with @, or contains a comma, has to be quoted; so has a number, and "-a.b", which would become
 * two. Single quotes are doubled, and U+2018 to U+201B are single quotes too (about_Quoting_Rules).
 */
const powershell = `# PowerShell completion for authcli
Register-ArgumentCompleter -Native -CommandName authcli, authcli.cmd -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $before = @($commandAst.CommandElements |
        Select-Object -Skip 1 |
        Where-Object { $_.Extent.EndOffset -lt $cursorPosition -or ($_.Extent.EndOffset -eq $cursorPosition -and $wordToComplete -eq '') } |
        ForEach-Object { '.' + $(if ($_.Value -is [string]) { $_.Value } else { $_.Extent.Text }).Replace('"', '') })
    $current = $wordToComplete.Trim("'", '"').Replace('"', '')
    $current = if ($wordToComplete.StartsWith("'")) { $current.Replace("''", "'") } else { $current -replace '\`(.)', '$1' }
    $status = $global:LASTEXITCODE
    $encoding = [Console]::OutputEncoding
    try {
        [Console]::OutputEncoding = [System.Text.UTF8Encoding]::new($false)
        $lines = @(& authcli __complete powershell @before ('.' + $current) 2>$null)
    } catch {
        return
    } finally {
        [Console]::OutputEncoding = $encoding
        $global:LASTEXITCODE = $status
    }
    $lines | Select-Object -Skip 1 | ForEach-Object {
        $value, $about = $_ -split "\`t", 2
        if (-not $about) { $about = $value }
        $word = if ($value -match '^(?:-[\\w-]*|(?!\\d)[\\w%+=:./\\\\][\\w%+=:./\\\\@~-]*)$') { $value } else { "'" + ($value -replace "['\\u2018-\\u201B]", '$0$0') + "'" }
        [System.Management.Automation.CompletionResult]::new($word, $value, 'ParameterValue', $about)
    }
}
`;

export const completionScripts: Readonly<Record<Shell, string>> = { bash, zsh, fish, powershell };

export const completion = defineCommand({
  path: 'completion',
  about:
    'Prints a script for your shell that completes commands, flags and values: check ids, diagnosis codes, faults, ciphers, settings, profiles, known user codes. The script asks the installed program for completions, so it stays up to date.',
  flags: {
    shell: flag('<shell>', 'your shell', { input: 'word', choices: shells }),
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
