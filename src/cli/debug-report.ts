import { AuthcliError } from '../errors.ts';
import { redacted } from '../reports/redact.ts';
import { escapeControls } from '../text.ts';
import type { CommandLine } from './command-line.ts';
import type { Context } from './context.ts';
import { type Flag, type Flags, flagName, takesValue } from './options.ts';

/** What is known of a run when it has ended. */
export interface EndedRun {
  readonly line: CommandLine;
  /** What the command takes; empty where no command was found. */
  readonly flags: Flags;
  readonly status: number;
  /** What was thrown, if anything was. */
  readonly error?: unknown;
  /** Hides what the run knew to be secret. */
  readonly redact: (text: string) => string;
}

/**
 * What a report of a bug needs, for --debug: what ran where, the command line without the values
 * that may be secret, how it ended, and where in the code. Always redacted: it is made to be sent.
 */
export function debugReport(run: EndedRun, { version, platform }: Context): string {
  const { line, flags, status, error, redact } = run;
  const lines = [
    `authcli ${version}, Node ${platform.node}, OpenSSL ${platform.openssl}`,
    `command: ${shownCommandLine(line, flags)}`,
    `exit status: ${status}`,
    ...causes(error).flatMap(describe),
  ];
  return `${lines.map((text) => `debug: ${escapeControls(redact(text))}`).join('\n')}\n`;
}

/** Options by name; values only of those that hold no secret, arguments never. */
function shownCommandLine({ words, rest, behind }: CommandLine, flags: Flags): string {
  const known = new Map<string, Flag<unknown>>(
    Object.values(flags).map((flag) => [`--${flagName(flag)}`, flag]),
  );
  const shown: string[] = [];
  let open: Flag<unknown> | undefined;
  for (const token of rest) {
    const [, name = '', value] = /^(--[a-z0-9-]+)(?:=(.*))?$/s.exec(token) ?? [];
    if (name === '') shown.push(open === undefined ? redacted : shownValue(open, token));
    else if (value === undefined) shown.push(name);
    else shown.push(`${name}=${shownValue(known.get(name), value)}`);
    const flag = known.get(name);
    open = value === undefined && flag !== undefined && takesValue(flag) ? flag : undefined;
  }
  return ['authcli', ...words, ...shown, ...(behind === undefined ? [] : ['--', redacted])].join(
    ' ',
  );
}

function shownValue(flag: Flag<unknown> | undefined, value: string): string {
  if (flag === undefined || flag.secret || flag.references || flag.setting === 'headers') {
    return redacted;
  }
  return withoutUrlSecrets(value);
}

/** What a URL says of a user, and what stands in its query, is nobody else's business. */
function withoutUrlSecrets(text: string): string {
  return text
    .replace(/\/\/[^/@\s]*@/g, `//${redacted}@`)
    .replace(/(:\/\/[^\s"'?]*)\?[^\s"']*/g, `$1?${redacted}`);
}

/** An error and what led to it. */
function causes(error: unknown): readonly unknown[] {
  const found: unknown[] = [];
  for (let at = error; at !== undefined && found.length < 8; at = causeOf(at)) found.push(at);
  return found;
}

function causeOf(error: unknown): unknown {
  return error instanceof Error ? error.cause : undefined;
}

/** Its class and its place. Only errors raised on purpose say what they say without showing data. */
function describe(error: unknown): readonly string[] {
  if (!(error instanceof Error)) return [`thrown: ${typeof error}`];
  const { name, stack = '' } = error;
  const code = 'code' in error && typeof error.code === 'string' ? ` ${error.code}` : '';
  const said = error instanceof AuthcliError ? `: ${withoutUrlSecrets(error.message)}` : '';
  const frames = stack.split('\n').filter((line) => /^\s+at /.test(line));
  return [`${name}${code}${said}`, ...frames.map(withoutPlace)];
}

/** A frame without the folders of this machine: from authcli's own on, else the file's name alone. */
function withoutPlace(frame: string): string {
  return frame.replace(
    /(?:file:\/\/)?(?:[A-Za-z]:)?[\\/](?:[^\s()]*?[\\/](?=(?:dist|src|bin)[\\/])|[^\s()]*[\\/])/,
    '',
  );
}
