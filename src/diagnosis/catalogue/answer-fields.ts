import { answerCalls, nameCalls } from '../answer-calls.ts';
import type { CataloguePart } from '../catalogue-entry.ts';

const right = '{"code":"0000","message":"","result":{"enc_partner_key":"…"}}';

/** What is known of answers whose fields are wrong. */
export const fieldCatalogue: CataloguePart<
  | 'code-not-success'
  | 'code-not-string'
  | 'message-missing'
  | 'result-missing'
  | 'field-missing'
  | 'field-type'
  | 'field-misplaced'
  | 'field-malformed'
> = {
  'code-not-success': {
    title: 'The answer refuses: its code is not "0000"',
    meaning:
      'Only the string "0000" means success; any other code is a refusal, and its result is not used.',
    recognised:
      'code is a string other than "0000"; the message tells it, and the message beside it.',
    mend: 'Read the message and the log of the other side. If this was meant as success, answer "0000": not "0", "200" or "OK".',
    calls: answerCalls,
    example: '{"code":"200","message":"success"} is a refusal.',
    section: '7',
  },
  'code-not-string': {
    title: 'code is not a string',
    meaning:
      'The interface has code as a string. As a number 0000 becomes 0, or breaks the JSON: numbers have no leading zeros.',
    recognised: 'code stands there as a number, null, a boolean or an object.',
    mend: 'Give code the type of a string, up to the serialiser.',
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
    title: 'The answer has no message',
    meaning:
      'Every response carries code and message; the message may be empty, and must be there.',
    recognised: 'The JSON object has no field message; one with a near name, such as msg, is told.',
    mend: 'Send "message": "" where there is nothing to say, and in answers that refuse the reason.',
    calls: answerCalls,
    example:
      '{"code":"0000","result":{…}}; also @JsonInclude(NON_EMPTY), which drops an empty message.',
    section: '7',
  },
  'result-missing': {
    title: 'The answer has no result',
    meaning: 'code "0000" promises a payload in result, and there is none to use.',
    recognised: 'result is absent or null, and its fields stand nowhere else in the answer.',
    mend: 'Put the fields of the answer into an object named result.',
    calls: answerCalls,
    example: `{"code":"0000","message":""} to a key exchange; right is ${right}.`,
    section: '4.1.1',
  },
  'field-missing': {
    title: 'A field is missing from the answer',
    meaning: 'The interface demands the field, and it stands neither at its place nor elsewhere.',
    recognised: 'The message tells the field, and the names that are there instead.',
    mend: 'Send the field. If the code sets it, look whether its value is null and the serialiser leaves null out, or whether the property has no getter.',
    calls: answerCalls,
    example: 'A Java class without getters and without @JsonProperty serialises to {}.',
    section: '4',
  },
  'field-type': {
    title: 'A field has the wrong type',
    meaning:
      'The interface has strings, and result as an object; a strict reader refuses anything else.',
    recognised:
      'The field stands at its place as another type of JSON; a string that holds JSON is told.',
    mend: 'Strings in quotation marks, bytes as Base64, objects as objects: serialise once, at the end.',
    calls: {
      java: 'Base64.getEncoder().encodeToString(wrapped)',
      kotlin: 'Base64.getEncoder().encodeToString(wrapped)',
      node: 'wrapped.toString(\'base64\') // a Buffer alone becomes {"type":"Buffer","data":[…]}',
      python: 'base64.b64encode(wrapped).decode("ascii")',
      php: 'base64_encode($wrapped)',
      go: 'base64.StdEncoding.EncodeToString(wrapped)',
      csharp: 'Convert.ToBase64String(wrapped)',
      ruby: 'Base64.strict_encode64(wrapped)',
    },
    example:
      '"result": "{\\"enc_partner_key\\":\\"…\\"}": the inner object was made a string first.',
    section: '2.1',
  },
  'field-misplaced': {
    title: 'A field has another name, or stands at another level',
    meaning:
      'The value is there, and no reader finds it: names are exact, and result is an object of its own.',
    recognised:
      'The field is absent at its place, and its name, or one that differs in case, underscores or a letter or two, stands elsewhere; the message tells where.',
    mend: 'Use the names of the interface on the wire, whatever the code calls them, and put them at their level.',
    calls: nameCalls,
    example: `{"code":"0000","message":"","encPartnerKey":"…"}; right is ${right}.`,
    section: '4.1.1',
  },
  'field-malformed': {
    title: "A field holds what it can't mean",
    meaning:
      'The type is right and the content is not: a date that is none, Base64 that is none, nothing at all.',
    recognised:
      'expire_dt must be 14 digits that are a date of the calendar and a time from 00:00:00 to 23:59:59; ptn_sp must be Base64 or hexadecimal; acs_token and ptn_cd must not be empty.',
    mend: 'Format dates as yyyyMMddHHmmss (HH, not hh), and encode ciphertext in Base64.',
    calls: {
      java: 'DateTimeFormatter.ofPattern("yyyyMMddHHmmss")',
      kotlin: 'DateTimeFormatter.ofPattern("yyyyMMddHHmmss")',
      node: "when.toISOString().replace(/\\D/g, '').slice(0, 14)",
      python: 'when.strftime("%Y%m%d%H%M%S")',
      php: "date('YmdHis', $when)",
      go: 'when.Format("20060102150405")',
      csharp: 'when.ToString("yyyyMMddHHmmss", CultureInfo.InvariantCulture)',
      ruby: "when.strftime('%Y%m%d%H%M%S')",
    },
    example:
      '"expire_dt": "2026-07-01T12:00:00"; or hour 24, which the pattern kk writes at midnight.',
    section: '2.1',
  },
};
