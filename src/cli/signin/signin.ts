import type { CallOutcome } from '../../client/call.ts';
import { headerOf } from '../../client/exchange.ts';
import {
  authenticate as callService,
  requestToken,
  signIn,
  type TokenOutcome,
  type UserSecrets,
} from '../../client/signin.ts';
import { formatCipher } from '../../crypto/cipher.ts';
import type { Secret } from '../../crypto/secret.ts';
import { issuePtnToken as issue } from '../../emulator/tokens.ts';
import { responseCodes } from '../../errors.ts';
import { isLoopback } from '../../protocol/endpoints.ts';
import {
  expiresAt,
  expiryReadings,
  fittingOffsets,
  fittingOffsetText,
} from '../../protocol/expiry.ts';
import { callReport } from '../../reports/exchange.ts';
import { fields } from '../../reports/human.ts';
import { reveal } from '../../reports/redact.ts';
import { escapeControls } from '../../text.ts';
import {
  authUrlFlag,
  cipherFlag,
  clientIdFlag,
  expireTimeZoneFlag,
  keyFlag,
  ptnCdFlag,
  secretKeyFlag,
} from '../args/flags.ts';
import { flag } from '../args/options.ts';
import { networkFlags } from '../args/shared-flags.ts';
import { nonEmpty, secretText } from '../args/values.ts';
import { confirmation, defineCommand } from '../command.ts';
import { emulatedRefusal } from '../emulated-refusal.ts';
import type { Failure } from '../failure.ts';
import { withNetwork } from '../network.ts';
import { payloadFailure } from '../payload/payload.ts';
import type { Session } from '../session.ts';
import { findUser, noteKeyLength, signUpFirst } from '../simulate/known-user.ts';
import { exchangeLine } from '../simulate/signup.ts';

const serviceFlags = {
  authUrl: authUrlFlag,
  clientId: clientIdFlag,
  secretKey: secretKeyFlag,
  ...networkFlags,
} as const;

const notes = [
  'The defaults of --client-id and --secret-key are those of `emulate service`: for a service that is not on this machine, give both.',
];

const needs = ({ authUrl }: { readonly authUrl?: string }) =>
  authUrl !== undefined && isLoopback(new URL(authUrl)) ? [] : (['clientId', 'secretKey'] as const);

const tokenFlags = {
  ptnToken: flag(
    '--ptn-token <token>',
    'the application authentication token from the client library, or from issue-ptn-token',
    { required: true, parse: secretText, secret: true, variable: true },
  ),
  ptnCd: ptnCdFlag,
  expireTimeZone: expireTimeZoneFlag,
} as const;

const passcodeFlags = {
  key: keyFlag,
  expectPasscode: flag(
    '--expect-passcode <passcode>',
    'the expected passcode (default: the stored one)',
    { parse: secretText, secret: true, variable: true },
  ),
  cipher: cipherFlag,
} as const;

/** The secrets of the user: those given, else those stored. */
async function userSecrets(
  ptnCd: string | undefined,
  given: { readonly key?: Secret; readonly expectPasscode?: Secret },
  session: Session,
): Promise<UserSecrets> {
  const stored = ptnCd === undefined ? undefined : await findUser(ptnCd, session);
  const key = given.key ?? stored?.key;
  if (key !== undefined) noteKeyLength(key, session);
  return { key, superPasscode: given.expectPasscode ?? stored?.superPasscode };
}

/**
 * A response that the service got wrong, or a refusal, with what its caller can do: look up the code, or check
 * {auth_url}. Advice for servers is for those who run one. Any other failure stays as it is.
 */
function serviceFailure(
  outcome: CallOutcome<object>,
  failure: Failure | undefined,
): Failure | undefined {
  if (failure === undefined || !responseCodes.some((code) => code === failure.code)) return failure;
  // The caller of the service has found these out itself.
  if (failure.code === 'passcode-mismatch' || failure.code === 'other-user') return failure;
  if (failure.code !== 'code-not-success') {
    const hint =
      'Check auth_url: requests go to {auth_url}/process/token and {auth_url}/process/authenticate. If it is right, report this response to the operator of the service.';
    return { ...failure, hint, calls: {} };
  }
  // Codes are the service's own (section 7); those of the emulated one are known.
  const hint =
    'Look up this code in the service\'s documentation: the interface defines only "0000". What it checks is client_id, secret_key and the token.';
  const emulated = emulatedRefusal(failure, outcome, 'service');
  return emulated ?? { ...failure, hint, calls: {} };
}

