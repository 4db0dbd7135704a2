import { byteCount } from '../../text.ts';
import type { Given } from '../args/command-line.ts';
import { valueLimit } from '../args/input.ts';
import {
  type Flag,
  type Flags,
  isPositional,
  placeholder,
  sourceName,
  takesValue,
} from '../args/options.ts';
import { quote } from '../args/values.ts';
import type { Context } from '../context.ts';
import { usage } from '../failure.ts';
import { allowedFile, type Limits, refuseVariable } from './limits.ts';

/** A JSON Schema, as far as tools need one. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** The arguments of a call; the server has checked them against the schema. */
export type ToolArguments = Readonly<Record<string, unknown>>;

/** At most as many values of one argument. */
const mostValues = 100;

/** `ptn_cd` of the option `ptnCd`. */
function argumentName(key: string): string {
  return key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** The schema of a tool that takes these options of a command. */
export function inputSchema(
  flags: Flags,
  keys: readonly string[],
  extra: Readonly<Record<string, JsonSchema>> = {},
): JsonSchema {
  const properties: Record<string, JsonSchema> = { ...extra };
  const required: string[] = [];
  for (const key of keys) {
    const flag = flagOf(flags, key);
    properties[argumentName(key)] = schemaOf(flag);
    // What a command requires may also be in the profile; an argument can't.
    if (flag.required && flag.setting === undefined) required.push(argumentName(key));
  }
  return { type: 'object', properties, required, additionalProperties: false };
}

function schemaOf(flag: Flag<unknown>): JsonSchema {
  const description = describe(flag);
  if (!isPositional(flag) && !takesValue(flag)) return { type: 'boolean', description };
  const value: JsonSchema =
    flag.choices !== undefined
      ? { enum: flag.choices }
      : placeholder(flag) === 'n'
        ? { type: 'integer', minimum: 0 }
        : { type: 'string' };
  return flag.repeatable
    ? { type: 'array', items: value, maxItems: mostValues, description }
    : { ...value, description };
}

function describe(flag: Flag<unknown>): string {
  const { about, fallback, setting, secret, references, input } = flag;
  const parts = [about.replace(/; "-" reads standard input, @FILE a file|, as JSON or @FILE/, '')];
  const usual = [setting && 'the setting of the profile', secret ? undefined : fallback];
  const defaults = usual.filter((text) => text !== undefined).join(', else ');
  if (defaults !== '') parts.push(`default: ${defaults}`);
  if (secret && references && input !== 'file')
    parts.push('preferably as env:NAME or file:PATH, so that the value is not in the conversation');
  return parts.join('; ');
}

/** The options of a run and its command line, to be shown for repetition. */
export interface ToolRun {
  readonly given: Given;
  readonly tokens: readonly string[];
}

/** The options that a call gives. Throws `usage` for files, variables and commands that it may not use. */
export function toolRun(
  given: ToolArguments,
  flags: Flags,
  keys: readonly string[],
  { limits, context }: { readonly limits: Limits; readonly context: Pick<Context, 'cwd'> },
): ToolRun {
  const texts = new Map<string, readonly string[]>();
  const options: string[] = [];
  const words: string[] = [];
  for (const key of keys) {
    const flag = flagOf(flags, key);
    const name = argumentName(key);
    const value = given[name];
    if (value === undefined || value === false) continue;
    const values = value === true ? [''] : [value].flat().map(String);
    if (values.length === 0) continue;
    const safe = values.map((text) => checked(flag, text, name, limits, context.cwd));
    texts.set(key, safe);
    if (isPositional(flag)) words.push(...safe);
    else if (value === true) options.push(sourceName(flag));
    else options.push(...safe.map((text) => `${sourceName(flag)}=${text}`));
  }
  return { given: texts, tokens: [...words, ...options] };
}

/** A value that reads nothing but what tools may read. */
function checked(
  flag: Flag<unknown>,
  text: string,
  source: string,
  limits: Limits,
  cwd: string,
): string {
  const { input, references } = flag;
  if (text.length > valueLimit.usual) {
    throw usage(`${source}: it is longer than ${byteCount(valueLimit.usual)}.`, 'Shorten it.');
  }
  const file = (path: string): string => allowedFile(path, source, limits, cwd);
  if (input === 'word') return text;
  if (input === 'path') return file(text);
  const [, kind, target = ''] = (references && /^(env|file|cmd):(.*)$/s.exec(text)) || [];
  if (kind === 'cmd') {
    throw usage(`${source}: tools run no commands.`, 'Give env:NAME or file:PATH.');
  }
  if (kind === 'env') {
    refuseVariable(target, source, limits);
    return text;
  }
  if (kind === 'file') return `file:${file(target)}`;
  if (text === '-')
    throw usage(`${source}: tools have no standard input.`, 'Give the value itself.');
  if (text.startsWith('@')) return `@${file(text.slice(1))}`;
  return input === 'file' ? file(text) : text;
}

function flagOf(flags: Flags, key: string): Flag<unknown> {
  const flag = flags[key];
  if (flag === undefined) throw new TypeError(`the command has no option ${quote(key)}`);
  return flag;
}
