import type { KeyExchangeOutcome } from '../../../client/call.ts';
import { countCharacters } from '../../../crypto/per-user-key.ts';
import type { CheckDefinition } from '../../check.ts';
import type { CheckContext } from '../../context.ts';
import { fail, untested } from '../../expect.ts';
import { isFormCode } from '../../keys.ts';
import type { RunRecord } from '../../result.ts';

/**
 * The keys that the check draws where it runs alone. An application that makes every tenth key too
 * short is then missed once in six runs; the keys of a whole run, about ninety, miss it once in ten
 * thousand.
 */
const fewestKeys = 17;

export const keyLength: CheckDefinition = {
  id: 'key-exchange/key-length',
  title: 'must generate keys of 32 characters',
  section: '2.2',
  sentence: 'The application generates it for each user as a random string of 32 characters.',
  production: 'reviews',
  stage: 'review',
  needs: ['key-exchange/answers-success', 'readable-key'],
  review,
  run: async (context) => {
    await drawKeys(context);
    review(context.record);
    const isRead = context.record.keyExchanges.some(({ outcome }) => outcome.key !== undefined);
    if (!isRead) untested('No per-user key can be read.');
  },
};

function review({ keyExchanges }: RunRecord): void {
  const wrong = keyExchanges.filter(({ outcome }) => formOf(outcome) !== undefined);
  const first = wrong[0]?.outcome;
  if (first === undefined) return;
  const { length } = keyExchanges;
  fail({
    expected: 'per-user keys of 32 characters',
    observed: `${describe(first)}${wrong.length === length ? '' : `, in ${wrong.length} of ${length} keys`}`,
    diagnosis: formOf(first),
    evidence: first.exchange,
  });
}

/** Draws more keys if the run has few; one of a wrong form is enough. */
async function drawKeys(context: CheckContext): Promise<void> {
  const { keyExchanges } = context.record;
  while (
    keyExchanges.length < fewestKeys &&
    !keyExchanges.some(({ outcome }) => formOf(outcome) !== undefined)
  ) {
    await context.exchange(context.user);
  }
}

function formOf({ diagnoses }: KeyExchangeOutcome) {
  return diagnoses.find(({ code }) => isFormCode(code));
}

function describe({ key }: KeyExchangeOutcome): string {
  return key === undefined
    ? 'bytes that are not text'
    : `${countCharacters(key.reveal())} characters`;
}
