import { decodeUtf8, encodeBase64Url } from '../../bytes.ts';
import type { CallOutcome } from '../../client/call.ts';
import type { Exchange } from '../../client/exchange.ts';
import { signIn } from '../../client/signin.ts';
import { signedUpUser, simulatedUser, simulateSignup } from '../../client/signup.ts';
import { defaultCipher, formatCipher } from '../../crypto/cipher.ts';
import { exportPrivateKey } from '../../crypto/rsa-key.ts';
import { Secret } from '../../crypto/secret.ts';
import { callbackPath } from '../../emulator/application.ts';
import {
  type EmulatedSide,
  emulatedApplication,
  emulatedService,
  startEmulation,
} from '../../emulator/emulator.ts';
import { openly } from '../../emulator/journal.ts';
import { issuePtnToken } from '../../emulator/tokens.ts';
import { defaultClientId, type KnownUser } from '../../protocol/user.ts';
import { callReport, durationOf } from '../../reports/exchange.ts';
import { marks, verdict, wrapText } from '../../reports/human.ts';
import { reveal } from '../../reports/redact.ts';
import { escapeControls, shorten } from '../../text.ts';
import { defineCommand } from '../command.ts';
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
  },
  run: async (_, session) => {
    const progress = session.progress('Signing a user up and in');
    const run = await runDemo(session).finally(() => progress.stop());
    const { signup, signin, callbackUrl, authUrl } = run;
    const calls = [...signup.steps, signin?.token, signin?.authenticate].filter(
      (call) => call !== undefined,
    );
    return {
      fields: {
        ptn_cd: reveal(alice.ptnCd),
        client_id: defaultClientId,
        url: callbackUrl.href,
        auth_url: authUrl,
        key_fingerprint: signup.key?.toString() ?? null,
        steps: calls.map((call) => ({ ...callReport(call), duration_ms: durationOf(call) })),
        passcode: signin?.passcode ?? 'not-checked',
      },
      lines: signup.ok && signin?.ok ? demoLines(run, calls, session) : [],
      failure: signup.ok && signin?.ok ? undefined : (signin?.diagnosis ?? signup.diagnosis),
    };
  },
});

type DemoRun = Awaited<ReturnType<typeof runDemo>>;

const alice = {
  ptnCd: 'alice',
  userInfo: { email: 'alice@example.com', name: 'Alice Kim', phone: '+82-10-1234-5678' },
} as const;

/** Signs alice up and in, over HTTP with both emulated sides. Stores nothing. */
async function runDemo(session: Session) {
  const { context, secrets } = session;
  const { now, signal, randomBytes } = context;
  const [clientId, cipher] = [defaultClientId, defaultCipher];
  const secretKey = Secret.text(encodeBase64Url(randomBytes(18)));
  secrets.add(secretKey);
  const redaction = session.showsSecrets ? openly : secrets;
  const serve = async (side: EmulatedSide): Promise<string> => {
    const server = await startEmulation(side, { redaction }, context);
    session.atEnd(() => server.close());
    return server.url;
  };
  let user: KnownUser | undefined;
  const findUser = () => user;
  const [application, authUrl] = await Promise.all([
    serve(emulatedApplication({ clientId, cipher }, context)),
    serve(emulatedService({ clientId, cipher, secretKey, findUser }, context)),
  ]);
  const callbackUrl = new URL(callbackPath, application);
  const transport = await context.openTransport({ timeoutMs: 5000, now, signal });
  session.atEnd(() => transport.close());
  const keyPair = await context.generateKeyPair(2048);
  secrets.add(exportPrivateKey(keyPair));
  const invented = simulatedUser(alice, randomBytes);
  secrets.addUser(invented);
  const url = callbackUrl;
  const input = { ...invented, url, clientId, keyPair, cipher, randomBytes, now: now() };
  const signup = await simulateSignup(transport, input);
  secrets.addFromPeer(signup.key);
  const signedUp = signedUpUser(signup, input);
  if (!signup.ok || signedUp === undefined) return { callbackUrl, authUrl, signup };
  user = signedUp;
  const known = { cipher, lookUpUser: () => signedUp };
  const ptnToken = Secret.text(issuePtnToken(alice.ptnCd, { clientId, secretKey }, context));
  secrets.add(ptnToken);
  const signin = await signIn(transport, { authUrl, clientId, secretKey, ptnToken, ...known });
  secrets.addFromPeer(signin.token.result?.acsToken);
  return { callbackUrl, authUrl, signup, signin };
}

