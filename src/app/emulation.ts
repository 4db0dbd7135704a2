import type { Cipher } from '../crypto/cipher.ts';
import { createApplication, handleCallback } from '../emulator/application.ts';
import type { Control, FaultControl } from '../emulator/control.ts';
import { createEmulator, type EmulatorOptions } from '../emulator/emulator.ts';
import type { Environment, Handler } from '../emulator/handling.ts';
import { Journal, type Redaction } from '../emulator/journal.ts';
import { type RunningServer, type ServerOptions, startServer } from '../emulator/server.ts';
import { createService, handleServiceCall, type ServiceOptions } from '../emulator/service.ts';
import type { UserStore } from '../emulator/users.ts';
import type { Redactor } from '../reports/redact.ts';
import { issueToken } from './signin.ts';

/** One emulated side, before it listens. */
export interface EmulatedSide extends Omit<Control, 'journal'> {
  readonly handler: Handler;
  readonly faults: FaultControl;
  readonly clientId: string;
  readonly cipher: Cipher;
  /** Of `expire_dt`. */
  readonly timeZone?: string;
}

/** The reference application; its users are in memory by default. */
export function emulatedApplication(
  {
    clientId,
    cipher,
    users,
  }: Pick<EmulatedSide, 'clientId' | 'cipher'> & {
    readonly users?: UserStore;
  },
  environment: Environment,
): EmulatedSide {
  const application = createApplication({ clientId, cipher, environment, users });
  return {
    side: 'application',
    handler: (request) => handleCallback(request, application),
    faults: application.faults,
    reset: () => {
      application.users.clear?.();
      application.faults.forget();
    },
    settings: { client_id: clientId },
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
  const { clientId, cipher } = options;
  return {
    side: 'service',
    handler: (request) => handleServiceCall(request, service),
    faults: service.faults,
    reset: () => {
      service.tokens.clear();
      service.faults.forget();
    },
    settings: { client_id: clientId },
    signUp,
    issuePtnToken: (ptnCd) => issueToken({ ...options, ptnCd }, environment),
    clientId,
    cipher,
    timeZone: service.timeZone,
  };
}

export interface EmulationOptions
  extends Partial<Pick<ServerOptions, 'host' | 'port' | 'onError' | 'tls' | 'onTlsProblem'>>,
    Pick<EmulatorOptions, 'latencyMs' | 'onExchange' | 'page'> {
  readonly redaction: Redaction;
}

export interface RunningEmulation extends RunningServer {
  readonly journal: Journal;
}

/** Serves one side, by default on a free port of loopback; throws `usage` if it can't be bound. */
export async function startEmulation(
  { handler, ...side }: EmulatedSide,
  options: EmulationOptions,
  environment: Environment,
): Promise<RunningEmulation> {
  const { host = '127.0.0.1', port = 0, latencyMs, onExchange, page } = options;
  const { onError, tls, onTlsProblem } = options;
  const journal = new Journal({ redaction: options.redaction });
  const control: Control = { ...side, journal };
  const handle = createEmulator({ handler, control, environment, latencyMs, onExchange, page });
  const server = await startServer({ host, port, handle, onError, tls, onTlsProblem });
  return { ...server, journal };
}

/** Hides the secrets that are known in the run and those of each call. */
export function journalRedaction(showSecrets: boolean, redactor: Redactor): Redaction {
  if (showSecrets) {
    const head = (text: string, maxUnits: number): string => text.slice(0, maxUnits);
    return { hide: () => {}, json: (value) => value, head };
  }
  return {
    hide: (secrets) => {
      for (const secret of secrets) redactor.addFromPeer(secret);
    },
    json: (value) => redactor.json(value),
    head: (text, maxUnits) => redactor.head(text, maxUnits),
  };
}
