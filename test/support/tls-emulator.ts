import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { AuthcliError } from '../../src/errors.ts';
import { type RunResult, run } from './run.ts';

/** The first line of a command that listens with TLS. */
export interface Listening {
  readonly url: string;
  readonly callback_url?: string;
  readonly ui_url?: string;
  readonly tls: {
    readonly names: readonly string[];
    readonly valid_to: string;
    readonly ca_file: string;
    readonly trust: Readonly<Record<string, readonly string[]>>;
  };
}

/** A profile of its own; certificates are judged by the real clock. */
export function newProfile() {
  const folder = mkdtempSync(join(tmpdir(), 'authcli-tls-'));
  const environment = {
    configFile: join(folder, 'config.json'),
    cwd: folder,
    context: { now: Date.now },
  };
  /** What a command prints when it listens; it runs until the test is over. */
  const print = async (test: TestContext, ...argv: string[]): Promise<string> => {
    const stop = new AbortController();
    let running: Promise<RunResult> | undefined;
    test.after(async () => {
      stop.abort(new AuthcliError('terminated', 'Terminated.'));
      await running;
    });
    return new Promise<string>((resolve, reject) => {
      running = run(argv, { ...environment, signal: stop.signal, onStdout: resolve });
      running.then(({ stderr }) => reject(new Error(stderr)), reject);
    });
  };
  return {
    folder,
    run: (...argv: string[]): Promise<RunResult> => run(argv, environment),
    print,
    listen: async (test: TestContext, ...argv: string[]): Promise<Listening> =>
      JSON.parse((await print(test, ...argv, '--json')).split('\n', 1)[0] ?? '') as Listening,
  };
}
