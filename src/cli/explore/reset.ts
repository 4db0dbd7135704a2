import type { Transport } from '../../client/exchange.ts';
import { isControlPath } from '../../emulator/control.ts';
import type { AuthcliError } from '../../errors.ts';
import { excerptOf } from '../../text.ts';
import { usage } from '../failure.ts';
import { namesProgram, runGivenCommand } from '../process/given-command.ts';
import type { Session } from '../session.ts';

/** What --reset names: a program, or an address for POST. */
type Reset = string | URL;

/** Reads the value of --reset. Throws `usage` without naming it. */
export function parseReset(text: string): Reset {
  if (/^https?:\/\//i.test(text)) {
    if (URL.canParse(text)) return new URL(text);
    throw usage(`${JSON.stringify(text)} is not a URL.`, example);
  }
  if (namesProgram(text)) return text;
  throw usage('it names no program.', example);
}

const example = 'For example: --reset ./restart.sh, or --reset http://localhost:8080/test/reset';

/**
 * Brings the endpoint at `url` back to a clean state; undefined if nothing does. What an emulator offers to the command
 * that it runs concerns that emulator only.
 */
export function resetFor(
  reset: Reset | undefined,
  url: string,
  transport: Transport,
  session: Session,
): (() => Promise<void>) | undefined {
  if (reset === undefined) return undefined;
  if (typeof reset === 'string') return () => runReset(reset, session);
  const isOfOther = isControlPath(reset.pathname) && reset.origin !== new URL(url).origin;
  return isOfOther ? undefined : () => postReset(reset, transport);
}

async function runReset(line: string, session: Session): Promise<void> {
  const { command, fault, shown } = await runGivenCommand(line, { leavesProcesses: true }, session);
  if (fault === undefined) return;
  session.context.signal.throwIfAborted();
  const printed = shown.length > 0 ? ` It printed:\n${shown.join('\n')}` : '';
  throw failed(
    `${command} ${fault}.${printed}`,
    'Run it by hand until it ends with status 0. It is run without a shell, in the current folder.',
  );
}

async function postReset(url: URL, transport: Transport): Promise<void> {
  const { response, failure } = await transport.send({
    method: 'POST',
    url,
    headers: [],
    body: new Uint8Array(),
  });
  if (response !== undefined && response.status >= 200 && response.status < 300) return;
  const what =
    response === undefined
      ? (failure?.message ?? 'No response came.')
      : `It responded with HTTP ${response.status}: ${excerptOf(Buffer.from(response.body).toString(), 200)}`;
  throw failed(`POST ${url.href} failed. ${what}`, 'It must respond with HTTP 200 to 299.');
}

function failed(message: string, hint: string): AuthcliError {
  return usage(`--reset: ${message}`, hint, { again: true });
}
