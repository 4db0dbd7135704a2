import type { Secret } from '../crypto/secret.ts';
import type { Control } from '../emulator/control.ts';
import { createEmulator } from '../emulator/emulator.ts';
import type { Activation } from '../emulator/faults/switchboard.ts';
import type { Handler } from '../emulator/handling.ts';
import { Journal, type JournalEntry, type JournalFilter } from '../emulator/journal.ts';
import { startServer } from '../emulator/server.ts';
import { Redactor } from '../reports/redact.ts';
import { world } from './world.ts';

/** What both emulated sides take. */
export interface EmulatorOptions {
  /** The address to listen on; 127.0.0.1 unless told. */
  readonly host?: string;
  /** A free one unless told. */
  readonly port?: number;
  /** Names of faults that are on from the start; `authcli emulate app --list-faults` lists them. */
  readonly faults?: readonly string[];
  /** Answer so much later. */
  readonly latencyMs?: number;
  /** Leave keys, passcodes and tokens in the journal as they are. */
  readonly showSecrets?: boolean;
  /** Told of every call, after it was answered. */
  readonly onExchange?: (entry: JournalEntry) => void;
  /** Closes the emulator when it is aborted. */
  readonly signal?: AbortSignal;
}

/** Which faults are on. */
export interface Faults {
  /**
   * Switches one on: for all calls, or for so many `times`, or for one user.
   * @throws AuthcliError `usage` for a name that there isn't, with what may have been meant
   */
  on(fault: string | Activation): void;
  /** Switches one off, or all; how many were on. */
  off(name?: string): number;
  active(): readonly Activation[];
}

/** One emulated side that listens. */
export interface RunningEmulator extends AsyncDisposable {
  /** Where it listens, without a path or a slash at the end. */
  readonly origin: string;
  readonly port: number;
  readonly faults: Faults;
  /** The calls that were received, the oldest first; the last 1,000 are kept. */
  journal(filter?: JournalFilter): readonly JournalEntry[];
  /** Ends it; again, does nothing. `await using` does the same. */
  close(): Promise<void>;
}

/** A side before it listens. */
export interface Side extends Pick<Control, 'side' | 'faults' | 'settings' | 'signUp'> {
  readonly handler: Handler;
}

/**
 * Serves one side on loopback.
 * @throws AuthcliError `usage` for an address that can't be bound or a fault that there isn't; the
 *   reason of `signal`
 */
export async function startEmulator(
  { handler, ...side }: Side,
  options: EmulatorOptions,
): Promise<RunningEmulator> {
  const { host = '127.0.0.1', port = 0, latencyMs, onExchange, signal } = options;
  signal?.throwIfAborted();
  const faults = faultsOf(side.faults);
  for (const name of options.faults ?? []) faults.on(name);
  const journal = new Journal({ redact: options.showSecrets ? (value) => value : redact });
  const control = { ...side, journal };
  const handle = createEmulator({ handler, control, environment: world, latencyMs, onExchange });
  const server = await startServer({ host, port, handle });
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => {
    signal?.removeEventListener('abort', close);
    closing ??= server.close();
    return closing;
  };
  signal?.addEventListener('abort', close, { once: true });
  return {
    origin: server.url,
    port: server.port,
    faults,
    journal: (filter) => journal.read(filter),
    close,
    [Symbol.asyncDispose]: close,
  };
}

function faultsOf(board: Control['faults']): Faults {
  return {
    on: (fault) => board.switchOn(typeof fault === 'string' ? { name: fault } : fault),
    off: (name) => board.switchOff(name),
    active: () => board.active(),
  };
}

function redact(value: unknown, secrets: readonly Secret[]): unknown {
  const redactor = new Redactor();
  for (const secret of secrets) redactor.add(secret);
  return redactor.json(value);
}
