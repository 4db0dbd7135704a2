import { encodeUtf8 } from '../../../bytes.ts';
import type { Secret } from '../../../crypto/secret.ts';
import { fail } from '../../expect.ts';
import type { Attempt, SigninCheckDefinition, SigninEnvironment } from '../../signin-check.ts';
import { tokensOf } from '../../signin-expect.ts';

export const secretsNotShown: SigninCheckDefinition = {
  id: 'signin/secrets-not-shown',
  title: 'should not show secret_key, per-user key, passcode or token',
  section: '5',
  sentence: "secret_key is held only on the application's server.",
  level: 'should',
  stage: 'review',
  run: async (context) => {
    for (const attempt of await context.attempts()) {
      const shown = secretsIn(attempt, context.environment);
      if (shown.length === 0) continue;
      fail({
        harm: 'leaks',
        expected: 'no secret in the output or response of the application',
        observed: `${shown.join(' and ')} in what it showed in the sign-in "${attempt.scenario.name}"`,
        fix: 'Remove them from the response and the log: anyone who reads them can call the service as the application, or decrypt the data of its users.',
        evidence: attempt.conclusion.exchange ?? attempt.calls.at(-1)?.exchange,
      });
    }
  },
};

/** The service itself put the passcode into these responses, whose texts an application may print. */
const showsPasscode: ReadonlySet<string> = new Set([
  'ptn-sp-plain',
  'ptn-sp-base64',
  'ptn-sp-in-message',
]);

/** Words that occur in any output: a run whose secret is "test" finds nothing by it. */
const plainWord = /^[a-z]{1,7}$/i;

/** In decimal, as logs print an array of bytes: `[107, 101, 121]`, `[107 101 121]`. */
function showsBytes(numbers: string, secret: Secret): boolean {
  const bytes = encodeUtf8(secret.reveal());
  return bytes.length > 3 && numbers.includes(` ${bytes.join(' ')} `);
}

function secretsIn(attempt: Attempt, { secretKey, contains }: SigninEnvironment) {
  const { conclusion, user, scenario } = attempt;
  const secrets = [
    ['secret_key', secretKey],
    ['the per-user key', user.key],
    ...(showsPasscode.has(scenario.name) ? [] : [['the passcode', user.superPasscode] as const]),
    ...tokensOf(attempt),
  ] as const;
  const numbers = ` ${conclusion.shown.replace(/\D+/g, ' ')} `;
  const found = secrets.filter(
    ([, secret]) =>
      !plainWord.test(secret.reveal()) &&
      (contains(conclusion.shown, secret) || showsBytes(numbers, secret)),
  );
  return [...new Set(found.map(([name]) => name))];
}
