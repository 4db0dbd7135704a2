import { checks as callbackChecks } from '../../conformance/catalogue.ts';
import type { Check } from '../../conformance/check.ts';
import { forProduction, productionUser } from '../../conformance/production.ts';
import { matches, selectChecks } from '../../conformance/selection.ts';
import { signinChecks } from '../../conformance/signin-catalogue.ts';
import { bindSigninChecks } from '../../conformance/signin-check.ts';
import { shellWord } from '../../text.ts';
import { usage } from '../failure.ts';
import type { Session } from '../session.ts';
import { type Subject, unbound } from './verification.ts';
import type { VerifyOptions } from './verify-flags.ts';
import { signinHalf } from './verify-signin.ts';

/** An application as the subject of a run: its callback endpoint, its sign-in, or both. */
export function applicationSubject(options: VerifyOptions, session: Session): Subject {
  const signin = wantsSignin(options, session) ? signinHalf(options, session) : undefined;
  const signinHere =
    signin === undefined
      ? unbound(signinChecks)
      : bindSigninChecks(signinChecks, signin.environment);
  const callbacks = options.safe ? forProduction(callbackChecks) : callbackChecks;
  const catalogue = [...callbacks, ...signinHere];
  return {
    command: 'verify',
    catalogue,
    select: (only) =>
      select(catalogue, { ...options, ...(only && { check: only }) }, signin !== undefined),
    url: () => urlOf(options, session),
    target: session.childCommand.map(shellWord).join(' '),
    prepare: signin?.start,
    userCodes: options.safe ? [options.userCodes?.[0] ?? productionUser] : options.userCodes,
    concurrentUsers: options.users,
  };
}

/** Throws `usage` for a sign-in without a command, and for a command without --signin. */
function wantsSignin(
  { signin, signinUrl, list }: VerifyOptions,
  { childCommand }: Session,
): boolean {
  const hasCommand = childCommand.length > 0;
  if (list) return false;
  if (signin && !hasCommand) {
    throw usage(
      'verify --signin needs a command after --: the one that signs a user in.',
      'For example: authcli verify --signin -- node sign-in.js',
    );
  }
  if (hasCommand && !signin) {
    throw usage('A command after -- is only used with --signin.', 'Add --signin before it.');
  }
  return signin || signinUrl !== undefined;
}

function isOfSignin({ id }: Pick<Check, 'id'>): boolean {
  return id.startsWith('signin/');
}

/** The selected checks that can be run; --list shows all selected. */
function select(
  catalogue: readonly Check[],
  options: VerifyOptions,
  hasSignin: boolean,
): readonly Check[] {
  const chosen = selectChecks(catalogue, options);
  const wanted = options.safe
    ? chosen.filter(({ production }) => production !== undefined)
    : chosen;
  if (wanted.length === 0) throw notSafe();
  if (options.list) return wanted;
  const canRun = (check: Check): boolean =>
    isOfSignin(check) ? hasSignin : options.url !== undefined;
  for (const pattern of options.check) {
    const named = catalogue.filter(({ id }) => matches(id, pattern));
    if (!named.some(canRun)) throw missingHalf(named.every(isOfSignin));
  }
  const able = wanted.filter(canRun);
  if (able.length === 0) throw missingHalf(!hasSignin && wanted.every(isOfSignin));
  return able;
}

function notSafe(): Error {
  return usage(
    'The selected checks are not part of the production subset (--safe).',
    'Run them without --safe, at a system that is not in production; `authcli verify --list` marks the subset.',
  );
}

function missingHalf(ofSignin: boolean): Error {
  return ofSignin
    ? usage(
        'The signin checks need --signin or --signin-url to trigger a sign-in.',
        'Give --signin -- <command>, or --signin-url <url>.',
      )
    : usage(
        "verify needs --url: the application's callback URL.",
        'Give --url <url>, set AUTHCLI_URL, or run `authcli config set url …`; for the sign-in alone, --signin or --signin-url.',
      );
}

/** Undefined if only a command signs in. */
function urlOf({ url, signinUrl }: VerifyOptions, { childCommand }: Session): URL | undefined {
  const address = url ?? signinUrl;
  if (address === undefined && childCommand.length === 0) throw missingHalf(false);
  return address;
}
