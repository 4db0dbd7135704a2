import { basename, delimiter, dirname, isAbsolute, relative, resolve } from 'node:path';
import { stackOfCommand } from '../diagnosis/stack-of-command.ts';
import { type Diagnosis, isDiagnosisCode, type Stack, stacks } from '../errors.ts';
import { callsOf, type Detail, type FailureLook } from '../reports/failure-text.ts';
import { asStarted, fitLine, fitLines, type Style, verdict } from '../reports/human.ts';
import { jsonLine } from '../reports/json.ts';
import { Redactor } from '../reports/redact.ts';
import type { SettingName, Settings } from '../state/settings.ts';
import type { State } from '../state/state.ts';
import { escapeLines, shellWord } from '../text.ts';
import type { CommandLine } from './args/command-line.ts';
import { InputReader } from './args/input.ts';
import type { GlobalOptions } from './args/shared-flags.ts';
import { type Confirmation, confirmation } from './command.ts';
import { type Context, contextWith, isPipeline } from './context.ts';
import type { Failure } from './failure.ts';
import {
  callOf,
  lineOf,
  type Next,
  type NextCall,
  nextOf,
  type Origin,
  plainLine,
  type RepeatChanges,
  repeatLine,
} from './next-command.ts';
import {
  noProgress,
  type Progress,
  type ProgressText,
  startProgress,
} from './terminal/progress.ts';
import type { Prompts } from './terminal/prompts.ts';
import { columnsOf, mayColour, remarkColumns, terminalText } from './terminal/style.ts';

/** What shows the language of an application beside --stack, the strongest first. */
type StackEvidence = 'trace' | 'command' | 'headers' | 'profile';

/** Run at the end, in the order of registration. */
type Closing = () => Promise<void> | void;

/**
 * What a command may touch: its context, its secrets, its settings, and what it prints: remarks on standard error,
 * lines and events on standard output, redacted and escaped.
 */
export class Session {
  readonly context: Context;
  readonly global: GlobalOptions;
  readonly style: Style;
  readonly line: CommandLine;
  readonly secrets: Redactor;
  /** How authcli was started: `authcli`, `npx authcli`. */
  readonly program: string;
  readonly input: InputReader;
  /** Where values came from, by option. */
  readonly origins = new Map<string, Origin>();
  /** After an {@link Session.emit} no JSON document follows. */
  streaming = false;
  #state: Promise<State> | undefined;
  #settings: Promise<Settings> | undefined;
  #prompts: Promise<Prompts> | undefined;
  /** By evidence of the application's language, the first of each kind. */
  readonly #stacks: { [kind in StackEvidence]?: Stack } = {};
  readonly #printed = new Set<string>();
  #warned = new Set<string>();
  #progress: Progress = noProgress;
  readonly #closings: Closing[] = [];

  constructor(
    context: Context,
    global: GlobalOptions,
    style: Style,
    line: CommandLine,
    secrets = new Redactor(),
  ) {
    this.context = context;
    this.global = global;
    this.style = style;
    this.line = line;
    this.secrets = secrets;
    this.program = programName(context);
    this.recognised('command', stackOfCommand(line.behind));
    const warn = (problem: string, fix: string) => this.warnOnce(`${problem} ${fix}`);
    this.input = new InputReader(context, warn);
  }

  /** A new run of the same command line, which knows the secrets of this one. */
  anotherRun(signal = this.context.signal): Session {
    const context = contextWith(this.context, { signal });
    const run = new Session(context, this.global, this.style, this.line, this.secrets.copy());
    for (const [key, origin] of this.origins) run.origins.set(key, origin);
    run.#warned = this.#warned;
    return run;
  }

  get childCommand(): readonly string[] {
    return this.line.behind;
  }

  state(): Promise<State> {
    this.#state ??= openLocalState(this.context, this.global);
    return this.#state;
  }

