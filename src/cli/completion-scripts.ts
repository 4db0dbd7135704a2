/** The shells that completion is made for. */
export const shells = ['bash', 'zsh', 'fish', 'powershell'] as const;

export type Shell = (typeof shells)[number];

/*
 * Each script hands the words up to the cursor to `authcli __complete`, and offers what that prints:
 * a line "MODE<tab>PREFIX" and a line "VALUE<tab>ABOUT" for each offer. Nothing of the command line is
 * evaluated. Files are left to the shell, which knows better.
 */

const bash = `# bash completion for authcli
_authcli() {
  local mode prefix value
  local -a offers=()
  COMPREPLY=()
  {
    IFS=$'\\t' read -r mode prefix
    while IFS= read -r value; do offers+=("$value"); done
  } < <(authcli __complete bash "\${COMP_LINE:0:COMP_POINT}" "$2" 2>/dev/null)
  case $mode in
    files | folders)
      local kind=-f
      [[ $mode == folders ]] && kind=-d
      compopt -o filenames 2>/dev/null
      while IFS= read -r value; do
        COMPREPLY+=("$prefix$value")
      done < <(compgen "$kind" -- "\${2#"$prefix"}")
      ;;
    open)
      compopt -o nospace 2>/dev/null
      COMPREPLY=("\${offers[@]}")
      ;;
    words) COMPREPLY=("\${offers[@]}") ;;
  esac
}
complete -F _authcli authcli
`;

const zsh = `#compdef authcli
# zsh completion for authcli
_authcli() {
  local line mode prefix
  local -a before lines values shown more
  (( CURRENT > 2 )) && before=("\${(@Q)words[2,CURRENT-1]}")
  lines=("\${(@f)$(authcli __complete zsh -- "\${before[@]}" "\${(Q)PREFIX}" 2>/dev/null)}")
  mode=\${lines[1]%%$'\\t'*}
  prefix=\${lines[1]#*$'\\t'}
  for line in "\${(@)lines[2,-1]}"; do
    values+=("\${line%%$'\\t'*}")
    more=("\${line#*$'\\t'}")
    shown+=("\${line%%$'\\t'*}\${more[1]:+  -- \${more[1]}}")
  done
  case $mode in
    files) compset -P "\${(b)prefix}"; _files ;;
    folders) compset -P "\${(b)prefix}"; _files -/ ;;
    open) compadd -l -S '' -d shown -a values ;;
    words) compadd -l -d shown -a values ;;
  esac
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
    set -l current (commandline -ct)
    set -l lines (authcli __complete fish -- $before[2..-1] "$current" 2>/dev/null)
    set -l head (string split \\t -- $lines[1])
    switch "$head[1]"
        case files
            set -l start (string length -- "$head[2]")
            for file in (__fish_complete_path (string sub --start (math $start + 1) -- "$current"))
                echo "$head[2]$file"
            end
        case folders
            __fish_complete_directories "$current" ''
        case words open
            test (count $lines) -gt 1; and printf '%s\\n' $lines[2..-1]
    end
end
complete -c authcli -f -a '(__authcli_complete)'
`;

/*
 * What PowerShell does, and the script therefore: $wordToComplete is the whole word at the cursor, also
 * where the cursor stands within it, quotes and all; words behind it are in the tree as well. Where
 * nothing is returned, PowerShell offers files of its own. npm's authcli.ps1 swallows "--", Windows
 * PowerShell drops empty arguments and takes quotes within them for its own: so each word has a dot in
 * front, and none a double quote. A word that begins with @, or holds a comma, has to be quoted.
 */
const powershell = `# PowerShell completion for authcli
Register-ArgumentCompleter -Native -CommandName authcli, authcli.cmd -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $before = @($commandAst.CommandElements |
        Select-Object -Skip 1 |
        Where-Object { $_.Extent.EndOffset -lt $cursorPosition -or ($_.Extent.EndOffset -eq $cursorPosition -and $wordToComplete -eq '') } |
        ForEach-Object {
            $isString = $_ -is [System.Management.Automation.Language.StringConstantExpressionAst] -or $_ -is [System.Management.Automation.Language.ExpandableStringExpressionAst]
            $text = if ($isString) { $_.Value } else { $_.Extent.Text }
            '.' + $text.Replace('"', '')
        })
    $current = ($wordToComplete.Trim("'", '"') -replace '^(--[\\w-]+=)["'']', '$1').Replace('"', '')
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
    if ($lines.Count -lt 1) { return }
    $mode, $prefix = $lines[0] -split "\`t", 2
    $word = {
        param($text)
        if ($text -match '^[\\w%+=:./\\\\-][\\w%+=:./\\\\@~-]*$') { $text } else { "'" + $text.Replace("'", "''") + "'" }
    }
    if ($mode -eq 'files' -or $mode -eq 'folders') {
        if (-not $prefix) { return }
        [System.Management.Automation.CompletionCompleters]::CompleteFilename($current.Substring($prefix.Length)) |
            Where-Object { $mode -eq 'files' -or $_.ResultType -eq 'ProviderContainer' } |
            ForEach-Object {
                $text = & $word ($prefix + $_.CompletionText.Trim("'", '"').Replace("''", "'"))
                [System.Management.Automation.CompletionResult]::new($text, $_.ListItemText, $_.ResultType, $_.ToolTip)
            }
        return
    }
    $lines | Select-Object -Skip 1 | ForEach-Object {
        $value, $about = $_ -split "\`t", 2
        if (-not $about) { $about = $value }
        [System.Management.Automation.CompletionResult]::new((& $word $value), $value, 'ParameterValue', $about)
    }
}
`;

/** The script of a shell, to be read by it. */
export const completionScripts: Readonly<Record<Shell, string>> = { bash, zsh, fish, powershell };
