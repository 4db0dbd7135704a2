import { callLines } from '../diagnosis/diagnosis.ts';
import { type Diagnosis, type Stack, stacks } from '../errors.ts';
import type { Detail, FailureLook } from '../reports/failure-text.ts';
import { asStarted, fitLine, fitLines, type Style } from '../reports/human.ts';
import { jsonLine } from '../reports/json.ts';
import { Redactor } from '../reports/redact.ts';
import type { SettingName, Settings } from '../state/settings.ts';
import type { State } from '../state/state.ts';
import { escapeLines } from '../text.ts';
import type { GlobalOptions } from './args/global-flags.ts';
import { InputReader } from './args/input.ts';
import { explainLine, type TypedCommand } from './args/repeat-line.ts';
import type { CommandEntry } from './command.ts';
import type { Context } from './context.ts';
import type { Failure } from './failure.ts';
import { openLocalState } from './local-state.ts';
import { nextLine } from './next-command.ts';
import {
  noProgress,
  type Progress,
  type ProgressText,
  startProgress,
} from './terminal/progress.ts';
import type { Prompts } from './terminal/prompts.ts';
import {
  columnsOf,
  remarkColumns,
  showsUnicode,
  styleFor,
  terminalText,
} from './terminal/style.ts';

/** Run at the end, in the order of registration. */
type Closing = () => Promise<void> | void;

/** The value of an option for people, and where it came from: `--url`, `AUTHCLI_URL`, `profile NAME`, `default`. */
interface Origin {
  readonly name: string;
  readonly value: string;
  readonly source: string;
}

/** One run of one command: its context, its secrets and its output. */
export class Session {
  readonly context: Context;
  readonly global: GlobalOptions;
  readonly style: Style;
  readonly secrets: Redactor;
  readonly input: InputReader;
  readonly typed: TypedCommand;
  #state: Promise<State> | undefined;
  #settings: Promise<Settings> | undefined;
  #prompts: Promise<Prompts> | undefined;
  /** Values that were not typed, by option, for command lines to run next. */
  readonly supplied = new Map<string, string>();
  /** Where the value of each option came from. */
  readonly origins = new Map<string, Origin>();
  #storedStack: Stack | undefined;
  #recognisedStack: Stack | undefined;
  readonly #closings: Closing[] = [];
  #streaming = false;
  #warned = new Set<string>();
  #progress: Progress = noProgress;

  readonly commands: readonly CommandEntry[];

  constructor(
    context: Context,
    global: GlobalOptions,
    style: Style,
    typed: Omit<TypedCommand, 'supplied'>,
    commands: readonly CommandEntry[],
    secrets = new Redactor(),
  ) {
    this.secrets = secrets;
    this.commands = commands;
    this.typed = { ...typed, supplied: this.supplied };
    this.context = context;
    this.global = global;
    this.style = style;
    this.input = new InputReader(context, {
      allowsLoose: this.allowsLoose,
      warn: (problem, fix) => this.warnOnce(`${problem} ${fix}`),
    });
  }

  /** Reads the options anew, from files and settings as they are now; set by the program. */
  reread: (() => Promise<{ readonly options: unknown; readonly session: Session }>) | undefined;

  /** A session that knows nothing yet, for the same command line. */
  anew(): Session {
    const fresh = new Session(this.context, this.global, this.style, this.typed, this.commands);
    fresh.#warned = this.#warned;
    return fresh;
  }

  /** One of several runs, with its own signal: what it learns and its closings end with it. */
  fork(signal: AbortSignal): Session {
    const context = Object.assign(Object.create(this.context), this.context, { signal });
    const { global, style, typed, secrets } = this;
    const fork = new Session(context, global, style, typed, this.commands, secrets.copy());
    for (const [key, value] of this.supplied) fork.supplied.set(key, value);
    fork.#state = this.#state;
    fork.#settings = this.#settings;
    fork.#storedStack = this.#storedStack;
    fork.#warned = this.#warned;
    return fork;
  }

  /** Whether files of secrets are read whatever others may do with them. */
  get allowsLoose(): boolean {
    const { allowLoosePermissions } = this.global;
    return allowLoosePermissions || isOn(this.context.env.AUTHCLI_ALLOW_LOOSE_PERMISSIONS);
  }

  get childCommand(): readonly string[] {
    return this.typed.line.behind ?? [];
  }

  state(): Promise<State> {
    this.#state ??= openLocalState(this.context, this.global);
    return this.#state;
  }

