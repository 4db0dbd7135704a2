/** Joiners and variation selectors stay where writing needs them: in emoji, and with the letters of some scripts. */
const invisible = new RegExp(
  [
    String.raw`[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\ufff9-\ufffb]|(?!\p{Join_Control}|\p{VS})\p{DI}`,
    String.raw`(?<!\p{ExtPict}|\p{EMod}|\ufe0f)\u200d|(?<!\p{sc=Arab})\u200c`,
    String.raw`(?<!\p{Emoji})\ufe0f|(?<!\p{ExtPict}|\p{sc=Han})[\ufe00-\ufe0e]`,
    String.raw`(?<!\p{sc=Han})[\u{e0100}-\u{e01ef}]|(?<!\p{sc=Mong})[\u180b-\u180d\u180f]`,
  ].join('|'),
  'gu',
);

const shortEscapes: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/**
 * Makes text from outside safe to show: control characters (C0, DEL, C1), line and paragraph separators, annotation
 * marks, lone surrogates, and what Unicode has ignored where it isn't known (bidirectional controls, byte order marks,
 * soft hyphens, characters without width, fillers, tags) become `\n`, `\r`, `\t`, `\uXXXX` or `\u{XXXXX}`. A backslash stays as it is.
 */
export function escapeControls(text: string): string {
  return text.replace(invisible, (character) => {
    const code = character.codePointAt(0)?.toString(16).padStart(4, '0') ?? '';
    return shortEscapes[character] ?? (code.length > 4 ? `\\u{${code}}` : `\\u${code}`);
  });
}

/** The same, but for line feeds and tabs: text of several lines, on a terminal. */
export function escapeWithinLines(text: string): string {
  return text.replace(/[^\n\t]+/g, escapeControls);
}

/** The same, but for line feeds: text of several lines in which nothing needs a tab. */
export function escapeLines(text: string): string {
  return text.replace(/[^\n]+/g, escapeControls);
}

/** Whether a text contains a control character: C0, DEL or C1, which are Unicode's category Cc. */
export function hasControls(text: string): boolean {
  return /[^ -~\u00a0-\uffff]/.test(text);
}

/** The text in at most `max` code points (at least 1), an ellipsis for what was cut off. */
export function shorten(text: string, max: number): string {
  if (text.length <= max) return text;
  const head = Array.from(text.slice(0, 2 * max + 2));
  return head.length <= max ? text : `${head.slice(0, max - 1).join('')}…`;
}

/** Text from outside, escaped and in at most `max` characters, as an excerpt for a message. */
export function excerptOf(text: string, max: number): string {
  return shorten(escapeControls(shorten(text, max)), max);
}

/** Such an excerpt in quotes. */
export function quoted(text: string, max = 60): string {
  return `"${excerptOf(text, max)}"`;
}

/**
 * One word of a POSIX shell (XCU 2.2.2), quoted unless plain; `=` in front names a command in zsh. What a terminal
 * would show escaped, such as a line feed, printf(1) writes; a shell drops line feeds at the end of that.
 */