export const signin = defineCommand({
  path: 'signin',
  about:
    "Acts as the application's server: exchanges the ptn_token for an access token, authenticates with it, decrypts the returned ptn_sp with the user's key, and compares it with the stored passcode (1.3).",
  flags: { ...tokenFlags, ...passcodeFlags, ...serviceFlags },
  needs,
  notes,
  examples: {
    'with a token from the client library': 'authcli signin --ptn-token - < ptn_token.txt',
    'against the emulated service':
      'authcli issue-ptn-token --ptn-cd alice | authcli signin --ptn-token - --auth-url http://127.0.0.1:8081',
    'the verdict, for a script':
      'authcli signin --ptn-token env:PTN_TOKEN --json | jq -r .passcode',
  },
  run: async (options, session) => {
    const { authUrl, clientId, secretKey, ptnToken, cipher, expireTimeZone } = options;
    const outcome = await withNetwork(options, `Signing in at ${authUrl}`, session, (transport) =>
      signIn(transport, {
        authUrl,
        clientId,
        secretKey,
        ptnToken,
        cipher,
        expectedPtnCd: options.ptnCd,
        lookUpUser: (ptnCd) => userSecrets(ptnCd, options, session),
      }),
    );
    const { token, authenticate, ptnCd, passcode, ok, diagnosis, candidates } = outcome;
    const acsToken = token.result?.acsToken ?? '';
    session.secrets.addFromPeer(acsToken);
    session.secrets.nameVariable(acsToken, 'AUTHCLI_ACS_TOKEN');
    for (const note of [...token.notes, ...(authenticate?.notes ?? [])]) session.note(note);
    const { style } = session;
    const done =
      passcode === 'match'
        ? 'The passcode matches: the user is signed in.'
        : 'The service authenticated the user; the passcode was not checked.';
    return {
      fields: {
        ptn_cd: ptnCd ?? null,
        token: { ...callReport(token), ...expiryReport(token, expireTimeZone) },
        authenticate: authenticate === undefined ? null : callReport(authenticate),
        passcode,
        cipher: formatCipher(cipher),
        ...(diagnosis && { diagnosis }),
      },
      lines: [
        confirmation(`Sign-in at ${authUrl}`),
        exchangeLine('token', token, style),
        ...(authenticate === undefined ? [] : [exchangeLine('authenticate', authenticate, style)]),
        ...fields(tokenRows(ptnCd, token, expireTimeZone, session), style, '    ').map(
          confirmation,
        ),
        ...(ok ? [session.done(done)] : []),
      ],
      failure: ok
        ? undefined
        : serviceFailure(authenticate ?? token, payloadFailure(diagnosis, candidates?.[0]?.cipher)),
    };
  },
});

function tokenRows(
  ptnCd: string | undefined,
  token: TokenOutcome,
  timeZone: string | undefined,
  session: Session,
) {
  const user = ptnCd === undefined ? undefined : escapeControls(ptnCd);
  return Object.entries({ user, expires: expiryText(token, timeZone, session) });
}

export const token = defineCommand({
  path: 'token',
  about:
    'Exchanges a ptn_token for an access token (4.2.1) and prints it. The secret key is sent only in the body.',
  flags: { ...tokenFlags, ...serviceFlags },
  needs,
  notes,
  examples: {
    'both halves of a sign-in':
      'authcli token --ptn-token env:PTN_TOKEN --json | jq -r .acs_token | authcli authenticate --acs-token - --ptn-cd alice',
    'when it expires':
      'authcli token --ptn-token env:PTN_TOKEN --expire-time-zone Asia/Seoul --json | jq -r .expires_at',
  },
  run: async (options, session) => {
    const { authUrl, clientId, secretKey, ptnToken, expireTimeZone } = options;
    const text = `Requesting a token from ${authUrl}`;
    const input = { authUrl, clientId, secretKey, ptnToken, expectedPtnCd: options.ptnCd };
    const outcome = await withNetwork(options, text, session, (transport) =>
      requestToken(transport, input),
    );
    const { result, reading, ok, diagnosis, notes } = outcome;
    for (const note of notes) session.note(note);
    const acsToken = result?.acsToken ?? reading?.seen.acsToken;
    const ptnCd = result?.ptnCd ?? reading?.seen.ptnCd;
    session.secrets.addFromPeer(acsToken);
    const rows = tokenRows(ptnCd, outcome, expireTimeZone, session);
    // A pipe gets nothing but the token.
    const shown = session.context.stdout.isTerminal ? fields(rows, session.style) : [];
    return {
      fields: {
        acs_token: acsToken === undefined ? null : reveal(acsToken),
        ...expiryReport(outcome, expireTimeZone),
        ptn_cd: ptnCd ?? null,
        ...callReport(outcome),
      },
      lines: ok && acsToken !== undefined ? [reveal(acsToken), ...shown] : [],
      failure: ok ? undefined : serviceFailure(outcome, diagnosis),
    };
  },
});

