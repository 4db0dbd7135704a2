import { byteCount } from '../../text.ts';
import type { Given } from '../args/command-line.ts';
import { valueLimit } from '../args/input-limit.ts';
import {
  type Flag,
  type Flags,
  flagName,
  isPositional,
  placeholder,
  takesValue,
} from '../args/options.ts';
import { quote } from '../args/values.ts';
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
  const chosen = keys.map((key) => [argumentName(key), flagOf(flags, key)] as const);
  const properties = chosen.map(([name, flag]) => [name, schemaOf(flag)] as const);
  const required = chosen.filter(([, flag]) => isNeeded(flag)).map(([name]) => name);
  return {
    type: 'object',
    properties: { ...extra, ...Object.fromEntries(properties) },
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  };
}

/** What a command requires may also be in the profile; an argument can't. */
function isNeeded(flag: Flag<unknown>): boolean {
  return flag.required && flag.setting === undefined;
}

function schemaOf(flag: Flag<unknown>): JsonSchema {
  const description = describe(flag);
  if (!isPositional(flag) && !takesValue(flag)) return { type: 'boolean', description };
  const value = valueSchema(flag);
  return flag.repeatable
    ? { type: 'array', items: value, maxItems: mostValues, description }
    : { ...value, description };
}

function valueSchema(flag: Flag<unknown>): JsonSchema {
  if (flag.choices !== undefined) return { enum: flag.choices };
  if (placeholder(flag) === 'n') return { type: 'integer', minimum: 0 };
  return { type: 'string' };
}

function describe(flag: Flag<unknown>): string {
  const { about, fallback, setting, secret, references, input } = flag;
  const usual = setting === undefined ? fallback : `the setting of the profile, else ${fallback}`;
  const hasDefault = fallback !== undefined && !secret;
  return [
    about.replace(/; "-" reads standard input, @FILE a file|, as JSON or @FILE/, ''),
    ...(hasDefault ? [`default: ${usual}`] : []),
    ...(setting !== undefined && fallback === undefined
      ? ['default: the setting of the profile']
      : []),
    ...(secret && references && input !== 'file'
      ? ['preferably as env:NAME or file:PATH, so that the value is not in the conversation']
      : []),
  ].join('; ');
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
  { limits, cwd }: { readonly limits: Limits; readonly cwd: string },
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
    const safe = values.map((text) => checked(flag, text, name, limits, cwd));
    texts.set(key, safe);
    if (isPositional(flag)) words.push(...safe);
    else
      options.push(
        ...safe.map((text) =>
          value === true ? `--${flagName(flag)}` : `--${flagName(flag)}=${text}`,
        ),
      );
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
