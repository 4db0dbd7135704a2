import { ownProperty } from '../text.ts';
import { isJsonObject, type JsonObject, parseJsonText, textIn } from './json.ts';

/** The fields of the interface that are encrypted with the per-user key (2.1). */
export const payloadFields = ['partner_sp', 'ubifill', 'ptn_sp'] as const;

export type PayloadField = (typeof payloadFields)[number];

/** What each contains, by which similar plaintexts are distinguished. */
export const payloadKinds = {
  partner_sp: 'passcode',
  ubifill: 'user-info',
  ptn_sp: 'passcode',
} as const satisfies Readonly<Record<PayloadField, string>>;

/*
 * Users paste what is in their log: a whole body where a field of it is asked for.
 */

/** The encrypted fields of a whole body, and whose they are. */
export interface PayloadsInBody {
  readonly payloads: Readonly<Partial<Record<PayloadField, string>>>;
  readonly ptnCd?: string;
}

/** The encrypted fields in a text that is a whole request or response; undefined for any other text. */
export function payloadsInBody(text: string): PayloadsInBody | undefined {
  const root = objectIn(text);
  if (root === undefined) return undefined;
  const textAt = (name: string) => textIn(root, name) ?? textIn(ownProperty(root, 'result'), name);
  const found = payloadFields.flatMap((field) => {
    const payload = textAt(field);
    return payload === undefined ? [] : [[field, payload] as const];
  });
  if (found.length === 0) return undefined;
  const ptnCd = textAt('ptn_cd');
  return { payloads: Object.fromEntries(found), ...(ptnCd !== undefined && { ptnCd }) };
}

/** Whether a text is a whole response to the key exchange (4.1.1), right or wrong. */
export function isKeyExchangeResponse(text: string): boolean {
  const root = objectIn(text);
  const names = ['code', 'result', 'enc_partner_key'];
  return root !== undefined && names.some((name) => ownProperty(root, name) !== undefined);
}

function objectIn(text: string): JsonObject | undefined {
  const trimmed = text.replace(/^\ufeff/, '').trim();
  const value = trimmed.startsWith('{') ? parseJsonText(trimmed) : undefined;
  return isJsonObject(value) ? value : undefined;
}
