import type { SigninCheckDefinition } from '../../signin-check.ts';
import { rejectsIn } from '../../signin-expect.ts';

/** Equal to any other of its kind for a comparison that takes texts for numbers (0 times a power of ten). */
const numberLike = '0e462097431906509019562988736854';

export const comparesExactly: SigninCheckDefinition = {
  id: 'signin/compares-exactly',
  title: 'must sign nobody in with a passcode that is nearly the stored one',
  section: '4.2.2',
  sentence: 'It checks the result for equality with the stored partner_sp.',
  stage: 'wrong-requests',
  needs: ['signin/accepts-right-sign-in', 'signin/rejects-wrong-passcode'],
  run: async (context) => {
    const passcode = (await context.user(numberLike)).superPasscode.reveal();
    const hasLetters = passcode.toUpperCase() !== passcode.toLowerCase();
    const otherCase = hasLetters ? (['passcode-other-case'] as const) : [];
    const nearly = ['passcode-longer', ...otherCase, 'passcode-empty'] as const;
    return rejectsIn(nearly, exactly)(context);
  },
};

const exactly = {
  code: 'passcode-mismatch' as const,
  fix: 'Compare both passcodes whole, as texts, case included: no loose == (PHP takes "0e1" and "0e2" for the same number), no prefix, no trimming, and nothing that lets an empty one pass.',
};
