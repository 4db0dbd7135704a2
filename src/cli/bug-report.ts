import { AuthcliError } from '../errors.ts';
import { redacted } from '../reports/redact.ts';
import { escapeControls } from '../text.ts';
import { type CommandLine, typedTokens } from './args/command-line.ts';
import type { Flag, Flags } from './args/options.ts';
import type { Context } from './context.ts';

export interface FailedRun {
  readonly line: CommandLine;
  /** Empty where no command was found. */
  readonly flags: Flags;
  readonly error: unknown;
  readonly redact: (text: string) => string;
}

/**
 * What --verbose adds where a bug ends the run: versions, the command line without values that may be secret, and
 * the stack. Redacted also under --show-secrets, since it is made to be sent.
 */
export function bugReport(run: FailedRun, { version, platform }: Context): string {
  const { line, flags, error, redact } = run;
  const lines = [
    `authcli ${version}, Node ${platform.node}, OpenSSL ${platform.openssl}`,
    `command: ${shownCommandLine(line, flags)}`,
    ...causes(error).flatMap(describe),
  ];
  return `${lines.map((text) => `bug: ${escapeControls(redact(text))}`).join('\n')}\n`;
}

/** Values are shown only of options that contain no secret; arguments never. */
function shownCommandLine({ words, rest, behind }: CommandLine, flags: Flags): string {
  const shown = typedTokens(rest, flags).map(({ name, value, joined, key }) => {
    if (name === '') return redacted;
    if (value === undefined) return name;
    return `${name}${joined ? '=' : ' '}${shownValue(flags[key ?? ''], value)}`;
  });
  const child = behind === undefined ? [] : ['--', redacted];
  return ['authcli', ...words, ...shown, ...child].join(' ');
}

function shownValue(flag: Flag<unknown> | undefined, value: string): string {
  if (flag === undefined || flag.secret || flag.references || flag.setting === 'headers') {
    return redacted;
  }
  return withoutUrlSecrets(value);
}

/** Credentials and the query of a URL are private. */
function withoutUrlSecrets(text: string): string {
  return text
    .replace(/\/\/[^/@\s]*@/g, `//${redacted}@`)
    .replace(/:\/\/[^\s"']*/g, (url) => url.replace(/\?.*$/s, `?${redacted}`));
}

function causes(error: unknown): readonly unknown[] {
  const found: unknown[] = [];
  for (let at = error; at !== undefined && found.length < 8; ) {
    found.push(at);
    at = at instanceof Error ? at.cause : undefined;
  }
  return found;
}

/** Only messages of errors raised on purpose are known to contain no data. */
function describe(error: unknown): readonly string[] {
  if (!(error instanceof Error)) return [`thrown: ${typeof error}`];
  const { name, stack = '' } = error;
  const code = 'code' in error && typeof error.code === 'string' ? ` ${error.code}` : '';
  const message = error instanceof AuthcliError ? `: ${withoutUrlSecrets(error.message)}` : '';
  const frames = stack.split('\n').filter((line) => /^\s+at /.test(line));
  return [`${name}${code}${message}`, ...frames.map(withoutPlace)];
}

/** Removes the folders of this machine from a stack frame. */
function withoutPlace(frame: string): string {
  return frame.replace(
    /(?:file:\/\/)?(?:[A-Za-z]:)?[\\/](?:[^\s()]*?[\\/](?=(?:dist|src|bin)[\\/])|[^\s()]*[\\/])/,
    '',
  );
}
