import { isJsonObject, type JsonObject } from '../../protocol/json.ts';
import { successCode } from '../../protocol/response.ts';

/** Fields whose values loggers hide or shorten. */
const maskable: readonly string[] = [
  ...['client_id', 'ptn_cd', 'public_key', 'partner_sp', 'ubifill', 'secret_key'],
  ...['ptn_token', 'acs_token', 'enc_partner_key', 'ptn_sp', 'expire_dt'],
];

/** Signs that replace characters, an ellipsis where the rest was cut off, and what is said in place of a value. */
const mask =
  /\*{3}|[•●█]{3}|…|\.{3}|^[x#-]{3,}$|^[[<({].*[\])}>]$|^\W*(?:redacted|filtered|masked|hidden|removed|omitted|scrubbed|suppressed)\W*$|\btruncated\b/i;

/** A body without the values that a logger masked or cut, and the fields that had them. */
export interface Unmasked {
  readonly fields: JsonObject;
  readonly masked: readonly string[];
}

/** Leaves out what was masked or cut: it is unknown, not wrong. */
export function withoutMasked(body: JsonObject): Unmasked {
  const { result } = body;
  // null is a right value beside a refusal
  const hidesAsNull = !('code' in body) || body.code === successCode;
  const masked: string[] = [];
  const keep = (object: JsonObject): JsonObject =>
    Object.fromEntries(
      Object.entries(object).filter(([name, value]) => {
        const isMasked = maskable.includes(name) && hides(value, hidesAsNull);
        if (isMasked) masked.push(name);
        return !isMasked;
      }),
    );
  const fields = { ...keep(body), ...(isJsonObject(result) && { result: keep(result) }) };
  return { fields, masked };
}

function hides(value: unknown, hidesAsNull: boolean): boolean {
  return typeof value === 'string' ? mask.test(value) : value === null && hidesAsNull;
}
