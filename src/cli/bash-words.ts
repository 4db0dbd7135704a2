/** A command line up to the cursor, as bash has it. */
export interface BashLine {
  /** The words behind the program's name, without quotes. */
  readonly words: readonly string[];
  /** The word at the cursor, without quotes. */
  readonly current: string;
  /** The part of it that bash does not replace: it breaks words at = and : too. */
  readonly kept: string;
  /** The quote that is open at the cursor. */
  readonly quote: string;
}

interface Token {
  readonly text: string;
  readonly raw: string;
  readonly quote: string;
}

/** Takes a line apart; `replaced` is what bash will put the completion in the place of. */
export function readBashLine(line: string, replaced: string): BashLine {
  const tokens = tokensOf(line);
  const program = tokens.findIndex(({ text }) => /(?:^|[/\\])authcli(?:\.js)?$/.test(text));
  const [last = { text: '', raw: '', quote: '' }] = tokens.slice(program + 1).slice(-1);
  const kept = last.raw.endsWith(replaced)
    ? last.raw.slice(0, last.raw.length - replaced.length)
    : '';
  return {
    words: tokens.slice(program + 1, -1).map(({ text }) => text),
    current: last.text,
    kept: unquote(kept),
    quote: last.quote,
  };
}

/** A word that is being typed, without its quotes and backslashes; fish writes them as bash does. */
export function unquote(word: string): string {
  return tokensOf(word).at(-1)?.text ?? '';
}

/** The words of a line; the last is the one at its end, empty behind a space. */
function tokensOf(line: string): Token[] {
  const tokens: Token[] = [];
  let [text, raw, quote] = ['', '', ''];
  for (let at = 0; at < line.length; at += 1) {
    const char = line[at] ?? '';
    if (quote === '' && /\s/.test(char)) {
      if (raw !== '') tokens.push({ text, raw, quote });
      [text, raw] = ['', ''];
      continue;
    }
    raw += char;
    if (char === quote) quote = '';
    else if (quote === '' && (char === "'" || char === '"')) quote = char;
    else if (char === '\\' && quote !== "'") {
      at += 1;
      raw += line[at] ?? '';
      text += line[at] ?? '';
    } else text += char;
  }
  return [...tokens, { text, raw, quote }];
}

/** A value as it has to stand on bash's command line, outside of quotes or in open ones. */
export function quoteForBash(value: string, quote: string): string {
  if (quote === "'") return value;
  if (quote === '"') return value.replace(/["$`\\!]/g, '\\$&');
  return value.replace(/[\s"'`$&|;<>(){}[\]*?!#~\\^]/g, '\\$&');
}
