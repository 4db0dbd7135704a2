import type { DiagnosisCode } from '../../errors.ts';
import { isJsonObject, type JsonObject } from '../../protocol/json.ts';
import { editSuccess, withField } from './edit.ts';
import type { SigninCall } from './points.ts';
import { defineServiceFaults, type FaultRows, type Hooks, type ServicePoints } from './points.ts';

interface WrongCode {
  /** The end of a sentence that begins with "Responds to a token request with". */
  readonly title: string;
  /** `code-not-success` by default. */
  readonly diagnosis?: DiagnosisCode;
  readonly of: (call: SigninCall) => Hooks<ServicePoints>;
}

/** Whole responses of success but for their `code`. */
const wrongCodes = {
  unknown: { title: 'the code "0001" beside a whole result', of: code('0001') },
  short: { title: 'the code "0"', of: code('0') },
  'two-zeros': { title: 'the code "00"', of: code('00') },
  long: { title: 'the code "00000"', of: code('00000') },
  decimal: { title: 'the code "0000.0"', of: code('0000.0') },
  hexadecimal: { title: 'the code "0x0"', of: code('0x0') },
  'digit-before': { title: 'the code "10000"', of: code('10000') },
  'letter-before': { title: 'the code "x0000"', of: code('x0000') },
  'space-behind': { title: 'the code "0000" and a space', of: code('0000 ') },
  'line-end': { title: 'the code "0000" and a line end', of: code('0000\n') },
  'full-width': { title: 'the code "0000" in full-width digits', of: code('\uff10'.repeat(4)) },
  signed: { title: 'the code "-000"', of: code('-000') },
  'minus-zero': { title: 'the code "-0"', of: code('-0') },
  empty: { title: 'an empty code', of: code('') },
  null: { title: 'a code that is null', diagnosis: 'code-not-string', of: code(null) },
  zero: {
    title: 'the number 0 as code',
    diagnosis: 'code-not-string',
    of: code(0),
  },
  true: { title: 'true as code', diagnosis: 'code-not-string', of: code(true) },
  'in-array': { title: '["0000"] as code', diagnosis: 'code-not-string', of: code(['0000']) },
  'in-object': {
    title: '{"value":"0000"} as code',
    diagnosis: 'code-not-string',
    of: code({ value: '0000' }),
  },
  elsewhere: {
    title: '"0000" in message and result, and no code',
    diagnosis: 'field-misplaced',
    of: (call) => editSuccess(moveCode, call),
  },
  behind: {
    title: '"0000" in result, and then the code "E999"',
    of: (call) => editSuccess(codeBehind, call),
  },
} as const satisfies Readonly<Record<string, WrongCode>>;

type CodeName = keyof typeof wrongCodes;

export const responseCodeFaults = defineServiceFaults({})({
  ...rowsOf('token'),
  ...rowsOf('authenticate'),
});

type Rows<Call extends SigninCall> = FaultRows<
  ServicePoints,
  Record<'check', never>,
  `${Call}-code-${CodeName}`
>;

function rowsOf<Call extends SigninCall>(call: Call): Rows<Call> {
  const entries = Object.entries<WrongCode>(wrongCodes).map(([name, { title, diagnosis, of }]) => [
    `${call}-code-${name}`,
    {
      title: `Responds to ${call} requests with ${title}`,
      diagnosis: diagnosis ?? 'code-not-success',
      apply: of(call),
    },
  ]);
  return Object.fromEntries(entries);
}

function code(value: unknown): WrongCode['of'] {
  return (call) => editSuccess(withField('code', value), call);
}

/** Not to `CODE` as well: the usual parsers of Go and C# don't distinguish names by their case. */
function moveCode({ code: right, message: _, result }: JsonObject): JsonObject {
  const moved = isJsonObject(result) ? { ...result, code: right } : result;
  return { message: right, result: moved };
}

/** Not two members of the same name: parsers keep the first, keep the last or refuse (RFC 8259 section 4). */
function codeBehind({ code: right, message, result }: JsonObject): JsonObject {
  const first = isJsonObject(result) ? { code: right, ...result } : result;
  return { result: first, message, code: 'E999' };
}
