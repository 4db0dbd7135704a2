import { complete } from './check.ts';
import { errorShape } from './checks/service/error-shape.ts';
import { exactCredentials } from './checks/service/exact-credentials.ts';
import { exactForm } from './checks/service/exact-form.ts';
import { exactTokens } from './checks/service/exact-tokens.ts';
import { expireDt } from './checks/service/expire-dt.ts';
import { httpStatus } from './checks/service/http-status.ts';
import { issuesToken } from './checks/service/issues-token.ts';
import { jsonContentType } from './checks/service/json-content-type.ts';
import { namesUser } from './checks/service/names-user.ts';
import { noByteOrderMark } from './checks/service/no-byte-order-mark.ts';
import { rejectsExpiredAcsToken } from './checks/service/rejects-expired-acs-token.ts';
import { rejectsForeignPtnToken } from './checks/service/rejects-foreign-ptn-token.ts';
import { rejectsParallelUse } from './checks/service/rejects-parallel-use.ts';
import { rejectsUnknownAcsToken } from './checks/service/rejects-unknown-acs-token.ts';
import { rejectsUnknownPtnToken } from './checks/service/rejects-unknown-ptn-token.ts';
import { rejectsUsedAcsToken } from './checks/service/rejects-used-acs-token.ts';
import { rejectsWrongSecret } from './checks/service/rejects-wrong-secret.ts';
import { responseTime } from './checks/service/response-time.ts';
import { returnsPasscode } from './checks/service/returns-passcode.ts';
import { secretInBodyOnly } from './checks/service/secret-in-body-only.ts';
import { secretsNotShown } from './checks/service/secrets-not-shown.ts';
import { tls } from './checks/service/tls.ts';
import { tokenShape } from './checks/service/token-shape.ts';
import { tokenWorks } from './checks/service/token-works.ts';
import type { ServiceCheck } from './service.ts';

/** Every check of the service's own endpoints, in the order in which they are run and shown. */
export const serviceChecks: readonly ServiceCheck[] = [
  issuesToken,
  tokenShape,
  expireDt,
  namesUser,
  tokenWorks,
  returnsPasscode,
  rejectsWrongSecret,
  secretInBodyOnly,
  rejectsUnknownPtnToken,
  rejectsForeignPtnToken,
  rejectsUnknownAcsToken,
  rejectsUsedAcsToken,
  rejectsParallelUse,
  exactCredentials,
  exactTokens,
  exactForm,
  rejectsExpiredAcsToken,
  secretsNotShown,
  errorShape,
  jsonContentType,
  noByteOrderMark,
  httpStatus,
  responseTime,
  tls,
].map(complete);
