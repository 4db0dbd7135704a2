import { findsUser } from '../../../diagnosis/signin-calls.ts';
import { rejecting } from '../../signin-refusals.ts';

export const rejectsMissingUser = rejecting({
  id: 'signin/rejects-missing-user',
  title: 'must reject a sign-in after a token response without a ptn_cd',
  section: '4.2.1',
  sentence: 'result.ptn_cd: String. Application user code.',
  needs: ['signin/rejects-other-user'],
  code: 'other-user',
  risk: 'The application decides itself who signs in, by its session or a default, and not by the service.',
  fix: 'Refuse unless result.ptn_cd is a string that is not empty; never fall back to the user of the session or of the request.',
  calls: findsUser,
});
