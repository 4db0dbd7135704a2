import { resolve } from 'node:path';
import { type Diagnosis, type Stack, stacks } from '../errors.ts';
import { callsOf, type Detail, type FailureLook } from '../reports/failure-text.ts';
import type { Style } from '../reports/human.ts';
import { Redactor } from '../reports/redact.ts';
import type { SettingName, Settings } from '../state/settings.ts';
import type { State } from '../state/state.ts';
import { InputReader } from './args/input.ts';
import type { GlobalOptions } from './args/shared-flags.ts';
import type { CommandEntry } from './command.ts';
import { type Context, contextWith } from './context.ts';
import type { Failure } from './failure.ts';
import { explainLine, nextLine, type TypedCommand } from './next-command.ts';
import type { Prompts } from './terminal/prompts.ts';
import { RunOutput } from './terminal/run-output.ts';
import { showsUnicode, styleFor } from './terminal/style.ts';

/** Run at the end, in the order of registration. */
type Closing = () => Promise<void> | void;

/** The value of an option for people, and where it came from: `--url`, `AUTHCLI_URL`, `profile NAME`, `default`. */
interface Origin {
  readonly name: string;
  readonly value: string;
  readonly source: string;
}

/** One run of one command: its context, its secrets, its settings and, by {@link RunOutput}, what it prints. */
export class Session extends RunOutput {
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
  readonly commands: readonly CommandEntry[];

  constructor(
    context: Context,
    global: GlobalOptions,
    style: Style,
    typed: Omit<TypedCommand, 'supplied'>,
    commands: readonly CommandEntry[],
    secrets = new Redactor(),
  ) {
    super({ context, global, style, secrets, program: typed.program });
    this.commands = commands;
    this.typed = { ...typed, supplied: this.supplied };
    this.input = new InputReader(context, {
      maxInput: this.global.maxInput,
      warn: (problem, fix) => this.warnOnce(`${problem} ${fix}`),
    });
  }

  /** One of several runs, with its own signal: what it learns and its closings end with it. */
  fork(signal: AbortSignal): Session {
    const context = contextWith(this.context, { signal });
    const { global, style, typed, secrets } = this;
    const fork = new Session(context, global, style, typed, this.commands, secrets.copy());
    for (const [key, value] of this.supplied) fork.supplied.set(key, value);
    fork.#state = this.#state;
    fork.#settings = this.#settings;
    fork.#storedStack = this.#storedStack;
    fork.shareWarnings(this);
    return fork;
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

  /** Warns of a diagnosis that is not a failure. */
  async warnOf({ code, message, hint, calls }: Diagnosis): Promise<void> {
    await this.readStack();
    const look = this.failureLook(this.style, Number.POSITIVE_INFINITY);
    const lines = [
      ...(hint === '' ? [] : [`  ${hint}`]),
      ...callsOf({ code, calls }, look).map((line) => `    ${line}`),
    ];
    this.warn([`${code}: ${message}`, ...lines].join('\n'));
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
      redact: (text) => this.redact(text),
      program: this.typed.program,
      explainLine: explain,
    };
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

  atEnd(closing: Closing): void {
    this.#closings.push(closing);
  }

  /** Runs all closings, and throws the first of their failures. */
  async finish(): Promise<void> {
    this.endProgress();
    const failures: unknown[] = [];
    for (const closing of this.#closings.splice(0)) {
      await Promise.resolve()
        .then(closing)
        .catch((error: unknown) => failures.push(error));
    }
    if (failures.length > 0) throw failures[0];
  }
}

function mayAsk({ stdin, stderr, env }: Context, { noInput, json }: GlobalOptions): boolean {
  const isWatched = (env.CI ?? '') === '' || env.CI === 'false' || env.CI === '0';
  const canDraw = stdin.isTerminal && stderr.isTerminal && env.TERM !== 'dumb';
  return !noInput && !json && isWatched && canDraw;
}

type StateOptions = Pick<GlobalOptions, 'config' | 'profile'>;

/** Opens the state of --config and --profile. */
export async function openLocalState(context: Context, options: StateOptions): Promise<State> {
  const { openState } = await import('../state/state.ts');
  const configFile = configFileOf(context, options);
  const { now, randomBytes, platform } = context;
  const state = { now, randomBytes, os: platform.os, userId: platform.userId };
  return openState({ ...state, configFile, profile: options.profile });
}

function configFileOf(context: Context, { config }: StateOptions): string {
  return config === undefined ? context.defaultConfigFile() : resolve(context.cwd, config);
}
