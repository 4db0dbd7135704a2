import type { Secret } from '../../../crypto/secret.ts';
import { fail } from '../../expect.ts';
import type { Attempt, SigninCheckDefinition } from '../../signin-check.ts';

/** A shorter text may occur in an output by chance. */
const tellingLength = 8;

export const secretsNotShown: SigninCheckDefinition = {
  id: 'signin/secrets-not-shown',
  title: 'should not show secret_key, per-user key or passcode',
  section: '5',
  sentence: "secret_key is held only on the application's server.",
  level: 'should',
  stage: 'review',
  run: async (context) => {
    for (const attempt of await context.attempts()) {
      const shown = secretsIn(attempt, context.environment.secretKey);
      if (shown.length === 0) continue;
      fail({
        expected: 'no secret in the output or answer of the application',
        observed: `${shown.join(' and ')} in what it showed in the sign-in "${attempt.scenario}"`,
        fix: 'Remove them from the response and the log: who reads it could sign in as the application, or decrypt what is kept of its users.',
        evidence: attempt.conclusion.exchange ?? attempt.calls.at(-1)?.exchange,
      });
    }
  },
};

function secretsIn({ conclusion, user }: Attempt, secretKey: Secret): readonly string[] {
  const secrets = [
    ['secret_key', secretKey],
    ['the per-user key', user.key],
    ['the passcode', user.superPasscode],
  ] as const;
  return secrets
    .map(([name, secret]) => [name, secret.reveal()] as const)
    .filter(([, value]) => value.length >= tellingLength && conclusion.shown.includes(value))
    .map(([name]) => name);
}
