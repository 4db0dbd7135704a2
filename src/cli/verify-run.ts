import { checks as callbackChecks } from '../conformance/catalogue.ts';
import type { Check } from '../conformance/check.ts';
import { createKeyPairs } from '../conformance/key-pairs.ts';
import type { Run } from '../conformance/runner.ts';
import { matches, selectChecks } from '../conformance/selection.ts';
import { signinChecks } from '../conformance/signin-catalogue.ts';
import { bindSigninChecks } from '../conformance/signin-check.ts';
import { givenUsers } from '../conformance/test-users.ts';
import { shellWord } from '../text.ts';
import { createCheckRun, type RunParts, repeatLine } from './check-run.ts';
import { usage } from './hints.ts';
import type { Session } from './session.ts';
import { type SigninHalf, signinHalf } from './signin-world.ts';
import { type Subject, unbound } from './verification.ts';
import type { VerifyOptions } from './verify-flags.ts';

/** An application as what a run is about: its callback endpoint, the sign-in it does, or both. */
export function applicationSubject(options: VerifyOptions, session: Session): Subject {
  const signin = wantsSignin(options, session) ? signinHalf(options, session) : undefined;
  const catalogue = [...callbackChecks, ...catalogueOf(signin)];
  return {
    command: 'verify',
    catalogue,
    select: () => select(catalogue, options, signin !== undefined),
    url: () => options.url ?? options.signinUrl ?? commandUrl(session),
    prepare: signin?.start,
    createRun: (parts) => createRun(options, catalogue, parts, session),
    repeatCommand: (id, seed) => repeatCommand(id, options, seed, session),
  };
}

/** Throws `usage` for a sign-in without a command, and for a command that nothing is said about. */
function wantsSignin(
  { signin, signinUrl, list }: VerifyOptions,
  { childCommand }: Session,
): boolean {
  const hasCommand = childCommand.length > 0;
  if (list) return false;
  if (signin && !hasCommand) {
    throw usage(
      'verify --signin needs a command behind --: the one that signs a user in.',
      'For example: authcli verify --signin -- node sign-in.js',
    );
  }
  if (hasCommand && !signin) {
    throw usage('A command behind -- is run for --signin alone.', 'Give --signin in front of it.');
  }
  return signin || signinUrl !== undefined;
}

function catalogueOf(signin: SigninHalf | undefined): readonly Check[] {
  return signin === undefined
    ? unbound(signinChecks)
    : bindSigninChecks(signinChecks, signin.world);
}

function isOfSignin({ id }: Pick<Check, 'id'>): boolean {
  return id.startsWith('signin/');
}

/** What was asked for and can be run; the list shows all that there is. */
function select(
  catalogue: readonly Check[],
  options: VerifyOptions,
  hasSignin: boolean,
): readonly Check[] {
  const wanted = selectChecks(catalogue, options);
  if (options.list) return wanted;
  const canRun = (check: Check): boolean =>
    isOfSignin(check) ? hasSignin : options.url !== undefined;
  for (const pattern of options.check) {
    const meant = catalogue.filter(({ id }) => matches(id, pattern));
    if (!meant.some(canRun)) throw missingHalf(meant.every(isOfSignin));
  }
  const able = wanted.filter(canRun);
  return able.length > 0 ? able : missing(wanted, hasSignin);
}

function missing(wanted: readonly Check[], hasSignin: boolean): never {
  throw missingHalf(!hasSignin && wanted.every(isOfSignin));
}

function missingHalf(ofSignin: boolean): Error {
  return ofSignin
    ? usage(
        'The checks of signin need --signin or --signin-url: how the application is told to sign in.',
        'Give --signin -- <command>, or --signin-url <url>.',
      )
    : usage(
        "verify needs --url: the application's callback URL.",
        'Give --url <url>, set AUTHCLI_URL, or run `authcli config set url …`; for the sign-in alone, --signin or --signin-url.',
      );
}

/** What stands for a URL in the reports where a command alone was verified. */
function commandUrl({ childCommand }: Session): URL {
  if (childCommand.length === 0) throw missingHalf(false);
  return new URL(`command:${encodeURIComponent(childCommand.map(shellWord).join(' '))}`);
}

function createRun(
  options: VerifyOptions,
  catalogue: readonly Check[],
  parts: RunParts,
  session: Session,
): Run {
  const { context } = session;
  const { userCodes, users } = options;
  const keyPairs = createKeyPairs(context.generateKeyPair);
  const given = userCodes && { users: givenUsers(userCodes) };
  const subject = { catalogue, keyPairs, concurrentUsers: users, ...given };
  return createCheckRun(subject, options, parts, session);
}

/** Flags that hold secrets are left out; the environment or the profile may have them. */
function repeatCommand(
  id: string | undefined,
  options: VerifyOptions,
  seed: string,
  { childCommand }: Session,
): string {
  const { url, noUrl, signin, signinUrl, authHost, authPort, ptnCd, expireTimeZone } = options;
  const target = [
    ...(url === undefined ? [] : [`--url ${shellWord(url.href)}`]),
    ...(noUrl ? ['--no-url'] : []),
    ...(signinUrl === undefined ? [] : [`--signin-url ${shellWord(signinUrl.href)}`]),
    ...(authHost === '127.0.0.1' ? [] : [`--auth-host ${shellWord(authHost)}`]),
    ...(authPort === 0 ? [] : [`--auth-port ${authPort}`]),
    ...(ptnCd === undefined ? [] : [`--ptn-cd ${shellWord(ptnCd)}`]),
    ...(expireTimeZone === undefined ? [] : [`--expire-time-zone ${shellWord(expireTimeZone)}`]),
  ];
  const more = signin ? [`--signin -- ${childCommand.map(shellWord).join(' ')}`] : [];
  return repeatLine({ command: 'verify', id, seed, target, more }, options);
}
