import { Readable } from 'node:stream';
import { AuthcliError, type Stack } from '../../errors.ts';
import { isJsonObject } from '../../protocol/json.ts';
import { plainStyle } from '../../reports/human.ts';
import { redacted } from '../../reports/redact.ts';
import { byteCount } from '../../text.ts';
import type { Given } from '../args/command-line.ts';
import { errorTextLimit, valueLimit } from '../args/input.ts';
import { type Flag, type Flags, isPositional, placeholder, takesValue } from '../args/options.ts';
import { type GlobalOptions, globalFlags } from '../args/shared-flags.ts';
import type { AnyCommand } from '../command.ts';
import { type Context, contextWith } from '../context.ts';
import { exitStatus } from '../exit-status.ts';
import { usage } from '../failure.ts';
import { outcomeOfRun, statusOf } from '../program.ts';
import { Session } from '../session.ts';
import { outcomeDocument } from '../terminal/output.ts';
import {
  allowedFile,
  type Limits,
  limitedTransport,
  refuseHost,
  refuseVariable,
} from './limits.ts';

/** A command that an agent may call, and how much of it. */
export interface CommandTool {
  readonly command: string;
  /** The options of the command that calls may give. */
  readonly options: string;
  /** An argument whose text is the standard input of the command, for the option that names it `-`. */
  readonly stdin?: readonly [name: string, option: string, maxLength: number, description: string];
  /** Fields with what only the user may see; the command prints them on request. */
  readonly hidden?: readonly string[];
  /** Fields that quote the other side, beside those that do in every result. */
  readonly quotes?: readonly string[];
  /** Whether it sends nothing and stores nothing. */
  readonly isReadOnly?: true;
  /** A published schema of its result; else `schemas/tool-1.json`. */
  readonly schema?: string;
}

const errorText =
  'a code, check, field or status, or the error text of a library; all codes are listed without it';
const trafficText =
  'the captured traffic itself: a recording, an HTTP archive, a log or single bodies';
const mostTraffic = 4 * 1024 * 1024;

export const commandTools: readonly CommandTool[] = [
  {
    command: 'verify',
    options:
      'url clientId timeout cipher check skip strict bail seed wait users signinUrl authPort patience secretKey ptnCd key superPasscode expireTimeZone',
    schema: 'schemas/verify-1.json',
  },
  {
    command: 'simulate-signup',
    options:
      'url clientId timeout ptnCd superPasscode email name phone userInfo noUserInfo cipher probe noSave dryRun',
  },
  { command: 'issue-ptn-token', options: 'ptnCd clientId secretKey', isReadOnly: true },
  {
    command: 'signin',
    options:
      'ptnToken authUrl clientId secretKey timeout ptnCd key expectPasscode cipher expireTimeZone',
    quotes: ['expire_dt', 'ptn_cd'],
  },
  {
    command: 'key unwrap',
    options: 'encPartnerKey privateKey privateKeyPassword ptnCd clientId',
    hidden: ['key'],
    isReadOnly: true,
  },
  {
    command: 'cipher identify',
    options: 'payload morePayloads key ptnCd knownPlaintext as',
    hidden: ['plaintext', 'plaintext_base64'],
    isReadOnly: true,
  },
  { command: 'cipher probe', options: 'url clientId timeout cipher limit userInfo noUserInfo' },
  {
    command: 'explain',
    options: 'cipher',
    stdin: ['code', 'words', errorTextLimit.usual, errorText],
    isReadOnly: true,
  },
  {
    command: 'analyze',
    options: 'files privateKey privateKeyPassword key cipher expireTimeZone',
    stdin: ['text', 'files', mostTraffic, trafficText],
    quotes: ['first', 'users'],
    isReadOnly: true,
  },
];

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

