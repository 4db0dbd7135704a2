import type { Conclusion, SigninRoom, SigninUser } from '../conformance/signin-world.ts';
import { formatCipher } from '../crypto/cipher-notation.ts';
import { diagnosis } from '../diagnosis/catalogue-entry.ts';
import { escapeControls } from '../text.ts';
import { usage } from './hints.ts';
import type { Session } from './session.ts';
import type { VerifyOptions } from './verify-flags.ts';
import type { ChildEnd, WatchedChild } from './watched-child.ts';

/** The command behind `--` that signs users in, as often as it is run. */
export class SigninCommand {
  readonly #options: VerifyOptions;
  readonly #session: Session;
  readonly #stop = new AbortController();
  readonly #running = new Set<Promise<unknown>>();

  constructor(options: VerifyOptions, session: Session) {
    this.#options = options;
    this.#session = session;
  }

  /** Runs it to its end, or to the end of its time; throws `usage` where there is no such command. */
  async run(room: SigninRoom, user: SigninUser | undefined): Promise<Conclusion> {
    const session = this.#session;
    const { context, childCommand } = session;
    const [command = '', ...args] = childCommand;
    const ending = context.runWatched({
      command,
      args,
      cwd: context.cwd,
      env: environmentOf(room, user, this.#options),
      timeoutMs: this.#options.timeout,
      signal: AbortSignal.any([context.signal, this.#stop.signal, room.overrun]),
    });
    this.#running.add(ending);
    try {
      const conclusion = conclude(await ending, room, this.#options);
      showOutput(conclusion, session);
      return conclusion;
    } catch (error) {
      throw cannotRun(command, error);
    } finally {
      this.#running.delete(ending);
    }
  }

  /** Ends those that are left, and waits until they are gone. */
  async end(): Promise<void> {
    this.#stop.abort();
    await Promise.allSettled(this.#running);
  }
}

function cannotRun(command: string, error: unknown): unknown {
  const { code } = error as NodeJS.ErrnoException;
  if (code === undefined) return error;
  return usage(
    `The command ${JSON.stringify(command)} can't be run (${code}).`,
    'Is it installed, and on the PATH? It stands behind --, without a shell.',
  );
}

/** What the command is told; docs/ci.md and the help list the same. */
function environmentOf(
  { authUrl, ptnToken }: SigninRoom,
  user: SigninUser | undefined,
  { clientId, secretKey, cipher }: VerifyOptions,
): WatchedChild['env'] {
  return {
    AUTHCLI_AUTH_URL: authUrl,
    AUTHCLI_CLIENT_ID: clientId,
    AUTHCLI_SECRET_KEY: secretKey.reveal(),
    AUTHCLI_PTN_TOKEN: ptnToken,
    AUTHCLI_CIPHER: formatCipher(cipher),
    // A user of the application's own is its business: it must not be told of another.
    AUTHCLI_PTN_CD: user?.ptnCd,
    AUTHCLI_KEY: user?.key.reveal(),
    AUTHCLI_SUPER_PASSCODE: user?.superPasscode.reveal(),
    // The name under which `authcli signin` reads the same.
    AUTHCLI_EXPECT_PASSCODE: user?.superPasscode.reveal(),
  };
}

function conclude(
  { status, signal, timedOut, output: shown }: ChildEnd,
  { overrun, calls }: SigninRoom,
  { timeout }: VerifyOptions,
): Conclusion {
  if (timedOut) {
    const how = `still running after ${timeout / 1000} s, and ended`;
    const message = `The command had not ended after ${timeout / 1000} s.`;
    const hint = 'Does it wait for input, or keep a server running? A longer time can be given.';
    return { verdict: 'unclear', how, diagnosis: diagnosis('timeout', message, hint), shown };
  }
  if (overrun.aborted) {
    return { verdict: 'unclear', how: `ended after ${calls().length} requests`, shown };
  }
  if (status === undefined) return { verdict: 'unclear', how: `ended by ${signal}`, shown };
  return { verdict: status === 0 ? 'signed-in' : 'refused', how: `exit status ${status}`, shown };
}

/** What the command printed, for who wants to see it: standard output is authcli's own. */
function showOutput({ how, shown }: Conclusion, session: Session): void {
  if (!session.global.verbose) return;
  const lines = shown.trimEnd() === '' ? [] : shown.trimEnd().split('\n');
  session.aside(
    [`command: ${how}`, ...lines.map((line) => `  ${escapeControls(line)}`)].join('\n'),
  );
}
