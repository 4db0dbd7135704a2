import { AuthcliError } from '../errors.ts';
import { redacted } from '../reports/redact.ts';
import { escapeControls } from '../text.ts';
import { type Flag, sourceName } from './args/options.ts';
import type { Session } from './session.ts';

/**
 * What --verbose adds where a bug ends the run: versions, the names of what was given, and the stack. Redacted also
 * under --show-secrets, since it is made to be sent.
 */
export function bugReport(error: unknown, { context, line, secrets }: Session): string {
  const { version, platform } = context;
  const given = [...line.given.keys()].map((key) => {
    const flag: Flag<unknown> | undefined = line.flags[key];
    return flag === undefined ? redacted : sourceName(flag);
  });
  const lines = [
    `authcli ${version}, Node ${platform.node}, OpenSSL ${platform.openssl}`,
    `command: ${['authcli', line.path, ...given].join(' ')}`,
    ...describe(error),
  ];
  return `${lines.map((text) => `bug: ${escapeControls(secrets.text(text))}`).join('\n')}\n`;
}

/** Only messages of errors raised on purpose are known to contain no data; folders of this machine are left out. */
function describe(error: unknown): readonly string[] {
  if (!(error instanceof Error)) return [`thrown: ${typeof error}`];
  const { name, stack = '', cause } = error;
  const code = 'code' in error && typeof error.code === 'string' ? ` ${error.code}` : '';
  const message = error instanceof AuthcliError ? `: ${withoutUrlSecrets(error.message)}` : '';
  const frames = stack.split('\n').filter((line) => /^\s+at /.test(line));
  const folder =
    /(?:file:\/\/)?(?:[A-Za-z]:)?[\\/](?:[^\s()]*?[\\/](?=(?:dist|src|bin)[\\/])|[^\s()]*[\\/])/;
  const shown = frames.map((frame) => frame.replace(folder, ''));
  return [`${name}${code}${message}`, ...shown, ...(cause === undefined ? [] : describe(cause))];
}

/** Credentials and the query of a URL are private. */
function withoutUrlSecrets(text: string): string {
  return text
    .replace(/\/\/[^/@\s]*@/g, `//${redacted}@`)
    .replace(/:\/\/[^\s"']*/g, (url) => url.replace(/\?.*$/s, `?${redacted}`));
}
