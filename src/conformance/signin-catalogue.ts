import { complete } from './check.ts';
import { acceptsRightSignIn } from './checks/signin/accepts-right-sign-in.ts';
import { acsTokenOnce } from './checks/signin/acs-token-once.ts';
import { authenticateFields } from './checks/signin/authenticate-fields.ts';
import { bothCalls } from './checks/signin/both-calls.ts';
import { comparesExactly } from './checks/signin/compares-exactly.ts';
import { contentType } from './checks/signin/content-type.ts';
import { method } from './checks/signin/method.ts';
import { noOtherFields } from './checks/signin/no-other-fields.ts';
import { noRetryStorm } from './checks/signin/no-retry-storm.ts';
import { path } from './checks/signin/path.ts';
import { rejectsAuthenticateCode } from './checks/signin/rejects-authenticate-code.ts';
import { rejectsErrorPage } from './checks/signin/rejects-error-page.ts';
import { rejectsExpiredToken } from './checks/signin/rejects-expired-token.ts';
import { rejectsMissingField } from './checks/signin/rejects-missing-field.ts';
import { rejectsOtherUser } from './checks/signin/rejects-other-user.ts';
import { rejectsTokenCode } from './checks/signin/rejects-token-code.ts';
import { rejectsUndecryptable } from './checks/signin/rejects-undecryptable.ts';
import { rejectsWithoutService } from './checks/signin/rejects-without-service.ts';
import { rejectsWrongPasscode } from './checks/signin/rejects-wrong-passcode.ts';
import { secretInBodyOnly } from './checks/signin/secret-in-body-only.ts';
import { secretsNotShown } from './checks/signin/secrets-not-shown.ts';
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
  acsTokenOnce,
  rejectsTokenCode,
  rejectsAuthenticateCode,
  rejectsWrongPasscode,
  comparesExactly,
  rejectsUndecryptable,
  rejectsOtherUser,
  rejectsMissingField,
  rejectsErrorPage,
  rejectsExpiredToken,
  rejectsWithoutService,
  worksAfterwards,
  noRetryStorm,
  secretsNotShown,
].map(complete);
