import { answerControl, type Control, isControlPath } from './control.ts';
import type { Environment, Handler } from './handling.ts';
import type { EmulatorAnswer, EmulatorRequest } from './http.ts';
import type { JournalEntry } from './journal.ts';

export interface EmulatorOptions {
  /** The side that is emulated. */
  readonly handler: Handler;
  readonly control: Control;
  readonly environment: Environment;
  /** Milliseconds by which every answer of the handler is late; control paths answer at once. */
  readonly latencyMs?: number;
  /** Told of every call of the interface after it was answered, with its redacted entry. */
  readonly onExchange?: (entry: JournalEntry) => void;
}

/** One emulated side with its journal and control paths, as the one function that a server serves. */
export function createEmulator(
  options: EmulatorOptions,
): (request: EmulatorRequest) => Promise<EmulatorAnswer> {
  const { handler, control, environment, latencyMs = 0, onExchange } = options;
  return async (request) => {
    if (isControlPath(request.path)) return answerControl(request, control);
    const receivedAt = environment.now();
    const handled = await handler(request);
    const durationMs = environment.now() - receivedAt;
    const call = control.journal.record({ ...handled, request, receivedAt, durationMs });
    onExchange?.(control.journal.show(call));
    return latencyMs === 0 ? handled.answer : delayed(handled.answer, latencyMs);
  };
}

function delayed(answer: EmulatorAnswer, latencyMs: number): EmulatorAnswer {
  const delayMs = (answer.delivery?.delayMs ?? 0) + latencyMs;
  return { ...answer, delivery: { ...answer.delivery, delayMs } };
}