  /** A setting of the profile; the config file is read once. */
  async setting(name: SettingName): Promise<string | readonly string[] | undefined> {
    this.#settings ??= this.state().then((state) => state.settings.list());
    return (await this.#settings)[name];
  }

  get detail(): Detail {
    const { quiet, verbose } = this.global;
    return verbose ? 'verbose' : quiet ? 'quiet' : 'normal';
  }

  get showsSecrets(): boolean {
    return this.global.showSecrets;
  }

  /** Hides secrets, unless the user asked to see them. */
  redact(text: string): string {
    return this.showsSecrets ? text : this.secrets.text(text);
  }

  /** The same for what others wrote: also values that follow a secret name. */
  redactForeign(text: string): string {
    return this.showsSecrets ? text : this.secrets.head(text);
  }

  redactJson<T>(value: T): T {
    return this.showsSecrets ? value : (this.secrets.json(value) as T);
  }

  /** The last line of a command that did what it is for; `text` is escaped. */
  done(text: string): Confirmation {
    return confirmation(verdict(true, text, this.style));
  }

  /** A note on standard error; not under --quiet. */
  readonly note = (text: string): void => {
    if (!this.global.quiet) this.#remark(`note: ${text}`);
  };

  /** A warning on standard error, also under --quiet. */
  warn(text: string): void {
    this.#remark(`warning: ${text}`);
  }

  /** Each text once per run. */
  readonly warnOnce = (text: string): void => {
    if (!this.#warned.has(text)) this.warn(text);
    this.#warned.add(text);
  };

  /** Warns of a diagnosis that is not a failure. */
  async warnOf({ code, message, hint, calls }: Diagnosis): Promise<void> {
    await this.readStack();
    const look = this.failureLook(this.style, Number.POSITIVE_INFINITY);
    const lines = callsOf(calls, look).map((line) => `    ${line}`);
    if (hint !== '') lines.unshift(`  ${hint}`);
    this.warn([`${code}: ${message}`, ...lines].join('\n'));
  }

  /** Prints the warnings of the local state, each once. */
  async warnOfState(): Promise<void> {
    const state = await this.#state?.catch(() => undefined);
    for (const warning of state?.warnings ?? []) this.warnOnce(warning);
    if (state?.notStored === undefined) return;
    const orNot = this.line.flags.noSave ? ', or give --no-save' : '';
    this.warnOnce(
      `${state.notStored} Nothing of this run is stored: set AUTHCLI_CONFIG to a file in a folder that can be written${orNot}.`,
    );
  }

  /** Wrapped on a terminal; indented code and commands stay in one piece. */
  #remark(text: string): void {
    const width = remarkColumns(this.context.stderr);
    const safe = escapeLines(this.redact(asStarted(text, this.program)));
    const lines = safe
      .split('\n')
      .flatMap((line) => (line.startsWith('    ') ? [line] : fitLine(line, width)));
    this.#progress.clear();
    this.context.stderr.write(`${lines.join('\n')}\n`);
  }

  /** Output of --trace and --curl, on standard error. */
  aside(text: string): void {
    this.#progress.clear();
    this.context.stderr.write(`${escapeLines(this.redact(text))}\n`);
  }

  /** Text for standard output: its secrets are hidden, then its lines wrapped on a terminal. */
  fitted(text: string): string {
    return fitLines(this.redact(text), columnsOf(this.context.stdout));
  }

  /** Lines of the result before its end, wrapped on a terminal. */
  print(lines: readonly string[]): void {
    if (lines.length === 0) return;
    this.#progress.clear();
    this.context.stdout.write(lines.map((line) => `${this.fitted(line)}\n`).join(''));
  }

  /** One event of a command that streams: a JSON line under --json, text otherwise. */
  emit(event: Readonly<Record<string, unknown>>, text: string | (() => string)): void {
    this.streaming = true;
    const shown = () => this.fitted(typeof text === 'string' ? text : text());
    this.context.stdout.write(this.global.json ? jsonLine(this.redactJson(event)) : `${shown()}\n`);
  }

  /** Under --json emits the event as a line; otherwise returns false. */
  emitIfJson(event: object): boolean {
    if (this.global.json) this.emit({ ...event }, '');
    return this.global.json;
  }

  /** Shows a progress line, on a terminal and after half a second. One at a time, removed at the end of the run. */
  progress(text: ProgressText): Progress {
    const { stderr, env, onProgress } = this.context;
    const shown = (next: ProgressText) => () =>
      terminalText(this.redact(typeof next === 'string' ? next : next()));
    if (onProgress !== undefined) {
      onProgress(shown(text)());
      return { ...noProgress, update: (next) => onProgress(shown(next)()) };
    }
    const canClear = stderr.isTerminal && env.TERM !== 'dumb';
    if (!canClear || this.global.quiet || this.global.json) return noProgress;
    this.#progress.stop();
    const line = startProgress(stderr, shown(text));
    this.#progress = line;
    return { ...line, update: (next) => line.update(shown(next)) };
  }

  /** Evidence of the application's language; the first of its kind counts. */
  recognised(kind: StackEvidence, stack: Stack | undefined): void {
    this.#stacks[kind] ??= stack;
  }

  /** Reads the profile's language. */
  async readStack(): Promise<void> {
    if (this.global.stack !== undefined || this.#stacks.profile !== undefined) return;
    const stored = await this.setting('stack').catch(() => undefined);
    this.recognised(
      'profile',
      stacks.find((stack) => stack === stored),
    );
  }

  /** The application's language by the strongest evidence, if there is any. */
  get stack(): Stack | undefined {
    const { trace, command, headers, profile } = this.#stacks;
    return this.global.stack ?? trace ?? command ?? headers ?? profile;
  }

  /** How failures are printed in this run. */
  failureLook(style: Style, width: number): FailureLook {
    return {
      style,
      width,
      detail: this.detail,
      program: this.program,
      stack: this.stack,
      stackHint: `Add --stack for the code: ${stacks.join(', ')}.`,
      printed: this.#printed,
      redact: (text) => this.redact(text),
    };
  }

  /** A command line of these words, in the profile of this run. */
  commandLine(words: readonly string[]): string {
    return plainLine(words, this);
  }

  /** The command line of this run. */
  repeatLine(changes?: RepeatChanges): string {
    return repeatLine(this, changes);
  }

  /** The command line that leads on, or that leads on from a failure. */
  next(from: Next | Failure): string | undefined {
    const next = this.#following(from);
    const line = next && lineOf(next, this);
    return line === undefined || this.showsSecrets ? line : this.secrets.typed(line);
  }

  /** The same as a call, not yet redacted. */
  nextCall(from: Failure): NextCall | undefined {
    const next = this.#following(from);
    return next && callOf(next, this);
  }

  /** An explanation takes the place of a line that was run already or can't be repeated. */
  #following(from: Next | Failure): Next | undefined {
    const next = 'code' in from ? nextOf(from, this.line) : from;
    if (next === undefined || lineOf(next, this) !== undefined) return next;
    const isExplained = 'code' in from && isDiagnosisCode(from.code);
    return isExplained ? { words: ['explain', from.code] } : undefined;
  }

  /** Undefined where the user can't be asked: no terminal, --no-input, --json, CI. */
  async prompts(): Promise<Prompts | undefined> {
    const { context, global } = this;
    const { stdin, stderr, env } = context;
    const canDraw = stdin.isTerminal && stderr.isTerminal && env.TERM !== 'dumb';
    if (global.noInput || global.json || isPipeline(env) || !canDraw) return undefined;
    this.#prompts ??= context.openPrompts({ hasColours: mayColour(stderr, env, global.noColor) });
    return this.#prompts;
  }

  atEnd(closing: Closing): void {
    this.#closings.push(closing);
  }

  /** Runs all closings, and throws the first of their failures. */
  async finish(): Promise<void> {
    this.#progress.stop();
    const failures: unknown[] = [];
    for (const closing of this.#closings.splice(0))
      await Promise.resolve()
        .then(closing)
        .catch((error: unknown) => failures.push(error));
    if (failures.length > 0) throw failures[0];
  }
}

/**
 * How authcli was started, so that commands work when they are pasted. npm tells a program that it runs it for `npx` or
 * for a script. What npx fetched itself (`npx URL`) isn't installed: by its name npx would fetch what the registry has.
 * It also keeps a link to a clone there, in which the name is enough.
 */
export function programName({
  env: { npm_command: command = '', npm_package_name: ofPackage, PATH = '' },
  cwd,
  script,
}: Pick<Context, 'env' | 'cwd' | 'script'>): string {
  const isFetched = /[\\/]_npx[\\/]/.test(script) && ofPackage !== 'authcli';
  // npm 10 says `run-script`, npm 11 `run`
  if (!isFetched && ['exec', 'run-script', 'run'].includes(command)) return 'npx authcli';
  if (!isAbsolute(script)) return script;
  // Windows starts the script itself, by a file that npm puts beside the node_modules of a global installation.
  const [, prefix] =
    /^(.+)[\\/]node_modules[\\/]authcli[\\/]bin[\\/]authcli\.js$/.exec(script) ?? [];
  const isNamed = prefix !== undefined || basename(script) === 'authcli';
  const folders = isFetched || !isNamed ? [] : PATH.split(delimiter).filter(isAbsolute);
  if (folders.some((folder) => resolve(folder) === (prefix ?? dirname(script)))) return 'authcli';
  const near = relative(cwd, script);
  const path = near.length < script.length ? near : script;
  if (script.endsWith('.js')) return `node ${shellWord(path)}`;
  return shellWord(/^\.\.|^[\\/]/.test(path) ? path : `./${path}`);
}

/** Opens the state of --config and --profile. */
export async function openLocalState(
  context: Context,
  { config, profile }: Pick<GlobalOptions, 'config' | 'profile'>,
): Promise<State> {
  const { openState } = await import('../state/state.ts');
  const { randomBytes, platform, cwd } = context;
  const configFile = config === undefined ? context.defaultConfigFile() : resolve(cwd, config);
  return openState({ randomBytes, os: platform.os, userId: platform.userId, configFile, profile });
}
