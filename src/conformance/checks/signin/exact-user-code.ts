import { findsUser } from '../../../diagnosis/signin-calls.ts';
import { rejecting } from '../../signin-refusals.ts';

export const exactUserCode = rejecting({
  id: 'signin/exact-user-code',
  title: 'must reject a sign-in after a token response with a ptn_cd that is nearly the user code',
  section: '2.1',
  sentence: 'ptn_cd: Application user code.',
  needs: ['signin/rejects-other-user'],
  code: 'other-user',
  risk: 'Users with similar codes get in as one another.',
  fix: 'Look the user up by the whole ptn_cd as it came: an exact comparison, no LIKE or pattern, no folding of case, width or space. A column may need a binary collation.',
  calls: findsUser,
});
