import {
  type EmulatedSide,
  emulatedApplication,
  emulatedService,
  journalRedaction,
  startEmulation,
} from '../../app/emulation.ts';
import type { Environment, Secrets } from '../../app/environment.ts';
import { signInWithIssuedToken } from '../../app/signin.ts';
import { signedUpUser, signUp, simulatedUser } from '../../app/signup.ts';
import { decodeUtf8, encodeBase64Url } from '../../bytes.ts';
import type { CallOutcome } from '../../client/call.ts';
import type { SigninOutcome } from '../../client/signin.ts';
import type { SignupInput, SignupOutcome } from '../../client/signup.ts';
import type { Transport } from '../../client/transport.ts';
import { defaultCipher } from '../../crypto/cipher.ts';
import { formatCipher } from '../../crypto/cipher-notation.ts';
import { exportPrivateKey } from '../../crypto/rsa-key.ts';
import { Secret } from '../../crypto/secret.ts';
import { callbackPath } from '../../emulator/application.ts';
import type { Redaction } from '../../emulator/journal.ts';
import type { ServiceUser } from '../../emulator/users.ts';
import { defaultClientId } from '../../protocol/defaults.ts';
import { callReport, durationOf } from '../../reports/exchange.ts';
import { marks, type Style, verdict, wrapText } from '../../reports/human.ts';
import { reveal } from '../../reports/redact.ts';
import { escapeControls, shorten } from '../../text.ts';
import { defineCommand, type Outcome } from '../command.ts';
import type { Session } from '../session.ts';
import { pairs } from '../terminal/help.ts';
import { widthOf } from '../terminal/style.ts';

export const demo = defineCommand({
  path: 'demo',
  about:
    'Starts an application and the service on loopback, signs a user up and in over HTTP, and explains each step. Nothing is saved.',
  flags: {},
  examples: {
    'every step': 'authcli demo',
    'with keys and passcodes': 'authcli demo --show-secrets',
    'did it work?': 'authcli demo --json | jq .ok',
  },
  run: async (_, session) => {
    const progress = session.progress('Signing a user up and in');
    const { context, secrets } = session;
    const { now, signal } = context;
    const transport = await context.openTransport({ timeoutMs: 5000, now, signal });
    session.atEnd(() => transport.close());
    const run = await runDemo({
      environment: context,
      transport,
      secrets,
      redaction: journalRedaction(session.showsSecrets, secrets),
      atEnd: (close) => session.atEnd(close),
    }).finally(() => progress.stop());
    return report(run, session);
  },
});

function report(run: DemoRun, session: Session): Outcome {
  const { signup, signin, input, servers } = run;
  session.secrets.show(input.ptnCd);
  const calls = [...signup.steps, signin?.token, signin?.authenticate].filter(
    (call) => call !== undefined,
  );
  return {
    fields: {
      ptn_cd: reveal(input.ptnCd),
      client_id: servers.clientId,
      url: servers.callbackUrl.href,
      auth_url: servers.authUrl,
      key_fingerprint: signup.keyFingerprint ?? null,
      steps: calls.map((call) => ({ ...callReport(call), duration_ms: durationOf(call) })),
      passcode: signin?.passcode ?? 'not-checked',
    },
    lines: demoLines(run, {
      style: session.style,
      width: widthOf(session.context.stdout),
      redact: (value) => session.redact(value),
    }),
    failure: signup.ok && signin?.ok === true ? undefined : (signin?.diagnosis ?? signup.diagnosis),
  };
}

interface DemoDependencies {
  readonly environment: Environment;
  readonly transport: Transport;
  readonly secrets: Secrets;
  readonly redaction: Redaction;
  /** Runs `close` when the demo is over. */
  readonly atEnd: (close: () => Promise<void>) => void;
}

interface DemoServers {
  readonly clientId: string;
  readonly secretKey: Secret;
  readonly callbackUrl: URL;
  readonly authUrl: string;
}

