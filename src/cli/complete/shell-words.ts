/** The quote that a text ends in; empty outside of quotes. */
type Open = '' | "'" | '"';

/** A command line of bash up to the cursor. */
export interface BashLine {
  /** Those before the one at the cursor, the program's name first. */
  readonly words: readonly string[];
  readonly current: string;
  /** What has to replace the end of the line for `value` as one word; undefined where the line before it can't become it. */
  readonly completed: (value: string) => string | undefined;
}

/**
 * Reads COMP_LINE, which ends in `replaced`: from an open quote on, or from the last of COMP_WORDBREAKS
 * that isn't quoted, readline replaces the text. Nothing is expanded.
 */
export function readBashLine(line: string, replaced: string): BashLine {
  const { words } = split(line);
  const kept = split(line.slice(0, line.length - replaced.length));
  const start = kept.words.at(-1) ?? '';
  return {
    words: words.slice(0, -1),
    current: words.at(-1) ?? '',
    completed: (value) =>
      value.startsWith(start) ? quoted(value.slice(start.length), kept.open) : undefined,
  };
}

/** The words of a line without their quotes (XCU 2.2); the last one is empty after a blank. */
function split(line: string): { readonly words: readonly string[]; readonly open: Open } {
  const words: string[] = [];
  let word: string | undefined;
  let open: Open = '';
  for (let at = 0; at < line.length; at += 1) {
    const [sign, next] = [line.charAt(at), line.charAt(at + 1)];
    if (open === '' && ' \t\n'.includes(sign)) {
      if (word !== undefined) words.push(word);
      word = undefined;
      continue;
    }
    word ??= '';
    if (sign === open) open = '';
    else if (open === '' && (sign === "'" || sign === '"')) open = sign;
    else if (sign === '\\' && (open === '' || (open === '"' && '"$`\\'.includes(next)))) {
      word += next;
      at += 1;
    } else word += sign;
  }
  return { words: [...words, word ?? ''], open };
}

/**
 * `text` as the rest of a word, with the quote that is open closed: readline closes one itself unless the last
 * character is one, and replaces the opening quote as well where the first is one.
 */
function quoted(text: string, open: Open): string {
  const body = `${escapeIn(open, text)}${open}`;
  return open !== '' && body.startsWith(open) ? `${open}${body}` : body;
}

/** Between double quotes `!` can't be escaped, as the backslash would stay. */
function escapeIn(open: Open, text: string): string {
  if (open === "'") return text.replaceAll("'", `'\\''`);
  if (open === '"') return text.replace(/["$`\\]/g, '\\$&').replaceAll('!', `"'!'"`);
  return text.replace(/[^\w%+,./:=@\u0080-\uffff-]/g, '\\$&');
}
