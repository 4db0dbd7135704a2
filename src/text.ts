const invisible = /[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}\p{Cs}\ufeff\ufff9-\ufffb]/gu;

/** Printable ASCII, which is most text: to look for what Unicode says of others takes half a millisecond once. */
const plain = /^[ -~]*$/;

const shortEscapes: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/**
 * Makes text from outside safe to show: control characters (C0, DEL, C1), bidirectional controls,
 * line and paragraph separators, byte order marks, annotation marks and lone surrogates become
 * `\n`, `\r`, `\t` or `\uXXXX`. A backslash stays as it is: this is for reading, not for undoing.
 */
export function escapeControls(text: string): string {
  if (plain.test(text)) return text;
  return text.replace(
    invisible,
    (character) => shortEscapes[character] ?? unicodeEscape(character),
  );
}

/** The same, but for line feeds and tabs: text of several lines, on a terminal. */
export function escapeWithinLines(text: string): string {
  return text.replace(/[^\n\t]+/g, escapeControls);
}

/** Whether a text holds a control character: C0, DEL or C1, which are Unicode's category Cc. */
export function hasControls(text: string): boolean {
  return /[^ -~\u00a0-\uffff]/.test(text);
}

/**
 * The text in at most `max` characters (Unicode code points, `max` at least 1), an ellipsis
 * standing for what was cut off at its end.
 */
export function shorten(text: string, max: number): string {
  if (text.length <= max) return text;
  // A character has at most two code units, so more than this is never looked at.
  const head = Array.from(text.slice(0, 2 * max + 2));
  return head.length <= max ? text : `${head.slice(0, max - 1).join('')}…`;
}

/** Text from outside, escaped and in at most `max` characters, as an excerpt for a message. */
export function excerptOf(text: string, max: number): string {
  return shorten(escapeControls(shorten(text, max)), max);
}

/**
 * One word of a POSIX shell (XCU 2.2.2): single quotes keep everything but themselves. What no shell
 * takes for more than it says stays as it is; a word that begins with `=` names a command in zsh.
 */
export function shellWord(text: string): string {
  const isPlain = /^(?!=)[A-Za-z0-9_./:=@,+-]+$/.test(text);
  return isPlain ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

function unicodeEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
