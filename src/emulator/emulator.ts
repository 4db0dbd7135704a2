import { answerControl, type Control, isControlPath } from './control.ts';
import type { Environment, Handler } from './handling.ts';
import type { EmulatorAnswer, EmulatorRequest } from './http.ts';
import type { JournalEntry, RecordedCall } from './journal.ts';

export interface EmulatorOptions {
  /** The side that is emulated. */
  readonly handler: Handler;
  readonly control: Control;
  readonly environment: Environment;
  /** Milliseconds by which every answer of the handler is late; control paths answer at once. */
  readonly latencyMs?: number;
  /** Told of every call of the interface after it was answered, with its redacted entry. */
  readonly onExchange?: (entry: JournalEntry, call: RecordedCall) => void;
  /** Answers requests to its own paths, before anything else; undefined for all others. */
  readonly page?: (request: EmulatorRequest) => Promise<EmulatorAnswer> | undefined;
}

/** One emulated side with its journal and control paths, as the one function that a server serves. */
export function createEmulator(
  options: EmulatorOptions,
): (request: EmulatorRequest) => Promise<EmulatorAnswer> {
  const { handler, control, environment, latencyMs = 0, onExchange, page } = options;
  return async (request) => {
    const shown = page?.(request);
    if (shown !== undefined) return shown;
    if (isControlPath(request.path)) return answerControl(request, control);
    const receivedAt = environment.now();
    const handled = await handler(request);
    const durationMs = environment.now() - receivedAt;
    const call = control.journal.record({ ...handled, request, receivedAt, durationMs });
    onExchange?.(control.journal.show(call), call);
    return latencyMs === 0 ? handled.answer : delayed(handled.answer, latencyMs);
  };
}

function delayed(answer: EmulatorAnswer, latencyMs: number): EmulatorAnswer {
  const delayMs = (answer.delivery?.delayMs ?? 0) + latencyMs;
  return { ...answer, delivery: { ...answer.delivery, delayMs } };
}
