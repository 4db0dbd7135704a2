import { comparesPasscode } from '../../../diagnosis/signin-calls.ts';
import { rejecting } from '../../signin-refusals.ts';

export const decryptsPasscode = rejecting({
  id: 'signin/decrypts-passcode',
  title: 'must reject a sign-in with a passcode that was not encrypted with the per-user key',
  section: '5',
  sentence: 'User data (partner_sp, ubifill, ptn_sp) is protected by the per-user key.',
  needs: [
    'signin/rejects-wrong-passcode',
    'signin/rejects-undecryptable',
    'signin/rejects-missing-field',
  ],
  code: 'accepted-bad-answer',
  risk: 'Who knows or reads a passcode gets in without the key of the user.',
  fix: 'Take the passcode from result.ptn_sp alone, decrypt it, and refuse if that fails; never compare ptn_sp or message as they came.',
  calls: comparesPasscode,
});