export function shellWord(text: string): string {
  if (/^(?!=)[A-Za-z0-9_./:=@,+-]+$/.test(text)) return text;
  if (escapeControls(text) === text) return `'${text.replaceAll("'", `'\\''`)}'`;
  // an interactive bash takes ! as its history, and a quote as the end of the quotes around
  const format = printfFormat(new TextEncoder().encode(text)).replace(/["!]/g, octal);
  return `"$(printf '${format}')"`;
}

/** A format of printf(1) that writes the bytes: ASCII as it is, but what a shell or printf would read otherwise in octal. */
export function printfFormat(bytes: Uint8Array): string {
  const text = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
  return text.replace(/^-|[^ -~]|[%'\\]/g, octal);
}

function octal(character: string): string {
  return `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`;
}

/** A UUID with its dashes (RFC 9562 4), in either case. */
export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);
}

/** The text with its first letter in upper case. */
export function capitalised(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

/** "1 check", "2 checks"; `plural` where it isn't the singular with an s. */
export function counted(count: number, singular: string, plural = `${singular}s`): string {
  return `${count} ${count === 1 ? singular : plural}`;
}

/** The first of many: "a, b and 2 more". */
export function firstOf(items: readonly string[], most: number): string {
  const shown = items.slice(0, most).join(', ');
  const more = items.length - most;
  return more > 0 ? `${shown} and ${more} more` : shown;
}

/** Items by what `keyOf` says of each, in the order in which they come. */
export function grouped<Key, Item>(
  items: Iterable<Item>,
  keyOf: (item: Item) => Key,
): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}

/** Upper case to lower, and the reverse; what has no case stays. */
export function swapCase(text: string): string {
  return text.replace(/./gsu, (letter) => {
    const upper = letter.toUpperCase();
    return upper === letter ? letter.toLowerCase() : upper;
  });
}

/**
 * Whether a text matches a pattern: `*` any characters, `?` one UTF-16 unit. Only the latest `*` is ever tried
 * again, so a hostile pattern or text takes at most the product of their lengths.
 */
export function matchesGlob(text: string, pattern: string): boolean {
  let [at, here, star, retryAt] = [0, 0, -1, 0];
  while (at < text.length) {
    if (pattern[here] === '*') {
      star = here;
      retryAt = at;
      here += 1;
    } else if (pattern[here] === '?' || pattern[here] === text[at]) {
      at += 1;
      here += 1;
    } else if (star === -1) {
      return false;
    } else {
      retryAt += 1;
      at = retryAt;
      here = star + 1;
    }
  }
  return /^\**$/.test(pattern.slice(here));
}

/** A number of bytes for people, rounded down to a tenth: "50 MiB", "1.5 KiB", "12 bytes". */
export function byteCount(bytes: number): string {
  const [factor, unit] = bytes >= 1024 ** 2 ? [1024 ** 2, 'MiB'] : [1024, 'KiB'];
  return bytes < 1024
    ? counted(bytes, 'byte')
    : `${Math.floor((bytes / factor) * 10) / 10} ${unit}`;
}

/** A number with at most that many decimals. */
export function roundTo(decimals: number, value: number): number {
  const factor = 10 ** decimals;
  return Math.round(value * factor) / factor;
}

/** Beyond it, the distance of two words isn't computed. */
const maxDistance = 3;

/** The candidate nearest to a mistyped word, case aside; undefined where none is near. */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  let best: string | undefined;
  let bestDistance = maxDistance + 1;
  for (const candidate of candidates) {
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase());
    // In a short word, two typing mistakes already make another word of it.
    const length = Math.max(word.length, candidate.length);
    const slips = length < 2 ? 0 : length <= 5 ? 1 : 2;
    if (distance < bestDistance && distance <= slips) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best;
}

/** The question for a hint, `Did you mean "url"?`; empty where no candidate is near. */
export function didYouMean(word: string, candidates: Iterable<string>): string {
  const candidate = nearest(word, candidates);
  return candidate === undefined ? '' : `Did you mean "${candidate}"?`;
}

/** The restricted Damerau-Levenshtein distance; 4 for words whose lengths differ by more than 3. */
export function editDistance(left: string, right: string): number {
  if (Math.abs(left.length - right.length) > maxDistance) return maxDistance + 1;
  let previous: number[] = [];
  let current = Array.from({ length: right.length + 1 }, (_, column) => column);
  for (let row = 1; row <= left.length; row += 1) {
    const next = [row];
    for (let column = 1; column <= right.length; column += 1) {
      const same = left[row - 1] === right[column - 1];
      const edits = [
        (next[column - 1] ?? 0) + 1,
        (current[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + (same ? 0 : 1),
      ];
      if (left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1]) {
        edits.push((previous[column - 2] ?? maxDistance) + 1);
      }
      next.push(Math.min(...edits));
    }
    [previous, current] = [current, next];
  }
  return current[right.length] ?? maxDistance + 1;
}

/** A text without these characters at its end, in linear time: `/=+$/` scans a run from each of its positions. */
export function withoutEnd(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

/** The text with an x for each character outside of ASCII. */
export function inAscii(text: string): string {
  return text.replace(/[^\p{ASCII}]/gu, 'x');
}

/** The object's own property of that name, or undefined: a name such as `constructor` finds nothing. */
export function ownProperty<T>(object: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}
