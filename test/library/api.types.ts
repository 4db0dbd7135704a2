/*
 * What callers' compilers rely on, checked by `npm run types`: nothing here is run.
 */
import {
  decryptPayload,
  signIn,
  simulateSignup,
  verifyCallback,
  wrapKey,
} from '../../src/index.ts';

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

/** `ok` alone shows what else is there. */
export async function narrowed(url: URL): Promise<string> {
  const result = await simulateSignup({ url });
  return result.ok ? result.key : result.diagnosis.hint;
}
