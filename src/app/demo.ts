import { encodeBase64Url } from '../bytes.ts';
import type { SigninOutcome } from '../client/signin.ts';
import type { SignupInput, SignupOutcome } from '../client/signup.ts';
import type { Transport } from '../client/transport.ts';
import { defaultCipher } from '../crypto/cipher.ts';
import { exportPrivateKey } from '../crypto/rsa-key.ts';
import { Secret } from '../crypto/secret.ts';
import { callbackPath } from '../emulator/application.ts';
import type { Redaction } from '../emulator/journal.ts';
import type { ServiceUser } from '../emulator/users.ts';
import { defaultClientId } from '../protocol/defaults.ts';
import {
  type EmulatedSide,
  emulatedApplication,
  emulatedService,
  startEmulation,
} from './emulation.ts';
import type { Environment, Secrets } from './environment.ts';
import { signInWithIssuedToken } from './signin.ts';
import { signedUpUser, signUp, simulatedUser } from './signup.ts';

export interface DemoDependencies {
  readonly environment: Environment;
  readonly transport: Transport;
  readonly secrets: Secrets;
  readonly redaction: Redaction;
  /** Runs `close` when the demo is over. */
  readonly atEnd: (close: () => Promise<void>) => void;
}

export interface DemoServers {
  readonly clientId: string;
  readonly secretKey: Secret;
  readonly callbackUrl: URL;
  readonly authUrl: string;
}

export interface DemoRun {
  readonly servers: DemoServers;
  readonly input: SignupInput;
  readonly signup: SignupOutcome;
  readonly signin?: SigninOutcome;
}

const alice = {
  ptnCd: 'alice',
  userInfo: { email: 'alice@example.com', name: 'Alice Kim', phone: '+82-10-1234-5678' },
} as const;

/** Signs an invented user up and in, over HTTP with both emulated sides. Stores nothing. */
export async function runDemo(dependencies: DemoDependencies): Promise<DemoRun> {
  const { environment, transport, secrets } = dependencies;
  const signedUp = new Map<string, ServiceUser>();
  const servers = await startServers(signedUp, dependencies);
  const input = await demoInput(servers, dependencies);
  const signup = await signUp(transport, input, { secrets });
  const user = signedUpUser(signup, input);
  if (!signup.ok || user === undefined) return { servers, input, signup };
  signedUp.set(user.ptnCd, user);
  const { ptnCd } = alice;
  const options = { ...servers, ptnCd, cipher: defaultCipher, lookUpUser: () => user };
  const signin = await signInWithIssuedToken(transport, options, environment, secrets);
  return { servers, input, signup, signin };
}

async function startServers(
  users: ReadonlyMap<string, ServiceUser>,
  dependencies: DemoDependencies,
): Promise<DemoServers> {
  const { environment, secrets } = dependencies;
  const clientId = defaultClientId;
  const cipher = defaultCipher;
  const secretKey = Secret.text(encodeBase64Url(environment.randomBytes(18)));
  secrets.add(secretKey);
  const findUser = (ptnCd: string) => users.get(ptnCd);
  const [application, service] = await Promise.all([
    serve(emulatedApplication({ clientId, cipher }, environment), dependencies),
    serve(emulatedService({ clientId, cipher, secretKey, findUser }, environment), dependencies),
  ]);
  return { clientId, secretKey, callbackUrl: new URL(callbackPath, application), authUrl: service };
}

async function serve(
  side: EmulatedSide,
  { redaction, environment, atEnd }: DemoDependencies,
): Promise<string> {
  const server = await startEmulation(side, { redaction }, environment);
  atEnd(() => server.close());
  return server.url;
}

async function demoInput(
  { callbackUrl: url, clientId }: DemoServers,
  { environment, secrets }: DemoDependencies,
): Promise<SignupInput> {
  const { randomBytes, now } = environment;
  const keyPair = await environment.generateKeyPair(2048);
  secrets.add(exportPrivateKey(keyPair));
  const user = simulatedUser(alice, randomBytes, secrets);
  return { url, clientId, ...user, keyPair, cipher: defaultCipher, randomBytes, now: now() };
}
