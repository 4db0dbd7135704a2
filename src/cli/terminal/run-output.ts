import { asStarted, fitLine, fitLines, type Style, verdict } from '../../reports/human.ts';
import { jsonLine } from '../../reports/json.ts';
import type { Redactor } from '../../reports/redact.ts';
import { escapeLines } from '../../text.ts';
import type { GlobalOptions } from '../args/shared-flags.ts';
import { type Confirmation, confirmation } from '../command.ts';
import type { Context } from '../context.ts';
import { noProgress, type Progress, type ProgressText, startProgress } from './progress.ts';
import { columnsOf, remarkColumns, terminalText } from './style.ts';

interface RunOutputParts {
  readonly context: Context;
  readonly global: GlobalOptions;
  readonly style: Style;
  readonly secrets: Redactor;
  /** As the user started it. */
  readonly program: string;
}

/** What one run prints: remarks on standard error, lines and events on standard output, redacted and escaped. */
export class RunOutput {
  readonly context: Context;
  readonly global: GlobalOptions;
  readonly style: Style;
  readonly secrets: Redactor;
  readonly #program: string;
  #streaming = false;
  #warned = new Set<string>();
  #progress: Progress = noProgress;

  constructor({ context, global, style, secrets, program }: RunOutputParts) {
    this.context = context;
    this.global = global;
    this.style = style;
    this.secrets = secrets;
    this.#program = program;
  }

  /** What one of them warned of once, the other doesn't warn of again. */
  protected shareWarnings(other: RunOutput): void {
    this.#warned = other.#warned;
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

  /** Output of --trace and --curl, on standard error. */
  aside(text: string): void {
    this.#write(this.#safe(text));
  }

  /** Wrapped on a terminal; indented code and commands stay in one piece. */
  #remark(text: string): void {
    const width = remarkColumns(this.context.stderr);
    const lines = this.#safe(asStarted(text, this.#program))
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

  /** Text for standard output: its secrets are hidden, then its lines wrapped on a terminal. */
  fitted(text: string): string {
    return fitLines(this.redact(text), columnsOf(this.context.stdout));
  }

  /** Lines of the result before its end, wrapped on a terminal. */
  print(lines: readonly string[]): void {
    const { stdout } = this.context;
    const text = lines.map((line) => `${this.fitted(line)}\n`).join('');
    if (text === '') return;
    this.#progress.clear();
    stdout.write(text);
  }

  /** One event of a command that streams: a JSON line under --json, text otherwise. */
  emit(event: Readonly<Record<string, unknown>>, text: string | (() => string)): void {
    this.#streaming = true;
    const { json } = this.global;
    const shown = () => this.fitted(typeof text === 'string' ? text : text());
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

  protected endProgress(): void {
    this.#progress.stop();
  }
}
