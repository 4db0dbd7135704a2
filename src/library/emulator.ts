import { type EmulatedSide, startEmulation } from '../emulator/emulator.ts';
import type { Activation } from '../emulator/faults/switchboard.ts';
import { type JournalEntry, type JournalFilter, openly } from '../emulator/journal.ts';
import { Redactor } from '../reports/redact.ts';
import { environment } from './arguments.ts';

/** The options of both emulated sides. */
export interface EmulatorOptions {
  /** The address to listen on; 127.0.0.1 by default. */
  readonly host?: string;
  /** A free one by default. */
  readonly port?: number;
  /** Faults that are on from the start; `authcli emulate app --list-faults` lists them. */
  readonly faults?: readonly string[];
  /** Delays each response. */
  readonly latencyMs?: number;
  /** Don't hide keys, passcodes and tokens in the journal. */
  readonly showSecrets?: boolean;
  /** Called after each response. */
  readonly onExchange?: (entry: JournalEntry) => void;
  /** Closes the emulator when it is aborted. */
  readonly signal?: AbortSignal;
}

export interface Faults {
  /** Switches one on: for all calls, `times` calls, or one user. Throws `usage` for an unknown name. */
  on(fault: string | Activation): void;
  /** Switches one or all off; returns how many were on. */
  off(name?: string): number;
  active(): readonly Activation[];
}

/** An emulated side that listens. */
export interface RunningEmulator extends AsyncDisposable {
  /** `http://127.0.0.1:8080` */
  readonly origin: string;
  readonly port: number;
  readonly faults: Faults;
  /** The last 1,000 calls, oldest first. */
  journal(filter?: JournalFilter): readonly JournalEntry[];
  /** Idempotent; `await using` does the same. */
  close(): Promise<void>;
}

/** Serves one side; throws `usage` for an unknown fault or an address that can't be bound. */
export async function startEmulator(
  side: EmulatedSide,
  options: EmulatorOptions,
): Promise<RunningEmulator> {
  const { signal, showSecrets = false } = options;
  signal?.throwIfAborted();
  const faults = faultsOf(side.faults);
  for (const name of options.faults ?? []) faults.on(name);
  const redaction = showSecrets ? openly : new Redactor();
  const server = await startEmulation(side, { ...options, redaction }, environment);
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
    journal: (filter) => server.journal.read(filter),
    close,
    [Symbol.asyncDispose]: close,
  };
}

function faultsOf(board: EmulatedSide['faults']): Faults {
  return {
    on: (fault) => board.switchOn(typeof fault === 'string' ? { name: fault } : fault),
    off: (name) => board.switchOff(name),
    active: () => board.active(),
  };
}
