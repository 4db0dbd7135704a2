import { complete } from './check.ts';
import { acceptsRightSignIn } from './checks/signin/accepts-right-sign-in.ts';
import { acsTokenOnce } from './checks/signin/acs-token-once.ts';
import { acsTokenUnchanged } from './checks/signin/acs-token-unchanged.ts';
import { authenticateFields } from './checks/signin/authenticate-fields.ts';
import { bothCalls } from './checks/signin/both-calls.ts';
import { comparesCodeExactly } from './checks/signin/compares-code-exactly.ts';
import { comparesExactly } from './checks/signin/compares-exactly.ts';
import { contentType } from './checks/signin/content-type.ts';
import { decryptsPasscode } from './checks/signin/decrypts-passcode.ts';
import { exactUserCode } from './checks/signin/exact-user-code.ts';
import { followsNoRedirect } from './checks/signin/follows-no-redirect.ts';
import { givesUp } from './checks/signin/gives-up.ts';
import { judgesEachSignIn } from './checks/signin/judges-each-sign-in.ts';
import { method } from './checks/signin/method.ts';
import { noOtherFields } from './checks/signin/no-other-fields.ts';
import { noRetryStorm } from './checks/signin/no-retry-storm.ts';
import { passcodeOfThatUser } from './checks/signin/passcode-of-that-user.ts';
import { path } from './checks/signin/path.ts';
import { rejectsAuthenticateCode } from './checks/signin/rejects-authenticate-code.ts';
import { rejectsErrorPage } from './checks/signin/rejects-error-page.ts';
import { rejectsErrorStatus } from './checks/signin/rejects-error-status.ts';
import { rejectsExpiredToken } from './checks/signin/rejects-expired-token.ts';
import { rejectsMissingCode } from './checks/signin/rejects-missing-code.ts';
import { rejectsMissingField } from './checks/signin/rejects-missing-field.ts';
import { rejectsMissingUser } from './checks/signin/rejects-missing-user.ts';
import { rejectsOtherUser } from './checks/signin/rejects-other-user.ts';
import { rejectsTokenCode } from './checks/signin/rejects-token-code.ts';
import { rejectsUndecryptable } from './checks/signin/rejects-undecryptable.ts';
import { rejectsWithoutService } from './checks/signin/rejects-without-service.ts';
import { rejectsWrongPasscode } from './checks/signin/rejects-wrong-passcode.ts';
import { secretInBodyOnly } from './checks/signin/secret-in-body-only.ts';
import { secretsNotShown } from './checks/signin/secrets-not-shown.ts';
import { separateSignIns } from './checks/signin/separate-sign-ins.ts';
import { staysOnHttps } from './checks/signin/stays-on-https.ts';
import { stopsAfterFailure } from './checks/signin/stops-after-failure.ts';
import { stringTypes } from './checks/signin/string-types.ts';
import { tokenFields } from './checks/signin/token-fields.ts';
import { worksAfterwards } from './checks/signin/works-afterwards.ts';
import type { SigninCheck } from './signin-check.ts';

/** Every check of the sign-in side of an application, in the order in which they are run and shown. */
export const signinChecks: readonly SigninCheck[] = [
  bothCalls,
  method,
  path,
  contentType,
  tokenFields,
  authenticateFields,
  stringTypes,
  noOtherFields,
  secretInBodyOnly,
  acceptsRightSignIn,
  separateSignIns,
  acsTokenOnce,
  acsTokenUnchanged,
  rejectsWithoutService,
  rejectsTokenCode,
  rejectsAuthenticateCode,
  rejectsWrongPasscode,
  rejectsOtherUser,
  rejectsErrorPage,
  rejectsMissingField,
  rejectsErrorStatus,
  followsNoRedirect,
  staysOnHttps,
  rejectsUndecryptable,
  decryptsPasscode,
  rejectsMissingCode,
  comparesCodeExactly,
  rejectsMissingUser,
  exactUserCode,
  comparesExactly,
  passcodeOfThatUser,
  rejectsExpiredToken,
  judgesEachSignIn,
  worksAfterwards,
  stopsAfterFailure,
  givesUp,
  noRetryStorm,
  secretsNotShown,
].map(complete);
