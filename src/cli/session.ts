import { hintLines } from '../diagnosis/catalogue-hint.ts';
import type { Diagnosis } from '../errors.ts';
import { fitLine, type Style } from '../reports/human.ts';
import { jsonLine } from '../reports/json.ts';
import { Redactor } from '../reports/redact.ts';
import type { SettingName, Settings } from '../state/settings.ts';
import type { State } from '../state/state.ts';
import { escapeControls } from '../text.ts';
import { configFileOf, isMissing } from './config-file.ts';
import type { Context } from './context.ts';
import type { GlobalOptions } from './global-flags.ts';
import { InputReader } from './input.ts';
import { noProgress, type Progress, type ProgressText, startProgress } from './progress.ts';
import type { Prompts } from './questions.ts';
import { remarkColumns, showsUnicode, styleFor } from './style.ts';

/** Something to do when the run ends, however it ends; given in the order in which it is done. */
type Closing = () => Promise<void> | void;

/** Opens the local state; the composition gives it, so that commands without state don't load it. */
export type OpenState = () => Promise<State>;

/** A value that may have been meant as the name of a file, which `prefix` before it would read. */
export interface BareText {
  readonly text: string;
  readonly source: string;
  readonly prefix: '@' | 'file:';
}

/** One run of one command: its context, what it knows to be secret, and its ways to speak. */
export class Session {
  readonly context: Context;
  readonly global: GlobalOptions;
  readonly style: Style;
  readonly secrets = new Redactor();
  readonly input: InputReader;
  /** Values that were given as they are, not by the name of a file. */
  readonly bareTexts: BareText[] = [];
  /** The command behind `--`, for those that run one. */
  childCommand: readonly string[] = [];
  readonly #openState: OpenState;
  #state: Promise<State> | undefined;
  #settings: Promise<Settings> | undefined;
  #prompts: Promise<Prompts> | undefined;
  readonly #closings: Closing[] = [];
  #streaming = false;
  readonly #warned = new Set<string>();
  #progress: Progress = noProgress;

  constructor(context: Context, global: GlobalOptions, style: Style, openState: OpenState) {
    this.context = context;
    this.global = global;
    this.style = style;
    this.input = new InputReader(context, global.allowLoosePermissions);
    this.#openState = openState;
  }

  /** The local state, opened once. */
  state(): Promise<State> {
    this.#state ??= this.#openState();
    return this.#state;
  }

  /** Says what was noticed while the state was read or changed. */
  async warnOfState(): Promise<void> {
    const state = await this.#state?.catch(() => undefined);
    for (const warning of state?.warnings ?? []) this.warn(warning);
  }

  /** The setting of the profile in use; the config file is read once, when the first is asked for. */
  async setting(name: SettingName): Promise<string | readonly string[] | undefined> {
    this.#settings ??= this.#readSettings();
    return (await this.#settings)[name];
  }

  /** Without a config file there are none, and what reads it isn't loaded for that. */
  async #readSettings(): Promise<Settings> {
    const { context, global } = this;
    if (global.profile === undefined && isMissing(configFileOf(context, global))) return {};
    return (await this.state()).settings.list();
  }

  /** Whether secrets are shown because the user asked for it. */
  get showsSecrets(): boolean {
    return this.global.showSecrets;
  }

  /** `text` as it may be shown: secrets hidden unless the user asked to see them. */
  redact(text: string): string {
    return this.showsSecrets ? text : this.secrets.text(text);
  }

  /** A remark on standard error; silent under --quiet. */
  note(text: string): void {
    if (!this.global.quiet) this.#remark(`note: ${text}`);
  }

  /** A warning on standard error; said even under --quiet. */
  warn(text: string): void {
    this.#remark(`warning: ${text}`);
  }

  /** The same for what the other side does that need not fail, with what to change. */
  warnOf({ code, message, hint }: Diagnosis): void {
    const lines = hint === '' ? [] : hintLines(hint).map((line) => `  ${line}`);
    this.warn([`${code}: ${message}`, ...lines].join('\n'));
  }

  /** The same, but each text a single time in a run. */
  readonly warnOnce = (text: string): void => {
    if (!this.#warned.has(text)) this.warn(text);
    this.#warned.add(text);
  };

  /** Lines on standard error as they are, for what was asked for by a flag (--trace, --curl). */
  aside(text: string): void {
    this.#say(text);
  }

  /** The same for what is made to be sent to others: secrets are hidden also from who may see them. */
  report(text: string): void {
    this.context.stderr.write(`${this.secrets.text(text)}\n`);
  }

  /** On a terminal, broken where words end; code and commands to copy stay in one piece. */
  #remark(text: string): void {
    const width = remarkColumns(this.context.stderr);
    const lines = this.#safe(text)
      .split('\n')
      .flatMap((line) => (line.startsWith('    ') ? [line] : fitLine(line, width)));
    this.#write(lines.join('\n'));
  }

  #say(text: string): void {
    this.#write(this.#safe(text));
  }

  /** Hidden before lines are broken: a secret in two pieces would not be found. */
  #safe(text: string): string {
    return this.redact(text.split('\n').map(escapeControls).join('\n'));
  }

  #write(text: string): void {
    this.#progress.clear();
    this.context.stderr.write(`${text}\n`);
  }

  /** One line of a command that writes as it goes (`emulate`): JSON under --json, text otherwise. */
  emit(event: Readonly<Record<string, unknown>>, text: string): void {
    this.#streaming = true;
    const shown = this.showsSecrets ? event : this.secrets.json(event);
    this.context.stdout.write(this.global.json ? jsonLine(shown) : `${this.redact(text)}\n`);
  }

  /** Whether anything was written by {@link Session.emit}: then no document follows. */
  get streaming(): boolean {
    return this.#streaming;
  }

  /** Ways to ask the user; undefined where nobody can be asked: no terminal, --no-input, --json, CI. */
  async prompts(): Promise<Prompts | undefined> {
    const { context, global } = this;
    if (!mayAsk(context, global)) return undefined;
    this.#prompts ??= styleFor(context.stderr, context.env, global.noColor).then((style) =>
      context.openPrompts({ style, unicode: showsUnicode(context) }),
    );
    return this.#prompts;
  }

  /**
   * Shows what is being waited for, on a terminal and only after half a second; with `atOnce` before
   * work that lets nothing be drawn while it is done. The line is one, and goes with the run at the latest.
   */
  progress(text: ProgressText, options: { readonly atOnce?: boolean } = {}): Progress {
    const { stderr, env } = this.context;
    const canClear = stderr.isTerminal && env.TERM !== 'dumb';
    if (!canClear || this.global.quiet || this.global.json) return noProgress;
    this.#progress.stop();
    const line = startProgress(stderr, this.#shownProgress(text), options);
    this.#progress = line;
    return { ...line, update: (next) => line.update(this.#shownProgress(next)) };
  }

  #shownProgress(text: ProgressText): ProgressText {
    return () => this.redact(typeof text === 'string' ? text : text());
  }

  /** Has `closing` done at the end of the run, also when the run fails. */
  atEnd(closing: Closing): void {
    this.#closings.push(closing);
  }

  /** Does what was left for the end; the first failure is thrown after all of it was tried. */
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

/** Questions need a keyboard and a screen that can be drawn on, and somebody in front of them. */
function mayAsk({ stdin, stderr, env }: Context, { noInput, json }: GlobalOptions): boolean {
  const isWatched = (env.CI ?? '') === '' || env.CI === 'false' || env.CI === '0';
  const canDraw = stdin.isTerminal && stderr.isTerminal && env.TERM !== 'dumb';
  return !noInput && !json && isWatched && canDraw;
}
