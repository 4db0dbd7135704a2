import { type ApplicationOptions, createApplication, handleCallback } from './application.ts';
import { type Control, isControlPath, respondToControl } from './control.ts';
import type { Environment, Handler } from './handling.ts';
import type { EmulatorRequest, EmulatorResponse } from './http.ts';
import { Journal, type JournalEntry, type RecordedCall, type Redaction } from './journal.ts';
import { type RunningServer, type ServerOptions, startServer } from './server.ts';
import { createService, handleServiceCall, type ServiceOptions } from './service.ts';
import { issuePtnToken } from './tokens.ts';

export interface EmulatedSide extends Omit<Control, 'journal'>, Pick<ApplicationOptions, 'cipher'> {
  readonly handler: Handler;
  /** Of `expire_dt`. */
  readonly timeZone?: string;
}

/** The reference application; its users are in memory by default. */
export function emulatedApplication(
  options: Omit<ApplicationOptions, 'environment'>,
  environment: Environment,
): EmulatedSide {
  const application = createApplication({ ...options, environment });
  const { clientId, cipher, users, faults } = application;
  return {
    side: 'application',
    handler: (request) => handleCallback(request, application),
    faults,
    reset: () => {
      users.clear?.();
      faults.forget();
    },
    clientId,
    cipher,
  };
}

/** The service; `signUp` runs the sign-ups that its control path orders. */
export function emulatedService(
  { signUp, ...options }: Omit<ServiceOptions, 'environment'> & Pick<Control, 'signUp'>,
  environment: Environment,
): EmulatedSide {
  const service = createService({ ...options, environment });
  const { clientId, cipher, timeZone, tokens, faults } = service;
  return {
    side: 'service',
    handler: (request) => handleServiceCall(request, service),
    faults,
    reset: () => {
      tokens.clear();
      faults.forget();
    },
    signUp,
    issuePtnToken: (ptnCd) => issuePtnToken(ptnCd, service, environment),
    clientId,
    cipher,
    timeZone,
  };
}

export interface EmulationOptions
  extends Partial<Pick<ServerOptions, 'host' | 'port' | 'onError' | 'tls' | 'onTlsProblem'>> {
  readonly redaction: Redaction;
  /** Milliseconds by which every response of the handler is late; those of control paths aren't. */
  readonly latencyMs?: number;
  /** Called for every call of the interface, with its redacted entry. */
  readonly onExchange?: (entry: JournalEntry, call: RecordedCall) => void;
  /** Handles requests to its own paths; undefined for all others. */
  readonly page?: (request: EmulatorRequest) => EmulatorResponse | undefined;
}

export interface RunningEmulation extends RunningServer {
  readonly journal: Journal;
}

/** Serves one side, by default on a free port of loopback; throws `usage` if it can't be bound. */
export async function startEmulation(
  side: EmulatedSide,
  options: EmulationOptions,
  environment: Environment,
): Promise<RunningEmulation> {
  const { handle, journal } = createEmulator(side, options, environment);
  const { host = '127.0.0.1', port = 0, onError, tls, onTlsProblem } = options;
  const server = await startServer({ host, port, handle, onError, tls, onTlsProblem });
  return { ...server, journal };
}

/** One emulated side with its journal and control paths, as the handler of a server. */
export function createEmulator(
  { handler, ...side }: EmulatedSide,
  { redaction, latencyMs = 0, onExchange, page }: EmulationOptions,
  { now }: Environment,
) {
  const journal = new Journal(redaction);
  const control: Control = { ...side, journal };
  const handle = async (request: EmulatorRequest): Promise<EmulatorResponse> => {
    const shown = page?.(request);
    if (shown !== undefined) return shown;
    if (isControlPath(request.path)) return respondToControl(request, control);
    const receivedAt = now();
    const { response, facts } = await handler(request);
    const call = { request, response, facts, receivedAt, durationMs: now() - receivedAt };
    const recorded = journal.record(call);
    onExchange?.(journal.show(recorded), recorded);
    if (latencyMs === 0) return response;
    const delayMs = (response.delivery?.delayMs ?? 0) + latencyMs;
    return { ...response, delivery: { ...response.delivery, delayMs } };
  };
  return { handle, journal };
}
