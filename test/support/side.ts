import { AuthcliError } from '../../src/errors.ts';
import { type RunEnvironment, type RunResult, run } from './run.ts';

/** An emulator that runs in this process. */
export interface RunningSide {
  readonly url: string;
  /** Posts to one of its control paths. */
  control(path: string, fields: Readonly<Record<string, unknown>>): Promise<void>;
  /** Stops it as SIGTERM would, and gives what it printed. */
  stop(): Promise<RunResult>;
}

/** Runs `authcli emulate SIDE` until it is stopped; resolves once it listens. */
export async function startSide(
  argv: readonly string[],
  environment: RunEnvironment,
): Promise<RunningSide> {
  const controller = new AbortController();
  let ready: (url: string) => void = () => {};
  const listening = new Promise<string>((resolve) => {
    ready = resolve;
  });
  const ended = run(['emulate', ...argv, '--json'], {
    ...environment,
    signal: controller.signal,
    onStdout: (text) => {
      const [line = ''] = text.split('\n');
      ready((JSON.parse(line) as { url: string }).url);
    },
  });
  const url = await Promise.race([
    listening,
    ended.then((result) =>
      Promise.reject(new Error(`did not start: ${result.stdout}${result.stderr}`)),
    ),
  ]);
  return {
    url,
    control: async (path, fields) => {
      const headers = { 'content-type': 'application/json' };
      const target = new URL(`/_authcli/${path}`, url);
      const response = await fetch(target, {
        method: 'POST',
        headers,
        body: JSON.stringify(fields),
      });
      if (!response.ok) throw new Error(await response.text());
      await response.arrayBuffer();
    },
    stop: () => {
      controller.abort(new AuthcliError('terminated', 'Terminated.'));
      return ended;
    },
  };
}
