import { AuthcliError } from '../../src/errors.ts';
import { type RunEnvironment, type RunResult, run } from './run.ts';

type Event = Readonly<Record<string, unknown>>;

/** A relay that runs in this process. */
export interface RelayCommand {
  readonly callbackUrl: string;
  readonly authUrl: string;
  /** The events so far. */
  readonly events: () => readonly Event[];
  /** Resolves once that many exchanges have been judged. */
  exchanges(count: number): Promise<readonly Event[]>;
  /** Stops it as SIGTERM would, and gives what it printed. */
  stop(): Promise<RunResult & { readonly summary: Event }>;
}

/** Runs `authcli relay … --json` until it is stopped; resolves once it listens. */
export async function startRelayCommand(
  argv: readonly string[],
  environment: RunEnvironment,
): Promise<RelayCommand> {
  const controller = new AbortController();
  let text = '';
  let waiting: (() => void)[] = [];
  const events = () =>
    text
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Event);
  const ended = run(['relay', ...argv, '--json'], {
    ...environment,
    signal: controller.signal,
    onStdout: (printed) => {
      text = printed;
      for (const wake of waiting.splice(0)) wake();
    },
  });
  const failed = ended.then(({ stdout, stderr }) => {
    throw new Error(`ended: ${stdout}${stderr}`);
  });
  failed.catch(() => {});
  const until = async (isThere: () => boolean) => {
    while (!isThere()) {
      await Promise.race([new Promise<void>((resolve) => waiting.push(resolve)), failed]);
    }
  };
  await until(() => events().length > 0);
  const [listening] = events();
  const exchanges = () => events().filter(({ event }) => event === 'exchange');
  return {
    callbackUrl: String(listening?.callback_url),
    authUrl: String(listening?.auth_url),
    events,
    exchanges: async (count) => {
      await until(() => exchanges().length >= count);
      return exchanges();
    },
    stop: async () => {
      waiting = [];
      controller.abort(new AuthcliError('terminated', 'Terminated.'));
      const result = await ended;
      return { ...result, summary: events().at(-1) ?? {} };
    },
  };
}