export const authenticate = defineCommand({
  path: 'authenticate',
  about:
    'Authenticates with an access token (4.2.2). With --ptn-cd or --key, decrypts the returned ptn_sp and compares it with the stored passcode.',
  flags: {
    acsToken: flag('--acs-token <token>', 'the access token', {
      required: true,
      parse: secretText,
      secret: true,
    }),
    ptnCd: ptnCdFlag,
    ...passcodeFlags,
    ...serviceFlags,
  },
  needs,
  notes,
  examples: {
    'with a token': 'authcli authenticate --acs-token env:ACS_TOKEN --ptn-cd alice',
    'with a key and a passcode from elsewhere':
      'authcli authenticate --acs-token env:ACS_TOKEN --key env:USER_KEY --expect-passcode env:PASSCODE',
  },
  run: async (options, session) => {
    const { authUrl, clientId, secretKey, acsToken, cipher } = options;
    const user = await userSecrets(options.ptnCd, options, session);
    const text = `Authenticating at ${authUrl}`;
    const input = { authUrl, clientId, secretKey, acsToken, user, cipher };
    const outcome = await withNetwork(options, text, session, (transport) =>
      callService(transport, input),
    );
    const { result, reading, passcode, ok, diagnosis, candidates, notes } = outcome;
    for (const note of notes) session.note(note);
    const how = passcode === 'match' ? 'matches' : 'was not checked';
    return {
      fields: {
        ptn_sp: result?.ptnSp ?? reading?.seen.ptnSp ?? null,
        passcode,
        cipher: formatCipher(cipher),
        ...callReport(outcome),
      },
      lines: [
        exchangeLine('authenticate', outcome, session.style),
        ...(result === undefined ? [] : [`    ptn_sp  ${escapeControls(result.ptnSp)}`]),
        ...(ok ? [session.done(`Authenticated: the passcode ${how}.`)] : []),
      ],
      failure: ok
        ? undefined
        : serviceFailure(outcome, payloadFailure(diagnosis, candidates?.[0]?.cipher)),
    };
  },
});

export const issuePtnToken = defineCommand({
  path: 'issue-ptn-token',
  about:
    'Issues a ptn_token in place of the client library, for the emulated service only. Client id and secret key must match those of `emulate service`. The token is valid for ten minutes.',
  flags: {
    ptnCd: flag('--ptn-cd <code>', 'the user who signs in', {
      required: true,
      variable: true,
      parse: nonEmpty,
    }),
    clientId: clientIdFlag,
    secretKey: secretKeyFlag,
  },
  examples: {
    'a token': 'authcli issue-ptn-token --ptn-cd alice',
    'sign in with it': 'authcli issue-ptn-token --ptn-cd alice | authcli signin --ptn-token -',
  },
  run: async ({ ptnCd, clientId, secretKey }, session) => {
    const { context } = session;
    const token = reveal(issue(ptnCd, { clientId, secretKey }, context));
    if ((await findUser(ptnCd, session)) === undefined) {
      const next = await signUpFirst(ptnCd, session);
      session.note(
        `${escapeControls(ptnCd)} is not stored in this profile, so \`emulate service\` will refuse the token. Sign the user up first:\n${session.next(next)}`,
      );
    }
    return {
      fields: { ptn_token: token, ptn_cd: reveal(ptnCd), client_id: reveal(clientId) },
      lines: [token],
    };
  },
});

/** `expires_at` is null unless the time zone is set. */
function expiryReport({ result, reading }: TokenOutcome, timeZone: string | undefined) {
  const text = result?.expireDt ?? reading?.seen.expireDt ?? null;
  return { expire_dt: text, expires_at: text === null ? null : expiresAt(text, timeZone) };
}

/** While no time zone is set, its readings (decisions: time zone of expire_dt). */
function expiryText(
  outcome: TokenOutcome,
  timeZone: string | undefined,
  session: Session,
): string | undefined {
  const { expire_dt: text, expires_at: instant } = expiryReport(outcome, timeZone);
  if (text === null) return undefined;
  if (instant !== null) return `${text} (${instant})`;
  const readings = expiryReadings(text, session.context.localTimeZone());
  if (readings === undefined) return escapeControls(text);
  const { utc, local } = readings;
  const read =
    utc === local ? `${utc} if it is UTC or local` : `${utc} if it is UTC, ${local} if it is local`;
  const dateHeader = headerOf(outcome.exchange.response?.headers ?? [], 'date');
  const fitting = fittingOffsets({ expireDt: text, dateHeader })
    .filter(({ lifetimeSeconds }) => lifetimeSeconds <= longestSuggested)
    .map(fittingOffsetText);
  const suggested =
    fitting.length === 0
      ? ''
      : `; by the Date header of the response, if tokens live so long: ${fitting.join(', ')}`;
  return `${text} (time zone not set: ${read}${suggested})`;
}

/** Longer ones leave too many offsets to say anything of one token. */
const longestSuggested = 2 * 3600;
