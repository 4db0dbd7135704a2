import { countCharacters } from '../../../crypto/per-user-key.ts';
import type { Check } from '../../check.ts';
import { fail, skip } from '../../expect.ts';
import { isAmbiguousForm, isFormCode } from '../../key-codes.ts';
import type { Passed } from '../../verdict.ts';

export const keyLength: Check = {
  id: 'key-exchange/key-length',
  title: 'The unwrapped key has 32 characters',
  section: '2.2',
  sentence: 'The application generates it for each user as a random string of 32 characters.',
  level: 'must',
  polarity: 'positive',
  stage: 'foundation',
  needs: ['key-exchange/answers-success', 'readable-key'],
  run: async (context) => {
    const { exchange, key, diagnoses } = await context.exchange(context.user);
    const forms = diagnoses.filter(({ code }) => isFormCode(code));
    for (const { code } of forms) context.record.reported.add(code);
    const [diagnosis] = forms;
    const isUsable = key !== undefined && !forms.some(({ code }) => isAmbiguousForm(code));
    const provides: Passed = isUsable ? { provides: ['usable-key'] } : {};
    if (diagnosis === undefined) {
      return key === undefined ? skip('No per-user key can be read.') : provides;
    }
    return fail({
      expected: 'a per-user key of 32 characters',
      observed:
        key === undefined
          ? 'bytes that are no text'
          : `${countCharacters(key.reveal())} characters`,
      diagnosis,
      evidence: exchange,
      ...provides,
    });
  },
};