/** The demo as text for newcomers. */
function demoLines(
  { authUrl, callbackUrl, signup, signin }: DemoRun,
  calls: readonly CallOutcome<unknown>[],
  session: Session,
): string[] {
  const { style } = session;
  const width = widthOf(session.context.stdout);
  const title = 'A real sign-up and sign-in between two servers on this machine';
  // The paragraphs of a step; an indented one is not wrapped.
  const steps: readonly (readonly [title: string, ...paragraphs: string[]])[] = [
    [
      'Key exchange',
      'The application generated a random 32-character key for alice, stored it, and returned it encrypted with the public_key of the request (RSA, PKCS #1 v1.5, in Base64).',
      `Decrypted with the private key: ${signup.key}`,
    ],
    [
      'Registration complete',
      'The passcode (partner_sp) and the user information (ubifill) are encrypted with that key:',
      `  ${formatCipher(defaultCipher)}`,
      'The application decrypted them and stored the passcode.',
    ],
    [
      'Token',
      "The ptn_token of alice's device is exchanged for an access token. The secret key is sent only in the body.",
    ],
    [
      'Authenticate',
      `The access token gives the passcode, encrypted (ptn_sp). Decrypted with the same key and compared with the stored one: ${signin?.passcode}.`,
    ],
  ];
  const { program } = session;
  const ownEndpoint = `${program} simulate-signup --url http://localhost:8080/callback`;
  const next = [
    [ownEndpoint, 'your own callback endpoint'],
    [`${program} emulate app --port 8080`, 'an application to experiment with'],
    [`${program} key unwrap --help`, "why a wrapped key can't be decrypted"],
  ] as const;
  return [
    ...wrapText(title, width).map(style.bold),
    '',
    `  the service: ${authUrl}`,
    `  the application, your part: ${callbackUrl.href}`,
    ...calls.flatMap((call, index) => {
      const [name, ...paragraphs] = steps[index] ?? [];
      const sides = ['service', 'application'];
      const [from, to] =
        call.exchange.request.url.href === callbackUrl.href ? sides : sides.toReversed();
      return [
        '',
        `${style.bold(`${index + 1}  ${name}`)}   ${from} ${marks.arrowOut} ${to}   ${style.dim(`${durationOf(call)} ms`)}`,
        ...messageLines(call.exchange, session),
        '',
        ...paragraphs
          .flatMap((text) => (text.startsWith(' ') ? [text] : wrapText(text, width - 3)))
          .map((line) => `   ${line}`),
      ];
    }),
    '',
    verdict(true, 'The passcodes match: the user is signed in.', style),
    '',
    'Try next:',
    ...pairs(next, width),
  ];
}

function messageLines({ request, response }: Exchange, session: Session): string[] {
  const { arrowIn, arrowOut } = marks;
  const { style } = session;
  return [
    `   ${style.accent(arrowOut)} POST ${request.url.pathname}`,
    ...bodyLines(request.body, session),
    `   ${style.accent(arrowIn)} HTTP ${response?.status}`,
    ...bodyLines(response?.body, session),
  ];
}

/** One field per line, long values cut. */
function bodyLines(body: Uint8Array | undefined, session: Session): string[] {
  const json: unknown = JSON.parse(decodeUtf8(body ?? new Uint8Array()) || '{}');
  // Redacted before it is cut, so that no part of a secret is left.
  const shown = (value: string) => `"${escapeControls(shorten(session.redact(value), 24))}"`;
  return fieldsOf(json).map(
    ([name, value]) => `       ${session.style.dim(name.padEnd(24))} ${shown(value)}`,
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
