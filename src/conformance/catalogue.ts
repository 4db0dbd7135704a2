import { type Check, complete } from './check.ts';
import { answersSuccess as keyExchangeAnswersSuccess } from './checks/key-exchange/answers-success.ts';
import { keyIsRandom } from './checks/key-exchange/key-is-random.ts';
import { keyLength } from './checks/key-exchange/key-length.ts';
import { keyPerUser } from './checks/key-exchange/key-per-user.ts';
import { keySizes } from './checks/key-exchange/key-sizes.ts';
import { newKeyEachTime } from './checks/key-exchange/new-key-each-time.ts';
import { plainKeyAbsent } from './checks/key-exchange/plain-key-absent.ts';
import { rejectsBadPublicKey } from './checks/key-exchange/rejects-bad-public-key.ts';
import { rejectsForeignClient } from './checks/key-exchange/rejects-foreign-client.ts';
import { rejectsMissingField } from './checks/key-exchange/rejects-missing-field.ts';
import { responseShape as keyExchangeResponseShape } from './checks/key-exchange/response-shape.ts';
import { rotatedPublicKey } from './checks/key-exchange/rotated-public-key.ts';
import { strictBase64 } from './checks/key-exchange/strict-base64.ts';
import { wrapsKey } from './checks/key-exchange/wraps-key.ts';
import { concurrentSignups } from './checks/protocol/concurrent-signups.ts';
import { errorShape } from './checks/protocol/error-shape.ts';
import { exactUserCode } from './checks/protocol/exact-user-code.ts';
import { httpStatus } from './checks/protocol/http-status.ts';
import { ignoresUnknownFields } from './checks/protocol/ignores-unknown-fields.ts';
import { jsonContentType } from './checks/protocol/json-content-type.ts';
import { noByteOrderMark } from './checks/protocol/no-byte-order-mark.ts';
import { rejectsMalformedJson } from './checks/protocol/rejects-malformed-json.ts';
import { rejectsUnknownUsedType } from './checks/protocol/rejects-unknown-used-type.ts';
import { responseTime } from './checks/protocol/response-time.ts';
import { survivesBadInput } from './checks/protocol/survives-bad-input.ts';
import { tls } from './checks/protocol/tls.ts';
import { answersSuccess as registrationAnswersSuccess } from './checks/registration/answers-success.ts';
import { keyOfThatUser } from './checks/registration/key-of-that-user.ts';
import { latestKey } from './checks/registration/latest-key.ts';
import { rejectsMissingPasscode } from './checks/registration/rejects-missing-passcode.ts';
import { rejectsUndecryptable } from './checks/registration/rejects-undecryptable.ts';
import { rejectsUnknownUser } from './checks/registration/rejects-unknown-user.ts';
import { responseShape as registrationResponseShape } from './checks/registration/response-shape.ts';
import { unicodeUserInfo } from './checks/registration/unicode-user-info.ts';
import { usesIv } from './checks/registration/uses-iv.ts';
import { withoutUserInfo } from './checks/registration/without-user-info.ts';

/** Every check of a callback endpoint, in the order in which they are run and shown. */
export const checks: readonly Check[] = [
  keyExchangeAnswersSuccess,
  keyExchangeResponseShape,
  wrapsKey,
  keyLength,
  keyPerUser,
  keyIsRandom,
  newKeyEachTime,
  plainKeyAbsent,
  rotatedPublicKey,
  keySizes,
  strictBase64,
  rejectsMissingField,
  rejectsBadPublicKey,
  rejectsForeignClient,
  registrationAnswersSuccess,
  withoutUserInfo,
  registrationResponseShape,
  unicodeUserInfo,
  keyOfThatUser,
  latestKey,
  rejectsUndecryptable,
  usesIv,
  rejectsMissingPasscode,
  rejectsUnknownUser,
  concurrentSignups,
  exactUserCode,
  ignoresUnknownFields,
  rejectsUnknownUsedType,
  rejectsMalformedJson,
  survivesBadInput,
  errorShape,
  jsonContentType,
  noByteOrderMark,
  httpStatus,
  responseTime,
  tls,
].map(complete);
