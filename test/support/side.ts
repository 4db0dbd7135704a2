import { EventEmitter, once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { AuthcliError } from '../../src/errors.ts';
import { type RunEnvironment, type RunResult, run } from './run.ts';

/*
 * Commands that listen: they run in this process until they are stopped.
 */

type Event = Readonly<Record<string, unknown>>;

/** Resolves once the command has printed its first line. */
async function startCommand(argv: readonly string[], environment: RunEnvironment) {
  const controller = new AbortController();
  const output = new EventEmitter().setMaxListeners(0);
  let text = '';
  const ended = run(argv, {
    ...environment,
    signal: controller.signal,
    onStdout: (printed) => {
      text = printed;
      output.emit('more');
    },
  });
  const failed = ended.then(({ stdout, stderr }) => {
    throw new Error(`ended: ${stdout}${stderr}`);
  });
  failed.catch(() => {});
  const lines = (): readonly string[] => text.split('\n').slice(0, -1);
  const until = async (isMet: () => boolean): Promise<void> => {
    while (!isMet()) await Promise.race([once(output, 'more'), failed]);
  };
  await until(() => lines().length > 0);
  return {
    lines,
    until,
    /** Stops it as SIGTERM would, and gives what it printed. */
    stop: (): Promise<RunResult> => {
      controller.abort(new AuthcliError('terminated', 'Terminated.'));
      return ended;
    },
  };
}

/** An emulator that runs in this process. */
export type RunningSide = Awaited<ReturnType<typeof startSide>>;

/** Runs `authcli emulate SIDE` until it is stopped. */
export async function startSide(argv: readonly string[], environment: RunEnvironment) {
  const { lines, stop } = await startCommand(['emulate', ...argv, '--json'], environment);
  const { url, ui_url: page = '' }: { url: string; ui_url?: string } = JSON.parse(lines()[0] ?? '');
  return {
    url,
    page,
    stop,
    /** Posts to one of its control paths. */
    control: async (path: string, fields: Event): Promise<void> => {
      const headers = { 'content-type': 'application/json' };
      const target = new URL(`/_authcli/${path}`, url);
      const body = JSON.stringify(fields);
      const response = await fetch(target, { method: 'POST', headers, body });
      const text = await response.text();
      if (!response.ok) throw new Error(text);
    },
  };
}

/** A relay that runs in this process. */
export type RelayCommand = Awaited<ReturnType<typeof startRelayCommand>>;

/** Runs `authcli relay … --json` until it is stopped. */
export async function startRelayCommand(argv: readonly string[], environment: RunEnvironment) {
  const relay = await startCommand(['relay', ...argv, '--json'], environment);
  const events = () => relay.lines().map((line): Event => JSON.parse(line));
  const exchanges = () => events().filter(({ event }) => event === 'exchange');
  const [listening] = events();
  return {
    callbackUrl: String(listening?.callback_url),
    authUrl: String(listening?.auth_url),
    /** The events so far. */
    events,
    /** Resolves once that many exchanges have been judged. */
    exchanges: async (count: number) => {
      await relay.until(() => exchanges().length >= count);
      return exchanges();
    },
    stop: async () => ({ ...(await relay.stop()), summary: events().at(-1) ?? {} }),
  };
}

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

/** A profile of its own, whose certificates are judged by the real clock; what listens there runs until the test is over. */
export function newProfile() {
  const folder = mkdtempSync(join(tmpdir(), 'authcli-tls-'));
  const context = { now: Date.now };
  const environment = { configFile: join(folder, 'config.json'), cwd: folder, context };
  return {
    folder,
    run: (...argv: string[]): Promise<RunResult> => run(argv, environment),
    listen: async (test: TestContext, ...argv: string[]): Promise<Listening> => {
      const { lines, stop } = await startCommand([...argv, '--json'], environment);
      test.after(stop);
      return JSON.parse(lines()[0] ?? '');
    },
  };
}
