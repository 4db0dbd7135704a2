import { issueToken } from '../../app/signin.ts';
import type { Transport } from '../../client/transport.ts';
import { createKeyPairs } from '../../conformance/test-data.ts';
import { Secret } from '../../crypto/secret.ts';
import { callbackSubject } from '../../explore/callback-subject.ts';
import type { Subject } from '../../explore/explore.ts';
import type { Operation } from '../../explore/operation.ts';
import { operations } from '../../explore/operations.ts';
import { type ServiceOperation, serviceOperations } from '../../explore/service-operations.ts';
import { serviceSubject } from '../../explore/service-subject.ts';
import { inTurn } from '../../explore/user-codes.ts';
import type { ExploredSide } from '../../reports/explore-document.ts';
import { emulatedSecretKey } from '../args/flags.ts';
import { splitWords } from '../args/input.ts';
import { usage } from '../failure.ts';
import type { Session } from '../session.ts';
import { userSecrets } from '../signin/signin-flags.ts';
import { foreignPtnToken, printedPtnToken } from '../verify/verify-service-run.ts';
import type { ExploreCommandOptions } from './explore-flags.ts';

/** One of the two sides that can be explored. */
export interface Side<O extends { readonly id: string; readonly about: string }> {
  readonly side: ExploredSide;
  readonly operations: readonly O[];
  /** Throws `usage` for what it lacks, before anything is sent. */
  readonly subject: (
    selected: readonly O[],
    options: ExploreCommandOptions,
    session: Session,
  ) => Promise<(transport: Transport) => Subject>;
}

export const applicationSide: Side<Operation> = {
  side: 'application',
  operations,
  subject: async (selected, options, session) => {
    const { url, userCodes } = options;
    const { now, randomBytes, generateKeyPair } = session.context;
    if (url === undefined) throw new TypeError('explore needs a URL');
    for (const code of userCodes ?? []) session.secrets.show(code);
    return (transport) =>
      callbackSubject({
        ...boundsOf(options),
        ...over(transport),
        url,
        clientId: options.clientId,
        cipher: options.cipher,
        keyPairs: createKeyPairs(generateKeyPair),
        randomBytes,
        now,
        onKey: (key) => session.secrets.addFromPeer(key),
        takeUserCodes: userCodes && inTurn(userCodes),
        givenUsers: userCodes?.length,
        operations: selected,
      });
  },
};

export const serviceSide: Side<ServiceOperation> = {
  side: 'service',
  operations: serviceOperations,
  subject: async (selected, options, session) => {
    const { authUrl = '', clientId, cipher, expireTimeZone, expiryWait } = options;
    const { context, secrets } = session;
    const { now, pause, randomBytes, signal } = context;
    const secretKey = options.secretKey ?? Secret.text(emulatedSecretKey);
    secrets.add(secretKey);
    const users = await usersOf(options, session);
    for (const code of users) secrets.show(code);
    const issuer = { ...options, secretKey, ptnToken: [] };
    const known = new Map<string, ReturnType<typeof userSecrets>>();
    return (transport) =>
      serviceSubject({
        ...boundsOf(options),
        ...over(transport),
        authUrl,
        clientId,
        secretKey,
        cipher,
        randomBytes,
        now,
        users: Math.min(options.users ?? users.length, users.length),
        takeUsers: inTurn(users),
        issuePtnToken: tokenSource({ ...options, secretKey }, session),
        foreignPtnToken: (ptnCd) => foreignPtnToken({ ...issuer, ptnCd }, session),
        lookUpUser: (ptnCd) => {
          const found = known.get(ptnCd) ?? userSecrets(ptnCd, {}, session);
          known.set(ptnCd, found);
          return found;
        },
        timeZone: expireTimeZone,
        longestWaitMs: expiryWait,
        pause: (durationMs) => pause(durationMs, signal),
        onToken: (token) => secrets.addFromPeer(token),
        operations: selected,
      });
  },
};

function over(transport: Transport) {
  return {
    send: (...sent: Parameters<Transport['send']>) => transport.send(...sent),
    // What an earlier sequence left on a connection must not explain a failure that is then shrunk.
    prepare: () => transport.close(),
  };
}

function boundsOf({ maxSteps, users, concurrency }: ExploreCommandOptions) {
  return { maxSteps, users, concurrency };
}

const placeholder = '{ptn_cd}';

/** Those given, the one of a command that takes no code, or those who are registered in the profile. */
async function usersOf(
  { userCodes, ptnTokenCommand }: ExploreCommandOptions,
  session: Session,
): Promise<readonly (string | undefined)[]> {
  const takesCode = ptnTokenCommand === undefined || ptnTokenCommand.includes(placeholder);
  if (!takesCode) return [userCodes?.[0]];
  if (userCodes !== undefined) return userCodes;
  const stored = (await session.state()).users.list();
  const registered = stored.filter(({ superPasscode }) => superPasscode !== undefined);
  if (registered.length > 0) return registered.map(({ ptnCd }) => ptnCd);
  throw usage(
    'explore --auth-url needs users who are registered, and this profile knows none.',
    'Sign two users or more up first, import them with `authcli users import`, or give --user-codes.',
  );
}

/** Prints or issues a new `ptn_token` of a user. */
function tokenSource(
  options: ExploreCommandOptions & { readonly secretKey: Secret },
  session: Session,
): (ptnCd: string | undefined) => Promise<string> {
  const { ptnTokenCommand } = options;
  if (ptnTokenCommand === undefined) {
    return async (ptnCd = '') => issueToken({ ...options, ptnCd }, session.context);
  }
  const words = splitWords(ptnTokenCommand);
  return (ptnCd = '') =>
    printedPtnToken(
      words.map((word) => word.replaceAll(placeholder, ptnCd)),
      session,
    );
}