interface DemoRun {
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
async function runDemo(dependencies: DemoDependencies): Promise<DemoRun> {
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

interface Look {
  readonly style: Style;
  readonly width: number;
  readonly redact: (value: string) => string;
}

/** One step: who calls whom, what is sent, and what it means. */
interface Step {
  readonly title: string;
  readonly from: string;
  readonly to: string;
  readonly call: CallOutcome<unknown>;
  /** Paragraphs; an indented one is not wrapped. */
  readonly meaning: readonly string[];
}

const shownFieldLength = 24;

/** The demo as text for newcomers. */
function demoLines(run: DemoRun, look: Look): string[] {
  const title = 'A real sign-up and sign-in between two servers on this machine';
  return [
    ...wrapText(title, look.width).map(look.style.bold),
    '',
    ...picture(run.servers, look.width),
    ...stepsOf(run).flatMap((step, index) => stepLines(step, index + 1, look)),
    '',
    ...ending(run, look),
  ];
}

/** Side by side, or stacked on a narrow terminal. */
function picture({ authUrl, callbackUrl }: DemoRun['servers'], width: number): string[] {
  if (width < 76)
    return [
      '  ┌───────────────┐',
      '  │  the service  │',
      '  └───────────────┘',
      `  ${authUrl}`,
      '     │         ▲',
      '  callbacks  token,',
      '  (sign-up)  authenticate',
      '     ▼         │',
      '  ┌───────────────┐',
      '  │  application  │  your part',
      '  └───────────────┘',
      `  ${callbackUrl.href}`,
    ];
  return [
    '  ┌───────────────┐   callbacks (sign-up)    ┌───────────────┐',
    '  │  the service  │ ───────────────────────▶ │  application  │  your part',
    '  │               │ ◀─────────────────────── │               │',
    '  └───────────────┘    token, authenticate   └───────────────┘',
    `  ${authUrl.padEnd(43)}${callbackUrl.href}`,
  ];
}

function stepsOf({ input, signup, signin }: DemoRun): Step[] {
  const [exchange, registration] = signup.steps;
  const cipher = formatCipher(input.cipher);
  const steps: (Step | undefined)[] = [
    exchange && {
      title: 'Key exchange',
      from: 'service',
      to: 'application',
      call: exchange,
      meaning: [
        `The application generated a random 32-character key for ${input.ptnCd}, stored it, and returned it encrypted with the public_key of the request (RSA, PKCS #1 v1.5, in Base64).`,
        `Decrypted with the private key: ${signup.keyFingerprint ?? 'it could not be decrypted'}`,
      ],
    },
    registration && {
      title: 'Registration complete',
      from: 'service',
      to: 'application',
      call: registration,
      meaning: [
        'The passcode (partner_sp) and the user information (ubifill) are encrypted with that key:',
        `  ${cipher}`,
        'The application decrypted them and stored the passcode.',
      ],
    },
    signin && {
      title: 'Token',
      from: 'application',
      to: 'service',
      call: signin.token,
      meaning: [
        `The ptn_token of ${input.ptnCd}'s device is exchanged for an access token. The secret key is sent only in the body.`,
      ],
    },
    signin?.authenticate && {
      title: 'Authenticate',
      from: 'application',
      to: 'service',
      call: signin.authenticate,
      meaning: [
        `The access token gives the passcode, encrypted (ptn_sp). Decrypted with the same key and compared with the stored one: ${signin.passcode}.`,
      ],
    },
  ];
  return steps.filter((step) => step !== undefined) as Step[];
}

function stepLines({ title, from, to, call, meaning }: Step, number: number, look: Look): string[] {
  const { style, width } = look;
  const { request, response } = call.exchange;
  return [
    '',
    `${style.bold(`${number}  ${title}`)}   ${from} ${marks.arrowOut} ${to}   ${style.dim(`${durationOf(call)} ms`)}`,
    `   ${style.accent(marks.arrowOut)} POST ${request.url.pathname}`,
    ...bodyLines(request.body, look),
    `   ${style.accent(marks.arrowIn)} ${response === undefined ? 'no response' : `HTTP ${response.status}`}`,
    ...(response === undefined ? [] : bodyLines(response.body, look)),
    '',
    ...meaning.flatMap((text) =>
      (text.startsWith(' ') ? [text] : wrapText(text, width - 3)).map((line) => `   ${line}`),
    ),
  ];
}

/** One field per line, long values cut. */
function bodyLines(body: Uint8Array, { style, redact }: Look): string[] {
  const json: unknown = JSON.parse(decodeUtf8(body) ?? '{}');
  return fieldsOf(json).map(
    ([name, value]) => `       ${style.dim(name.padEnd(24))} ${shownValue(value, redact)}`,
  );
}

function fieldsOf(json: unknown, prefix = ''): [string, string][] {
  if (typeof json !== 'object' || json === null) return [];
  return Object.entries(json).flatMap(([name, value]): [string, string][] =>
    typeof value === 'object'
      ? fieldsOf(value, `${prefix}${name}.`)
      : [[prefix + name, String(value)]],
  );
}

/** Redacted before it is cut, so that no part of a secret is left. */
function shownValue(value: string, redact: Look['redact']): string {
  return `"${escapeControls(shorten(redact(value), shownFieldLength))}"`;
}

function ending({ signup, signin }: DemoRun, { style, width }: Look): string[] {
  if (signin?.passcode !== 'match' || !signup.ok) return [];
  const next = [
    ['authcli simulate-signup --url http://localhost:8080/callback', 'your own callback endpoint'],
    ['authcli emulate app --port 8080', 'an application to experiment with'],
    ['authcli key unwrap --help', "why a wrapped key can't be decrypted"],
  ] as const;
  return [
    verdict(true, 'The passcodes match: the user is signed in.', style),
    '',
    ...pairs('Try next:', next, width),
  ];
}