  /** Prints the warnings of the local state. */
  async warnOfState(): Promise<void> {
    const state = await this.#state?.catch(() => undefined);
    for (const warning of state?.warnings ?? []) this.warn(warning);
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

  /** The application's language as a response shows it; the first one counts. */
  recognised(stack: Stack | undefined): void {
    this.#recognisedStack ??= stack;
  }

  /** Reads the profile's language, unless --stack names one. */
  async readStack(): Promise<void> {
    if (this.global.stack !== undefined) return;
    const stored = await this.setting('stack').catch(() => undefined);
    this.#storedStack = stacks.find((stack) => stack === stored);
  }

  /** The command line that leads on from a failure. */
  async next(failure: Failure): Promise<string | undefined> {
    const line = await nextLine(failure, this.typed, this.commands);
    return line === undefined || this.showsSecrets ? line : this.secrets.typed(line);
  }

  /** How failures are printed in this run; the language is that of --stack, the profile, or the responses. */
  failureLook(style: Style, width: number): FailureLook {
    const stack = this.global.stack ?? this.#storedStack ?? this.#recognisedStack;
    const explain = (code: string) => explainLine(code, this.typed);
    return {
      style,
      width,
      detail: this.detail,
      stack,
      program: this.typed.program,
      explainLine: explain,
    };
  }

  get showsSecrets(): boolean {
    return this.global.showSecrets;
  }

  /** Hides secrets, unless the user asked to see them. */
  redact(text: string): string {
    return this.showsSecrets ? text : this.secrets.text(text);
  }

  redactJson<T>(value: T): T {
    return this.showsSecrets ? value : (this.secrets.json(value) as T);
  }

  /** A note on standard error; not under --quiet. */
  readonly note = (text: string): void => {
    if (!this.global.quiet) this.#remark(`note: ${text}`);
  };

  /** A warning on standard error, also under --quiet. */
  warn(text: string): void {
    this.#remark(`warning: ${text}`);
  }

  /** Warns of a diagnosis that is not a failure. */
  warnOf({ code, message, hint, calls }: Diagnosis): void {
    const lines = [
      ...(hint === '' ? [] : [`  ${hint}`]),
      ...callLines(calls).map((line) => `    ${line}`),
    ];
    this.warn([`${code}: ${message}`, ...lines].join('\n'));
  }

  /** Each text once per run. */
  readonly warnOnce = (text: string): void => {
    if (!this.#warned.has(text)) this.warn(text);
    this.#warned.add(text);
  };

  /** Output of --trace and --curl, on standard error. */
  aside(text: string): void {
    this.#write(this.#safe(text));
  }

  /** The same for --debug: redacted also under --show-secrets. */
  report(text: string): void {
    this.context.stderr.write(`${escapeLines(this.secrets.text(text))}\n`);
  }

  /** Wrapped on a terminal; indented code and commands stay in one piece. */
  #remark(text: string): void {
    const width = remarkColumns(this.context.stderr);
    const lines = this.#safe(asStarted(text, this.typed.program))
      .split('\n')
      .flatMap((line) => (line.startsWith('    ') ? [line] : fitLine(line, width)));
    this.#write(lines.join('\n'));
  }

  /** Redacted, then escaped; lines are wrapped afterwards. */
  #safe(text: string): string {
    return escapeLines(this.redact(text));
  }

  #write(text: string): void {
    this.#progress.clear();
    this.context.stderr.write(`${text}\n`);
  }

  /** Lines of the result before its end, wrapped on a terminal. */
  print(lines: readonly string[]): void {
    const { stdout } = this.context;
    const text = lines
      .map((line) => `${fitLines(this.redact(line), columnsOf(stdout))}\n`)
      .join('');
    if (text === '') return;
    this.#progress.clear();
    stdout.write(text);
  }

  /** One event of a command that streams: a JSON line under --json, text otherwise. */
  emit(event: Readonly<Record<string, unknown>>, text: string | (() => string)): void {
    this.#streaming = true;
    const { json } = this.global;
    const shown = () => this.redact(typeof text === 'string' ? text : text());
    this.context.stdout.write(json ? jsonLine(this.redactJson(event)) : `${shown()}\n`);
  }

  /** Under --json emits the event as a line; otherwise returns false. */
  emitIfJson(event: object): boolean {
    const { json } = this.global;
    if (json) this.emit({ ...event }, '');
    return json;
  }

  /** After an {@link Session.emit} no JSON document follows. */
  get streaming(): boolean {
    return this.#streaming;
  }

  /** Undefined where the user can't be asked: no terminal, --no-input, --json, CI. */
  async prompts(): Promise<Prompts | undefined> {
    const { context, global } = this;
    if (!mayAsk(context, global)) return undefined;
    this.#prompts ??= styleFor(context.stderr, context.env, global.noColor).then((style) =>
      context.openPrompts({ style, unicode: showsUnicode(context) }),
    );
    return this.#prompts;
  }

  /**
   * Shows a progress line, on a terminal and after half a second; with `atOnce` immediately, before work that
   * blocks the process. One line at a time, removed at the end of the run at the latest.
   */
  progress(text: ProgressText, options: { readonly atOnce?: boolean } = {}): Progress {
    const { stderr, env, onProgress } = this.context;
    if (onProgress !== undefined) return this.#reported(text, onProgress);
    const canClear = stderr.isTerminal && env.TERM !== 'dumb';
    if (!canClear || this.global.quiet || this.global.json) return noProgress;
    this.#progress.stop();
    const line = startProgress(stderr, this.#shownProgress(text), options);
    this.#progress = line;
    return { ...line, update: (next) => line.update(this.#shownProgress(next)) };
  }

  #shownProgress(text: ProgressText): () => string {
    return () => terminalText(this.redact(typeof text === 'string' ? text : text()));
  }

  #reported(text: ProgressText, report: (text: string) => void): Progress {
    const update = (next: ProgressText): void => report(this.#shownProgress(next)());
    update(text);
    return { ...noProgress, update };
  }

  atEnd(closing: Closing): void {
    this.#closings.push(closing);
  }

  /** Runs all closings, and throws the first of their failures. */
  async finish(): Promise<void> {
    this.#progress.stop();
    const failures: unknown[] = [];
    for (const closing of this.#closings.splice(0)) {
      await Promise.resolve()
        .then(closing)
        .catch((error: unknown) => failures.push(error));
    }
    if (failures.length > 0) throw failures[0];
  }
}

function isOn(value = ''): boolean {
  return /^(?:1|true|yes|on)$/i.test(value);
}

function mayAsk({ stdin, stderr, env }: Context, { noInput, json }: GlobalOptions): boolean {
  const isWatched = (env.CI ?? '') === '' || env.CI === 'false' || env.CI === '0';
  const canDraw = stdin.isTerminal && stderr.isTerminal && env.TERM !== 'dumb';
  return !noInput && !json && isWatched && canDraw;
}
