import { usage } from '../failure.ts';
import type { TypedToken } from './command-line.ts';
import { type Flags, flagName, isPositional, takesValue } from './options.ts';
import { quote } from './values.ts';

/**
 * Refuses what commander would read otherwise than intended, or report without naming it.
 * Throws `usage` for an option without its value, a switch with one, an option that is given twice, and surplus words.
 */
export function refuseWrongTokens(
  command: string,
  tokens: readonly TypedToken[],
  flags: Flags,
): void {
  refuseMissingValues(tokens, flags);
  refuseValuesOfSwitches(tokens, flags);
  refuseRepeated(tokens, flags);
  refuseSurplus(command, tokens, flags);
}

/** `--url --client-id c`: the next option isn't a value. */
function refuseMissingValues(tokens: readonly TypedToken[], flags: Flags): void {
  const names = new Set(Object.values(flags).map((flag) => `--${flagName(flag)}`));
  for (const { name, key = '', value, joined } of tokens) {
    const flag = flags[key];
    if (name === '' || flag === undefined || !takesValue(flag) || joined) continue;
    const taken = value?.replace(/=.*$/s, '') ?? '';
    if (value !== undefined && !(taken.startsWith('--') && names.has(taken))) continue;
    throw usage(
      `${name} needs a value: ${flag.about}.`,
      value === undefined
        ? `Write ${flag.syntax}.`
        : `Write ${flag.syntax}; a value that begins with "--" needs "=": ${name}=--….`,
    );
  }
}

/** `--json=true`. The value isn't shown: it may belong to another option. */
function refuseValuesOfSwitches(tokens: readonly TypedToken[], flags: Flags): void {
  for (const { name, key = '', joined } of tokens) {
    const flag = flags[key];
    if (name === '' || flag === undefined || !joined || takesValue(flag)) continue;
    throw usage(`${name} takes no value.`, `Write ${name} alone.`);
  }
}

/** One of the values would be ignored without a word. Switches say the same each time. */
function refuseRepeated(tokens: readonly TypedToken[], flags: Flags): void {
  for (const { name, key = '' } of tokens) {
    const flag = flags[key];
    if (name === '' || flag === undefined || flag.repeatable || !takesValue(flag)) continue;
    const { length } = tokens.filter((other) => other.name === name);
    if (length < 2) continue;
    const times = length === 2 ? 'twice' : `${length} times`;
    throw usage(`${name} was given ${times}.`, 'Give it once.');
  }
}

/** Names the first word that the command has no place for, unless it may belong to a secret before it. */
function refuseSurplus(command: string, tokens: readonly TypedToken[], flags: Flags): void {
  if (tokens.some(({ name, key }) => name !== '' && key === undefined)) return; // that option comes first
  const at = tokens.findIndex(({ name, key }) => name === '' && key === undefined);
  const surplus = tokens[at];
  if (surplus === undefined) return;
  const before = tokens[at - 1];
  const secret = flags[before?.key ?? ''];
  const what =
    secret?.secret === true
      ? `Unexpected word after the value of ${before?.name || secret.syntax} (not shown: it may belong to it).`
      : `Unexpected word ${quote(surplus.value ?? '')}.`;
  const places = Object.values(flags).filter(isPositional);
  const takes =
    places.length === 0
      ? 'takes options only'
      : `takes ${places.map(({ syntax }) => syntax).join(' ')} and options`;
  throw usage(what, `${command} ${takes}. Put a value with spaces in quotation marks.`);
}
