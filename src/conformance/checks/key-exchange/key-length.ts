import type { KeyExchangeOutcome } from '../../../client/call.ts';
import { countCharacters } from '../../../crypto/per-user-key.ts';
import { keyFormCodes } from '../../../errors.ts';
import type { CheckDefinition } from '../../check.ts';
import { fail, untested } from '../../expect.ts';
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
    const { keyExchanges } = context.record;
    // One of a wrong form is enough.
    while (keyExchanges.length < fewestKeys && !keyExchanges.some(({ outcome }) => formOf(outcome)))
      await context.exchange(context.user);
    review(context.record);
    const isRead = keyExchanges.some(({ outcome }) => outcome.key !== undefined);
    if (!isRead) untested('No per-user key can be read.');
  },
};

function review({ keyExchanges }: RunRecord): void {
  const wrong = keyExchanges.filter(({ outcome }) => formOf(outcome));
  const first = wrong[0]?.outcome;
  if (first === undefined) return;
  const { length } = keyExchanges;
  const { key } = first;
  const form = key ? `${countCharacters(key.reveal())} characters` : 'bytes that are not text';
  fail({
    expected: 'per-user keys of 32 characters',
    observed: `${form}${wrong.length === length ? '' : `, in ${wrong.length} of ${length} keys`}`,
    diagnosis: formOf(first),
    evidence: first.exchange,
  });
}

function formOf({ diagnoses }: KeyExchangeOutcome) {
  return diagnoses.find(({ code }) => keyFormCodes.some((known) => known === code));
}
