import type { CheckContext } from './context.ts';
import { control, expectAccepted, expectRefused } from './expect.ts';
import { type MalformedName, malform } from './malformed.ts';
import type { Passed } from './verdict.ts';

/**
 * Sends a key exchange as it should be, the positive control, and then each of the malformed ones
 * for the same user, all of which must be refused. The first that is accepted is the verdict.
 */
export async function expectMalformedRefused(
  context: CheckContext,
  names: readonly MalformedName[],
): Promise<Passed | undefined> {
  await control(() => exchangeUnspoilt(context));
  const right = await context.rightExchange(context.user);
  const notes: string[] = [];
  for (const name of names) {
    const malformed = malform(name, right);
    const outcome = await context.sendMalformed(malformed);
    expectRefused(outcome, malformed.about);
    if (outcome.exchange.answer === undefined) {
      const { code = 'unknown' } = outcome.diagnosis ?? {};
      notes.push(`There was no whole answer (${code}) to ${malformed.about}.`);
    }
  }
  return { notes };
}

/** Whether a key can be read from the answer is no matter here. */
async function exchangeUnspoilt(context: CheckContext): Promise<void> {
  expectAccepted(await context.exchange(context.user), 'the same key exchange, unspoilt');
}
