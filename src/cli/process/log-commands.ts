/** The variables by which CI systems say that they read the output. */
const systems = ['GITHUB_ACTIONS', 'TF_BUILD', 'GITLAB_CI', 'TEAMCITY_VERSION'] as const;

/** Whether a CI system reads the output, and takes some of it as commands. */
export function readsCommands(env: Readonly<Record<string, string | undefined>>): boolean {
  return systems.some((name) => (env[name] ?? '') !== '');
}

/** The annotations of `--format github`; what others say in them is escaped, and never at the start of a line. */
const ownCommand = /^::(?:error|warning) title=/;

/**
 * Puts a space into what CI systems would execute: `##[set-env …]` (GitHub, Azure), `##vso[…]` and
 * `##teamcity[…]` anywhere, `::set-output …` at the start of a line, and GitLab's section markers. The runner of
 * GitHub skips what .NET calls white space: U+0085 too.
 */
export function breakLogCommands(text: string, atLineStart: boolean): string {
  return text
    .replace(/##(?=\[|vso\[|teamcity\[)/gi, '# #')
    .replace(/(section_(?:start|end)):(?=\d)/g, '$1 :')
    .replace(
      /^((?:[^\S\n\r\u2028\u2029]|\u0085)*)::.*/gm,
      (line: string, blanks: string, offset: number) => {
        const begins = offset > 0 || atLineStart;
        return begins && !ownCommand.test(line)
          ? `${blanks}: :${line.slice(blanks.length + 2)}`
          : line;
      },
    );
}
