/*
 * What callers' compilers rely on, checked by `npm run types`: nothing here is run.
 */
import {
  type CheckDocument,
  type DecryptResult,
  type Diagnosis,
  decryptPayload,
  type IdentifyResult,
  type NetworkOptions,
  type RunningApplication,
  type RunningService,
  type SigninResult,
  type SignupResult,
  signIn,
  simulateSignup,
  startApplication,
  type UnwrapResult,
  type VerifyResult,
  verifyCallback,
  wrapKey,
} from '../../src/index.ts';

/** Whether two types are one. */
type Same<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;

/** Fails to compile unless `T` is true. */
const holds = <T extends true>(_: T | undefined = undefined): void => {};

holds<
  Same<NetworkOptions['resolve'], Readonly<Record<string, string | readonly string[]>> | undefined>
>();
// `ok` alone shows what else is there.
type Success<R extends { ok: boolean }> = Extract<R, { ok: true }>;
type Failure<R extends { ok: boolean }> = Extract<R, { ok: false }>;

holds<Same<Success<SignupResult>['key'], string>>();
holds<Same<Failure<SignupResult>['key'], string | undefined>>();
holds<Same<Failure<SignupResult>['diagnosis'], Diagnosis>>();
holds<Same<Success<SigninResult>['passcode'], 'match' | 'not-checked'>>();
holds<Same<Success<SigninResult>['expiresAt'], Date | undefined>>();
holds<Same<Failure<SigninResult>['diagnosis'], Diagnosis>>();
holds<Same<Success<UnwrapResult>['key'], string>>();
holds<Same<Success<DecryptResult>['plaintext'], string | null>>();
holds<Same<Failure<DecryptResult>['fittingCipher'], string | undefined>>();
holds<Same<Success<IdentifyResult>['confidence'], 'certain' | 'likely' | 'possible'>>();
holds<Same<VerifyResult['failures'], readonly CheckDocument[]>>();

// What a language server offers is what there is, and what must be given must be given.
holds<RunningApplication extends AsyncDisposable ? true : false>();
holds<RunningService extends AsyncDisposable ? true : false>();

export const refused = [
  // @ts-expect-error: the callback URL can't be left out
  () => simulateSignup({}),
  // @ts-expect-error: the secret key can't be left out
  () => signIn({ authUrl: 'http://localhost', clientId: 'a', ptnToken: 'b' }),
  // @ts-expect-error: a mistyped option
  () => verifyCallback({ url: 'http://localhost', checks: ['registration'] }),
  // @ts-expect-error: arguments are named
  () => wrapKey('key', 'publicKey'),
  // @ts-expect-error: a field that there is not
  () => decryptPayload({ payload: '', key: '', as: 'passcode' }),
];

/** Exactly one of the two ways is there to go on with. */
export async function narrowed(url: string): Promise<string> {
  await using application = await startApplication();
  const result = await simulateSignup({ url: new URL(url), signal: AbortSignal.timeout(1000) });
  holds<Same<typeof application.url, string>>();
  if (result.ok) return result.key;
  return result.diagnosis.hint;
}
