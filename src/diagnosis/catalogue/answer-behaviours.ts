import { refuseCalls, storeCalls } from '../answer-calls.ts';
import type { CataloguePart } from '../catalogue-entry.ts';

/** What is known of faults that show over several requests. */
export const behaviourCatalogue: CataloguePart<
  | 'passcode-mismatch'
  | 'other-user'
  | 'accepted-bad-input'
  | 'accepted-bad-answer'
  | 'shared-state'
  | 'stale-key'
  | 'never-decrypts'
> = {
  'passcode-mismatch': {
    title: 'The passcode is not the one that was stored',
    meaning:
      'ptn_sp can be decrypted with the key of the user, and gives another Super Passcode than the partner_sp of the registration: the sign-in must be refused.',
    recognised: 'Both are decrypted and compared byte by byte, in constant time.',
    mend: 'Look whether the user registered again since, whether partner_sp was stored decrypted and whole (column length, charset, trimmed spaces), and whether it is the row of this user.',
    calls: {
      java: 'MessageDigest.isEqual(decrypted, stored)',
      kotlin: 'MessageDigest.isEqual(decrypted, stored)',
      node: 'crypto.timingSafeEqual(decrypted, stored)',
      python: 'hmac.compare_digest(decrypted, stored)',
      php: 'hash_equals($stored, $decrypted)',
      go: 'subtle.ConstantTimeCompare(decrypted, stored) == 1',
      csharp: 'CryptographicOperations.FixedTimeEquals(decrypted, stored)',
      ruby: 'OpenSSL.fixed_length_secure_compare(decrypted, stored)',
    },
    example: 'The passcode was kept in a column of 16 characters, and cut there.',
    section: '4.2.2',
  },
  'other-user': {
    title: 'The answer is about another user',
    meaning: 'The service names another ptn_cd than the one that was to sign in.',
    recognised: 'result.ptn_cd of the token answer differs from the user that was asked for.',
    mend: 'Sign in the user that the service names, never the one that the browser claims. Look whether a ptn_token was kept from an earlier sign-in.',
    example: 'The page of user A sends the ptn_token that user B left in local storage.',
    section: '4.2.1',
  },
  'accepted-bad-input': {
    title: 'A wrong request was answered with success',
    meaning:
      'The request could not be carried out and was answered "0000" all the same: the caller believes that something was done.',
    recognised:
      'The same request, unspoilt, is accepted in the same run; spoilt in one place it must be answered with another code.',
    mend: 'Check each field before anything is stored, and answer with a code of your own and a message that names the field.',
    calls: refuseCalls,
    example: 'A handler that catches every exception and answers {"code":"0000"} behind it.',
    section: '4.1',
  },
  'accepted-bad-answer': {
    title: 'A user was signed in although the service did not say so',
    meaning:
      'The service answered with another code than "0000", with something that is no answer, or not at all, and the application signed the user in all the same: whoever can disturb the connection can sign in.',
    recognised:
      'The emulated service answers one sign-in wrongly on purpose; the application must refuse it, having accepted a right one in the same run.',
    mend: 'Sign in only where code is the string "0000", every field of result is there, and ptn_sp decrypts to the stored passcode. Make refusing the default: every exception, missing field and other code ends there.',
    calls: {
      java: 'if (!"0000".equals(answer.path("code").textValue())) throw new SignInRefused(answer.path("message").asText());',
      kotlin: 'if (answer["code"] != "0000") throw SignInRefused(answer["message"])',
      node: "if (answer.code !== '0000' || typeof answer.result?.ptn_sp !== 'string') throw new Error('refused')",
      python: 'if answer.get("code") != "0000": raise SignInRefused(answer.get("message"))',
      php: "if (($answer['code'] ?? null) !== '0000') { throw new SignInRefused(); }",
      go: 'if answer.Code != "0000" { return errRefused }',
      csharp: 'if (answer.Code != "0000") throw new SignInRefusedException();',
      ruby: "raise SignInRefused unless answer['code'] == '0000'",
    },
    example: 'if (answer.result) signIn(): a refusal that carries a result is taken for success.',
    section: '4.2.2',
  },
  'shared-state': {
    title: 'Users are mixed up with one another',
    meaning:
      "What is kept for one user is used for another: a passcode can be decrypted with a stranger's key, or overwritten.",
    recognised:
      "Two sign-ups that are interleaved, simultaneous, or of user codes that differ in case or in characters outside ASCII get in each other's way.",
    mend: 'Keep the key in storage under the whole ptn_cd, compared exactly, never in a field of the handler, a session or a global variable.',
    calls: storeCalls,
    example:
      'private String userKey; in a Spring @RestController, of which there is one for all requests.',
    section: '4.1.1',
  },
  'stale-key': {
    title: 'An older key of the user is still in use',
    meaning:
      "After a second key exchange the new key counts; payloads under it can't be decrypted here.",
    recognised:
      'The user exchanges a key twice; a registration under the second one is refused, or one under the first is accepted.',
    mend: 'Replace the stored key with each key exchange, before the answer is sent, and empty caches of it.',
    calls: storeCalls,
    example: 'INSERT … ON CONFLICT DO NOTHING keeps the first key and returns the second.',
    section: '4.1.1',
  },
  'never-decrypts': {
    title: 'The passcode is accepted without being decrypted',
    meaning:
      'Any partner_sp is answered "0000". The sign-in, where it must be decrypted and compared, will fail, or never be compared at all.',
    recognised:
      'A partner_sp that fails for certain under the stored key (bad padding or tag) is answered "0000", and so is a right one.',
    mend: "Decrypt partner_sp in the registration callback with the key of that ptn_cd, store the result, and refuse what can't be decrypted.",
    calls: {
      java: 'catch (BadPaddingException e) { return Map.of("code", "1002", "message", "partner_sp can\'t be decrypted"); }',
      node: "catch { return res.json({ code: '1002', message: 'partner_sp can\\'t be decrypted' }) }",
      python:
        'except ValueError: return jsonify(code="1002", message="partner_sp can\'t be decrypted")',
      php: "if (openssl_decrypt($data, 'aes-256-cbc', $key, OPENSSL_RAW_DATA, $iv) === false) { refuse('1002'); }",
      csharp:
        'catch (CryptographicException) { return Results.Json(new { code = "1002", message = "…" }); }',
      ruby: 'rescue OpenSSL::Cipher::CipherError',
    },
    example: 'The callback stores partner_sp as it came, for later.',
    section: '4.1.2',
  },
};
