import type { responseCodes } from '../../errors.ts';
import type { CataloguePart } from '../diagnosis.ts';
import { comparesCode, comparesPasscode } from '../signin-calls.ts';
import {
  base64CallsOf,
  exemptCalls,
  nameCalls,
  refuseCalls,
  responseCalls,
  storeCalls,
} from './calls.ts';

const right = '{"code":"0000","message":"","result":{"enc_partner_key":"…"}}';

/** The codes of a response: of its body, of its fields, and of several responses. */
export const responseCatalogue: CataloguePart<(typeof responseCodes)[number]> = {
  'not-json': {
    title: 'The response is not a JSON object',
    meaning: 'A JSON parser stops here, so neither code nor result can be read.',
    recognised:
      'The body is parsed as UTF-8 JSON (RFC 8259). The message names the first error, and what the body seems to be instead: UTF-16, compressed, XML, form encoding, an array, JSON inside a JSON string, or JSON with text before or after it. An object that repeats a field of the interface counts as invalid, too (RFC 8259 section 4): parsers differ in which one they use.',
    fix: "Build an object, let your framework's JSON library serialise it once as UTF-8, and write nothing else to the response.",
    calls: responseCalls,
    example: `In Flask, return str({"code": "0000"}) sends {'code': '0000'}: Python's notation, not JSON.`,
    section: '4.1',
  },
  'byte-order-mark': {
    title: 'The JSON begins with a byte order mark',
    meaning:
      'RFC 8259 section 8.1 forbids the mark, and many parsers (JSON.parse, json.loads, Go) reject a body that has it.',
    recognised: 'The first three bytes of the body are EF BB BF.',
    fix: 'Write UTF-8 without the mark. In PHP it often comes from a source file, before <?php.',
    calls: {
      java: 'response.getOutputStream().write(json.getBytes(StandardCharsets.UTF_8))',
      php: 'save the source files as UTF-8 without BOM',
      csharp: 'new StreamWriter(stream, new UTF8Encoding(encoderShouldEmitUTF8Identifier: false))',
      python: "json.dumps(answer).encode('utf-8')  # not 'utf-8-sig'",
    },
    example:
      'In .NET, a StreamWriter with Encoding.UTF8 writes EF BB BF before the first character.',
    section: '4.1',
  },
  'html-instead-of-json': {
    title: 'The response is an HTML page',
    meaning:
      'Something other than the callback handler responded: an error page, a login page, a start page or a proxy.',
    recognised:
      'The body starts like HTML (or, for the Content-Type check, the header is text/html). The message shows its title and the HTTP status, which usually reveal what sent it.',
    fix: 'Start from the status: for 404 check the route, for 401 and 403 login and CSRF protection, for 500 the log, for 502 to 504 the proxy. With 200, the URL serves a page: use the callback URL.',
    calls: {
      ...exemptCalls,
      node: "app.post('/callback', handler) // before the fallback that serves index.html",
      php: "ini_set('display_errors', '0');",
    },
    example:
      '<html><head><title>502 Bad Gateway</title>… with status 502: nginx responded, not the application.',
    section: '4.1',
  },
  'empty-body': {
    title: 'The response has no body',
    meaning: 'Only a status was sent, without code and result.',
    recognised: 'The body is empty, or only white space.',
    fix: 'Send the JSON object on every path through the handler, including after an exception.',
    calls: responseCalls,
    example:
      'In Express, res.sendStatus(204), or a handler that ends with res.end() before res.json(…).',
    section: '4.1',
  },
  redirect: {
    title: 'The response is a redirect',
    meaning:
      'Redirects are not followed: a client that does would turn the POST into a GET, and send secrets to a URL that was not registered.',
    recognised: 'The HTTP status is 301, 302, 303, 307 or 308; the message names the target.',
    fix: 'Register the URL that responds directly: https instead of http, with or without the trailing slash. Exclude the path from login redirects.',
    calls: {
      java: 'http.authorizeHttpRequests(a -> a.requestMatchers("/callback").permitAll()) // before anyRequest()',
      python:
        '@app.post("/callback")  # as the URL is, without a slash; Django: path("callback", callback)',
      csharp: 'app.MapPost("/callback", Handle).AllowAnonymous()',
    },
    example:
      'POST http://app.example.com/callback returns 301 to https://app.example.com/callback.',
    section: '4.1',
  },
  'body-too-large': {
    title: 'The response is larger than the limit',
    meaning:
      'A response of this interface is a few hundred bytes long; reading this one was aborted.',
    recognised:
      'Content-Length, or the number of bytes received (after decompression), exceeds the limit, 1 MiB by default.',
    fix: 'Send only the fields of the interface. Check the response for a stack trace, a log or a whole record.',
    calls: responseCalls,
    example:
      'The serialiser follows references from the user to orders and on to other users, and sends megabytes.',
    section: '8',
  },
  'code-not-success': {
    title: 'The response refuses: its code is not "0000"',
    meaning:
      'Only the string "0000" means success; any other code is a refusal, and its result is ignored.',
    recognised:
      'code is a string other than "0000"; the diagnosis contains both the code and the message.',
    fix: 'Read the message, and the log of the server that sent it. If the request succeeded, send "0000", not "0", "200" or "OK".',
    calls: responseCalls,
    example: '{"code":"200","message":"success"} is a refusal.',
    section: '7',
  },
  'code-not-string': {
    title: 'code is not a string',
    meaning:
      "code must be a string. As a number, 0000 becomes 0 or invalid JSON: numbers can't have leading zeros.",
    recognised: 'code is a number, null, a boolean or an object.',
    fix: 'Make code a string everywhere, including in the serialiser.',
    calls: {
      java: 'private String code = "0000"; // not int',
      kotlin: 'val code: String = "0000"',
      node: "code: '0000'",
      python: 'code="0000"',
      php: "'code' => '0000' // and no JSON_NUMERIC_CHECK",
      go: 'Code string `json:"code"`',
      csharp: 'public string Code { get; set; } = "0000";',
      ruby: "code: '0000'",
    },
    example:
      '{"code": 0, "message": ""}; PHP writes it with json_encode($answer, JSON_NUMERIC_CHECK).',
    section: '2.1',
  },
  'message-missing': {
    title: 'The response has no message',
    meaning: 'Every response contains code and message; the message may be empty, but not missing.',
    recognised:
      'The JSON object has no field message; a field with a similar name, such as msg, is named.',
    fix: 'Send "message": "" on success, and the reason when refusing.',
    calls: responseCalls,
    example:
      '{"code":"0000","result":{…}}; also @JsonInclude(NON_EMPTY), which drops an empty message.',
    section: '7',
  },
  'result-missing': {
    title: 'The response has no result',
    meaning: 'With code "0000", result is required.',
    recognised: "result is absent or null, and its fields aren't anywhere else in the response.",
    fix: 'Put the fields of the response into an object named result.',
    calls: responseCalls,
    example: `{"code":"0000","message":""} to a key exchange; correct: ${right}.`,
    section: '4.1.1',
  },
  'field-missing': {
    title: 'A field is missing from the response',
    meaning:
      "The interface requires the field, but it isn't in the response, not even at another level.",
    recognised: 'The message names the missing field and the fields that are present.',
    fix: 'Send the field. If your code sets it, check whether it is null and the serialiser omits nulls, or whether the property lacks a getter.',
    calls: responseCalls,
    example: 'A Java class without getters and without @JsonProperty serialises to {}.',
    section: '4',
  },
  'field-type': {
    title: 'A field has the wrong type',
    meaning: 'Fields must be strings, and result an object; a strict parser refuses anything else.',
    recognised:
      'The field is present but has another JSON type; a string that contains JSON is reported as such.',
    fix: 'Send strings in quotation marks, bytes as Base64 and objects as objects; serialise once, at the end.',
    calls: {
      ...base64CallsOf('wrapped'),
      node: 'wrapped.toString(\'base64\') // a Buffer alone becomes {"type":"Buffer","data":[…]}',
    },
    example:
      '"result": "{\\"enc_partner_key\\":\\"…\\"}": the inner object was serialised to a string first.',
    section: '2.1',
  },
  'field-misplaced': {
    title: 'A field has the wrong name or is at the wrong level',
    meaning:
      "The value is in the response, but the receiver can't find it: field names are exact, and result is a separate object.",
    recognised:
      'The field is missing where it belongs, and the same or a similar name (case, underscores, a letter or two) occurs elsewhere; the message shows where.',
    fix: 'Use the exact field names of the interface in the JSON, whatever your code calls them, and put them at the right level.',
    calls: nameCalls,
    example: `{"code":"0000","message":"","encPartnerKey":"…"}; correct: ${right}.`,
    section: '4.1.1',
  },
  'field-malformed': {
    title: 'A field has an invalid value',
    meaning:
      "The type is right, but the content isn't: a date that doesn't exist, text that isn't Base64, an empty string.",
    recognised:
      'expire_dt must be 14 digits: a valid calendar date and a time from 00:00:00 to 23:59:59; ptn_sp must be Base64 or hexadecimal; acs_token and ptn_cd must not be empty.',
    fix: 'Format dates as yyyyMMddHHmmss (HH, not hh), and encode ciphertext in Base64.',
    calls: {
      java: 'DateTimeFormatter.ofPattern("yyyyMMddHHmmss")',
      kotlin: 'DateTimeFormatter.ofPattern("yyyyMMddHHmmss")',
      node: "when.toISOString().replace(/\\D/g, '').slice(0, 14)",
      python: 'when.strftime("%Y%m%d%H%M%S")',
      php: "date('YmdHis', $when)",
      go: 'when.Format("20060102150405")',
      csharp: 'when.ToString("yyyyMMddHHmmss", CultureInfo.InvariantCulture)',
      ruby: "expires_at.strftime('%Y%m%d%H%M%S')",
    },
    example:
      '"expire_dt": "2026-07-01T12:00:00"; or hour 24, which the pattern kk gives at midnight.',
    section: '2.1',
  },
  'passcode-mismatch': {
    title: "The passcode doesn't match the stored one",
    meaning:
      "ptn_sp decrypts with the user's key, but to a different Super Passcode than partner_sp at registration: the sign-in must be refused.",
    recognised: 'Both are decrypted and compared byte by byte, in constant time.',
    fix: "Check whether the user has registered again since, whether partner_sp was stored decrypted and in full (column length, charset, trimmed spaces), and whether you read this user's row.",
    calls: comparesPasscode,
    example: 'The passcode was stored in a column of 16 characters and truncated.',
    section: '4.2.2',
  },
  'other-user': {
    title: 'The response is about another user',
    meaning: 'The service returned a different ptn_cd than the user who is signing in.',
    recognised: 'result.ptn_cd in the token response differs from the requested user.',
    fix: 'Sign in the user that the service returns, never the one that the browser names. Check whether a ptn_token from an earlier sign-in was reused.',
    example: 'The page of user A sends the ptn_token that user B left in local storage.',
    section: '4.2.1',
  },
  'accepted-bad-input': {
    title: 'A wrong request was answered with success',
    meaning:
      'The request couldn\'t be carried out, but the response was "0000": the caller believes that it succeeded.',
    recognised:
      'The unmodified request is accepted in the same run; with one malformed field it must be refused with another code.',
    fix: 'Validate each field before storing anything, and respond with your own code and a message that names the field.',
    calls: refuseCalls,
    example: 'A handler that catches every exception and then responds {"code":"0000"}.',
    section: '4.1',
  },
  'accepted-bad-answer': {
    title: 'A user was signed in although the service did not confirm it',
    meaning:
      'The service responded with a code other than "0000", sent something that isn\'t a valid response, or didn\'t respond, but the application signed the user in: anyone who can disrupt the connection can sign in.',
    recognised:
      'The emulated service deliberately sends a wrong response to one sign-in; the application must refuse it. It accepted a correct one in the same run.',
    fix: 'Sign in only where code is the string "0000", every field of result is present, and ptn_sp decrypts to the stored passcode. Refuse by default: on every exception, missing field or other code.',
    calls: comparesCode,
    example: 'if (answer.result) signIn(): a refusal with a result is taken for success.',
    section: '4.2.2',
  },
  'goes-on-after-failure': {
    title: 'The sign-in went on after a token request that failed',
    meaning:
      'The token request was refused or got no valid response, but the application sent an authenticate request all the same, with secret_key and an acs_token that was not issued to this sign-in. No user was signed in by it.',
    recognised: 'The emulated service fails a token request; an authenticate request follows.',
    fix: 'End the sign-in when the token request fails: without an acs_token there is nothing to authenticate with, and secret_key is not sent without need.',
    calls: comparesCode,
    example: 'A catch that only logs, and an authenticate request behind it.',
    section: '4.2.1',
  },
  'shared-state': {
    title: 'Users are mixed up with one another',
    meaning:
      "Data of one user is used for another: a passcode can be decrypted with another user's key, or overwritten.",
    recognised:
      'Sign-ups that are interleaved or simultaneous, or whose user codes differ only in case or in non-ASCII characters, affect each other.',
    fix: 'Store the key under the full ptn_cd, compared exactly, not in a field of the handler, a session or a global variable.',
    calls: storeCalls,
    example:
      'private String userKey; in a Spring @RestController, a singleton shared by all requests.',
    section: '4.1.1',
  },
  'stale-key': {
    title: 'An older key of the user is still in use',
    meaning:
      "After a second key exchange only the new key is valid; the application can't decrypt payloads encrypted with it.",
    recognised:
      'One user exchanges two keys; a registration with the second is refused, or one with the first is accepted.',
    fix: 'Replace the stored key on each key exchange, before sending the response, and invalidate cached copies.',
    calls: storeCalls,
    example: 'INSERT … ON CONFLICT DO NOTHING keeps the first key and returns the second.',
    section: '4.1.1',
  },
  'never-decrypts': {
    title: 'The passcode is accepted without being decrypted',
    meaning:
      'Every partner_sp gets the response "0000". The sign-in, which has to decrypt and compare it, will fail, or never compare it.',
    recognised:
      'A partner_sp that can\'t decrypt with the stored key (bad padding or tag) gets the response "0000", and so does a correct one.',
    fix: "Decrypt partner_sp in the registration callback with the key of that ptn_cd, store the result, and refuse what can't be decrypted.",
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
    example: 'The callback stores partner_sp as received and never decrypts it.',
    section: '4.1.2',
  },
};
