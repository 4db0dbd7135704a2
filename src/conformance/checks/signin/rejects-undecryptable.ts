import { rejecting } from '../../signin-expect.ts';

export const rejectsUndecryptable = rejecting({
  id: 'signin/rejects-undecryptable',
  title: 'must sign nobody in with a ptn_sp that cannot be decrypted',
  section: '4.2.2',
  sentence: "The application decrypts ptn_sp with the user's stored key.",
  scenarios: ['passcode-undecryptable'],
  fix: 'Refuse if decryption fails: check what it returns (openssl_decrypt gives false), and let no exception handler go on to success.',
});