/** The schema of a tool that takes these options of a command, and other arguments. */
export function inputSchema(
  flags: Flags,
  keys: readonly string[],
  extra: Readonly<Record<string, JsonSchema>>,
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

function flagOf(flags: Flags, key: string): Flag<unknown> {
  const flag = flags[key];
  if (flag === undefined) throw new TypeError(`the command has no option ${key}`);
  return flag;
}

function schemaOf(flag: Flag<unknown>): JsonSchema {
  const { about, fallback, setting, secret, references, input, choices } = flag;
  const parts = [about.replace(/; "-" reads standard input, @FILE a file|, as JSON or @FILE/, '')];
  const usual = [setting && 'the setting of the profile', secret ? undefined : fallback];
  const defaults = usual.filter((text) => text !== undefined).join(', else ');
  if (defaults !== '') parts.push(`default: ${defaults}`);
  if (secret && references && input !== 'file')
    parts.push('preferably as env:NAME or file:PATH, so that the value is not in the conversation');
  const description = parts.join('; ');
  if (!isPositional(flag) && !takesValue(flag)) return { type: 'boolean', description };
  const isNumber = placeholder(flag) === 'n';
  const type = isNumber ? { type: 'integer', minimum: 0 } : { type: 'string' };
  const value = choices === undefined ? type : { enum: choices };
  return flag.repeatable
    ? { type: 'array', items: value, maxItems: mostValues, description }
    : { ...value, description };
}

/** What every call of a server has in common. */
export interface ToolServer {
  readonly context: Context;
  readonly global: GlobalOptions;
  readonly limits: Limits;
  /** The command after `--`, which performs a sign-in for `verify`. */
  readonly signinCommand: readonly string[];
}

/** The options that a call gives. Throws `usage` for files, variables and commands that it may not use. */
export function givenBy(
  call: ToolArguments,
  flags: Flags,
  keys: readonly string[],
  { limits, context }: ToolServer,
): Given {
  const given: Given = new Map();
  for (const key of keys) {
    const name = argumentName(key);
    const value = call[name];
    if (value === undefined || value === false) continue;
    const texts = value === true ? [''] : [value].flat().map(String);
    const check = (text: string) => checked(flagOf(flags, key), text, name, limits, context.cwd);
    if (texts.length > 0) given.set(key, texts.map(check));
  }
  return given;
}

/** A value that reads nothing but what tools may read. */
function checked(
  { input, references }: Flag<unknown>,
  text: string,
  source: string,
  limits: Limits,
  cwd: string,
): string {
  if (text.length > valueLimit.usual)
    throw usage(`${source}: it is longer than ${byteCount(valueLimit.usual)}.`, 'Shorten it.');
  const file = (path: string): string => allowedFile(path, source, limits, cwd);
  if (input === 'word') return text;
  if (input === 'path') return file(text);
  const [, kind, target = ''] = (references && /^(env|file|cmd):(.*)$/s.exec(text)) || [];
  if (kind === 'cmd')
    throw usage(`${source}: tools run no commands.`, 'Give env:NAME or file:PATH.');
  if (kind === 'env') refuseVariable(target, source, limits);
  if (kind === 'env') return text;
  if (kind === 'file') return `file:${file(target)}`;
  if (text === '-')
    throw usage(`${source}: tools have no standard input.`, 'Give the value itself.');
  if (text.startsWith('@')) return `@${file(text.slice(1))}`;
  return input === 'file' ? file(text) : text;
}

/** One call of a command. */
export interface ToolCall {
  readonly given: Given;
  readonly stdin?: string;
  readonly stack?: Stack | undefined;
  readonly hidden?: readonly string[] | undefined;
  /** Aborted when the agent cancels the call, or the server ends. */
  readonly signal: AbortSignal;
  readonly onProgress?: ((text: string) => void) | undefined;
}

export interface ToolResult {
  readonly document: Readonly<Record<string, unknown>>;
  /** The command could not be run at all: its document is the error alone. */
  readonly isError: boolean;
}

/** Runs a command as the command line does, within the limits of the server; never rejects. */
export async function callCommand(
  definition: AnyCommand,
  call: ToolCall,
  server: ToolServer,
): Promise<ToolResult> {
  const session = toolSession(definition, call, server);
  const run: AnyCommand['run'] = async (options, own) => {
    for (const target of [options.url, options.signinUrl, options.authUrl])
      if (target !== undefined) refuseHost(new URL(String(target)), server.limits);
    return definition.run(options, own);
  };
  const outcome = await outcomeOfRun({ ...definition, run }, session);
  if (outcome.failure?.calls !== undefined) await session.readStack();
  const { stack } = session.failureLook(plainStyle, 0);
  const document = shortForm(outcomeDocument(outcome, session), call.hidden ?? [], stack);
  const results: readonly number[] = [exitStatus.done, exitStatus.negative, exitStatus.unreachable];
  return {
    document: document as ToolResult['document'],
    isError: !results.includes(statusOf(outcome)),
  };
}

/** The session of a call: its secrets are its own, it reaches only what the server allows, and prints nothing. */
function toolSession(
  definition: AnyCommand,
  { given, stdin = '', stack, signal, onProgress }: ToolCall,
  { context, global, limits, signinCommand }: ToolServer,
): Session {
  const refuseCommand = async () => {
    throw new AuthcliError('usage', 'Tools run no commands.');
  };
  const runsCommand = given.has('signin');
  const output = { isTerminal: false, columns: 80, write: () => {} };
  const own: Partial<Context> = {
    stdin: { isTerminal: false, chunks: () => Readable.from([Buffer.from(stdin)]) },
    stdout: output,
    stderr: output,
    signal,
    openTransport: limitedTransport(context.openTransport, limits),
    ...(!runsCommand && { runChild: refuseCommand }),
    ...(onProgress && { onProgress }),
  };
  const line = {
    path: definition.path,
    definition,
    given,
    flags: { ...definition.flags, ...globalFlags },
    behind: runsCommand ? signinCommand : [],
  };
  const quiet = { ...global, json: false, verbose: false, trace: false, showSecrets: false };
  const options = { ...quiet, noInput: true, stack: stack ?? global.stack };
  return new Session(contextWith(context, own), options, plainStyle, line);
}

/** Without what only the user may see, and with the calls of one language, where it has that. */
function shortForm(value: unknown, hidden: readonly string[], stack: Stack | undefined): unknown {
  if (Array.isArray(value)) return value.map((item) => shortForm(item, hidden, stack));
  if (!isJsonObject(value)) return value;
  const short = (name: string, item: unknown): unknown => {
    if (hidden.includes(name) && item != null) return redacted;
    const isShorter = name === 'calls' && stack !== undefined && isJsonObject(item) && item[stack];
    return isShorter ? { [stack]: isShorter } : shortForm(item, hidden, stack);
  };
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, short(name, item)]));
}
