import { type Flags, flagName, isPositional, takesValue } from './options.ts';
import type { Given } from './parse.ts';

/**
 * Reads `argv` against `flags` as commander would, where nothing in it calls for commander: whole
 * names of flags, values that don't begin with a dash, no more words than there are places for them.
 * Undefined for everything else. To load commander and build a parser costs a tenth of Node's start.
 */
export function readPlainArguments(flags: Flags, argv: readonly string[]): Given | undefined {
  const places: string[] = [];
  const keys = new Map<string, string>();
  for (const [key, flag] of Object.entries(flags)) {
    if (!isPlain(flag.syntax)) return undefined;
    if (isPositional(flag)) places.push(key);
    else keys.set(`--${flagName(flag)}`, key);
  }
  const given = new Map<string, string[]>();
  const words: string[] = [];
  for (let index = 0; index < argv.length; index += 1) {
    const token = argv[index] ?? '';
    if (isWord(token)) {
      words.push(token);
      continue;
    }
    const key = keys.get(token);
    const flag = key === undefined ? undefined : flags[key];
    if (key === undefined || flag === undefined) return undefined;
    const value = takesValue(flag) ? argv[++index] : '';
    if (value === undefined || !isWord(value)) return undefined;
    given.set(key, [...(given.get(key) ?? []), value]);
  }
  if (words.length > places.length) return undefined;
  for (const [index, word] of words.entries()) given.set(places[index] ?? '', [word]);
  return given;
}

/** Neither a list of words nor a value that may be left out. */
function isPlain(syntax: string): boolean {
  return !syntax.includes('...') && !/^-.*\[/.test(syntax);
}

function isWord(token: string): boolean {
  return !token.startsWith('-') || token === '-';
}
