import { encodeBase64Url } from '../bytes.ts';
import { defaultCipher } from '../crypto/cipher-notation.ts';
import { Secret } from '../crypto/secret.ts';
import { createApplication, handleCallback } from '../emulator/application.ts';
import type { Control } from '../emulator/control.ts';
import { createEmulator } from '../emulator/emulator.ts';
import type { Handler } from '../emulator/handling.ts';
import { Journal } from '../emulator/journal.ts';
import { type RunningServer, startServer } from '../emulator/server.ts';
import { createService, handleServiceCall } from '../emulator/service.ts';
import type { ServiceUser } from '../emulator/service-users.ts';
import { emulatorEnvironment, journalRedaction } from './emulate.ts';
import type { Session } from './session.ts';

/** Both sides of the interface on loopback, for one run of the demo; nothing of it is kept. */
export interface DemoWorld {
  readonly clientId: string;
  readonly secretKey: Secret;
  readonly callbackUrl: URL;
  readonly authUrl: string;
  /** Tells the service of a user that was signed up, as the real one would know it. */
  readonly enrol: (user: ServiceUser) => void;
}

/** Starts both emulators; they end with the run. */
export async function startDemoWorld(clientId: string, session: Session): Promise<DemoWorld> {
  const environment = emulatorEnvironment(session);
  const secretKey = Secret.text(encodeBase64Url(environment.randomBytes(18)));
  session.secrets.add(secretKey);
  const enrolled = new Map<string, ServiceUser>();
  const application = createApplication({ clientId, cipher: defaultCipher, environment });
  const service = createService({
    clientId,
    secretKey,
    cipher: defaultCipher,
    findUser: (ptnCd) => enrolled.get(ptnCd),
    environment,
  });
  const [applicationServer, serviceServer] = await Promise.all([
    serve(
      (request) => handleCallback(request, application),
      'application',
      application.faults,
      session,
    ),
    serve((request) => handleServiceCall(request, service), 'service', service.faults, session),
  ]);
  return {
    clientId,
    secretKey,
    callbackUrl: new URL('/callback', applicationServer.url),
    authUrl: serviceServer.url,
    enrol: (user) => enrolled.set(user.ptnCd, user),
  };
}

async function serve(
  handler: Handler,
  side: Control['side'],
  faults: Control['faults'],
  session: Session,
): Promise<RunningServer> {
  const journal = new Journal({ redact: journalRedaction(session) });
  const environment = emulatorEnvironment(session);
  const handle = createEmulator({ handler, control: { side, journal, faults }, environment });
  const server = await startServer({ host: '127.0.0.1', port: 0, handle });
  session.atEnd(() => server.close());
  return server;
}
