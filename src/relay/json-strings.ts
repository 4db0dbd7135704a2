/** A string in a text of JSON, with its quotation marks. */
const stringToken = /"((?:[^"\\]|\\.)*)"/g;

/**
 * Replaces strings in a text of JSON and leaves every other character as it is; a new string is escaped as
 * the old one was (`\/`, `\u002b`). Also finds them in what is not quite JSON.
 * @param body UTF-8 or any other superset of ASCII
 * @param replace undefined leaves a string as it is
 * @returns undefined if nothing was replaced
 */
export function replaceStrings(
  body: Uint8Array,
  replace: (value: string) => string | undefined,
): Buffer | undefined {
  let changed = false;
  const text = Buffer.from(body)
    .toString('latin1')
    .replace(stringToken, (token, raw: string) => {
      const value = stringOf(token);
      const other = value === undefined ? undefined : replace(value);
      if (other === undefined) return token;
      changed = true;
      return `"${escapeLike(raw, other)}"`;
    });
  return changed ? Buffer.from(text, 'latin1') : undefined;
}

function stringOf(token: string): string | undefined {
  if (isPlain(token)) return token.slice(1, -1);
  try {
    return JSON.parse(token.replace(/[\n\r\t]/g, (space) => JSON.stringify(space).slice(1, -1)));
  } catch {
    return undefined;
  }
}

/** Whether the characters of a string are written as themselves. */
function isPlain(text: string): boolean {
  return !/[\\\p{Cc}]/u.test(text);
}

/** Writes each character as `model`, the inside of a JSON string, writes it; others as JSON.stringify does. */
function escapeLike(model: string, value: string): string {
  if (isPlain(model)) return JSON.stringify(value).slice(1, -1);
  const known = new Map<string, string>();
  for (const [written] of model.matchAll(/\\u[0-9a-fA-F]{4}|\\.|[^\\]/gs)) {
    known.set(stringOf(`"${written}"`) ?? written, written);
  }
  return [...value]
    .map((character) => known.get(character) ?? JSON.stringify(character).slice(1, -1))
    .join('');
}
