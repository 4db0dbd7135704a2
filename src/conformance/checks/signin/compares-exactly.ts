import { comparesPasscode } from '../../../diagnosis/signin-calls.ts';
import { rejecting } from '../../signin-refusals.ts';

export const comparesExactly = rejecting({
  id: 'signin/compares-exactly',
  title: 'must reject a sign-in with a passcode that is nearly the stored one',
  section: '4.2.2',
  sentence: 'It checks the result for equality with the stored partner_sp.',
  users: 2,
  needs: ['signin/accepts-right-sign-in', 'signin/rejects-wrong-passcode'],
  code: 'passcode-mismatch',
  risk: 'Passcodes that are easier to guess than the stored one are accepted.',
  fix: 'Compare both passcodes whole, as texts, case included: no loose == (PHP takes "0e1" and "0e2" for the same number), no prefix, no trimming, no normalisation or collation, and nothing that lets an empty one pass.',
  calls: comparesPasscode,
});
