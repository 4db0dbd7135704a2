import { type Control, isControlPath, respondToControl } from './control.ts';
import type { Environment, Handler } from './handling.ts';
import type { EmulatorRequest, EmulatorResponse } from './http.ts';
import type { JournalEntry, RecordedCall } from './journal.ts';

export interface EmulatorOptions {
  /** The side that is emulated. */
  readonly handler: Handler;
  readonly control: Control;
  readonly environment: Environment;
  /** Milliseconds by which every response of the handler is late; those of control paths aren't. */
  readonly latencyMs?: number;
  /** Called for every call of the interface, with its redacted entry. */
  readonly onExchange?: (entry: JournalEntry, call: RecordedCall) => void;
  /** Handles requests to its own paths; undefined for all others. */
  readonly page?: (request: EmulatorRequest) => EmulatorResponse | undefined;
}

/** One emulated side with its journal and control paths, as the handler of a server. */
export function createEmulator(
  options: EmulatorOptions,
): (request: EmulatorRequest) => Promise<EmulatorResponse> {
  const { handler, control, environment, latencyMs = 0, onExchange, page } = options;
  return async (request) => {
    const shown = page?.(request);
    if (shown !== undefined) return shown;
    if (isControlPath(request.path)) return respondToControl(request, control);
    const receivedAt = environment.now();
    const handled = await handler(request);
    const durationMs = environment.now() - receivedAt;
    const call = control.journal.record({ ...handled, request, receivedAt, durationMs });
    onExchange?.(control.journal.show(call), call);
    return latencyMs === 0 ? handled.response : delayed(handled.response, latencyMs);
  };
}

function delayed(response: EmulatorResponse, latencyMs: number): EmulatorResponse {
  const delayMs = (response.delivery?.delayMs ?? 0) + latencyMs;
  return { ...response, delivery: { ...response.delivery, delayMs } };
}
