import { type SigninOutcome, signIn } from '../client/signin.ts';
import { type SignupInput, type SignupOutcome, simulateSignup } from '../client/signup.ts';
import type { Transport } from '../client/transport.ts';
import { defaultCipher } from '../crypto/cipher-notation.ts';
import { exportPrivateKey } from '../crypto/rsa-key.ts';
import { Secret } from '../crypto/secret.ts';
import { issuePtnToken } from '../emulator/ptn-token.ts';
import { encodeUserInformation } from '../protocol/user-info.ts';
import { type DemoWorld, startDemoWorld } from './demo-world.ts';
import { hideUserInformation } from './known-user.ts';
import type { Session } from './session.ts';
import { passcode } from './simulated-user.ts';

/** What happened in the demo, as far as it came. */
export interface DemoRun {
  readonly world: DemoWorld;
  readonly input: SignupInput;
  readonly signup: SignupOutcome;
  readonly signin?: SigninOutcome;
}

const timeoutMs = 5000;
const alice = {
  email: 'alice@example.com',
  name: 'Alice Kim',
  phone: '+82-10-1234-5678',
} as const;

/** A sign-up and a sign-in of a made-up user, through real HTTP between both emulators and authcli. */
export async function runDemo(clientId: string, session: Session): Promise<DemoRun> {
  const { context } = session;
  const world = await startDemoWorld(clientId, session);
  const { now, signal } = context;
  const transport = await context.openTransport({ timeoutMs, now, signal });
  session.atEnd(() => transport.close());
  const input = await demoInput(world, session);
  const signup = await simulateSignup(transport, input);
  const { ptnCd, superPasscode } = input;
  session.secrets.add(signup.key);
  if (!signup.ok || signup.key === undefined) return { world, input, signup };
  world.enrol({ ptnCd, key: signup.key, superPasscode });
  const signin = await demoSignin(world, { key: signup.key, superPasscode }, transport, session);
  return { world, input, signup, signin };
}

async function demoInput(world: DemoWorld, session: Session): Promise<SignupInput> {
  const { context, secrets } = session;
  const keyPair = await context.generateKeyPair(2048);
  secrets.add(exportPrivateKey(keyPair));
  const userInfo = Secret.text(encodeUserInformation(alice));
  hideUserInformation(userInfo, session);
  return {
    url: world.callbackUrl,
    clientId: world.clientId,
    ptnCd: 'alice',
    keyPair,
    superPasscode: passcode(undefined, session),
    userInfo,
    cipher: defaultCipher,
    randomBytes: context.randomBytes,
    now: context.now(),
  };
}

async function demoSignin(
  world: DemoWorld,
  user: { readonly key: Secret; readonly superPasscode: Secret },
  transport: Transport,
  session: Session,
): Promise<SigninOutcome> {
  const { authUrl, clientId, secretKey } = world;
  const environment = { now: session.context.now(), randomBytes: session.context.randomBytes };
  const ptnToken = Secret.text(issuePtnToken('alice', { clientId, secretKey }, environment));
  session.secrets.add(ptnToken);
  const outcome = await signIn(transport, {
    authUrl,
    clientId,
    secretKey,
    ptnToken,
    cipher: defaultCipher,
    lookUpUser: () => user,
  });
  session.secrets.add(outcome.token.result?.acsToken);
  return outcome;
}
