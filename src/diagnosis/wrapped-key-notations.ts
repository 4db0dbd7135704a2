import type { Diagnosis } from '../errors.ts';
import { diagnoseWrap } from './wrapped-key-words.ts';

/** One layer of an `enc_partner_key`, and what is left without it. */
export interface Layer {
  readonly content: string | Uint8Array;
  /** What is wrong with the layer; absent where it is Base64 as it should be. */
  readonly diagnosis?: Diagnosis;
  /** Where more than one thing is. */
  readonly diagnoses?: readonly Diagnosis[];
  readonly notes?: readonly string[];
  readonly isBase64?: boolean;
  readonly isHex?: boolean;
  /** Whether nothing can be read of what was encoded. */
  readonly lost?: boolean;
}

/** Takes off a layer that is not Base64: quotes, JSON, escapes, percent encoding, numbers, hexadecimal. */
export function peelNotation(text: string): Layer | undefined {
  return (
    peelByteArray(text) ??
    peelQuotes(text) ??
    peelEscapes(text) ??
    peelPercent(text) ??
    peelDecimal(text) ??
    peelHex(text)
  );
}

/** The lengths of decimal numbers that RSA of 344 to 16384 bits gives. */
const shortestDecimal = 90;

function peelQuotes(text: string): Layer | undefined {
  const value = /^["{]/.test(text) ? parseJson(text) : undefined;
  if (typeof value === 'string')
    return quoted(value, 'is a JSON string once more, with its quotation marks inside the field');
  const field = encPartnerKeyOf(value);
  if (field !== undefined) return quoted(field, 'holds the whole JSON object as a text');
  const python = /^b(['"])([^'"]*)\1$/.exec(text);
  if (python?.[2] !== undefined)
    return quoted(python[2], "is Python's notation for bytes, b'…': decode() is missing");
  const plain = /^\\?(["'`])([^"'`]*?)\\?\1$/.exec(text);
  if (plain?.[2] !== undefined) return quoted(plain[2], 'has quotation marks inside the field');
  return undefined;
}

function quoted(content: string, what: string): Layer {
  return { content, diagnosis: diagnoseWrap('json-quoted', `enc_partner_key ${what}.`) };
}

function encPartnerKeyOf(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const result: unknown = Reflect.get(value, 'result');
  const holder = typeof result === 'object' && result !== null ? result : value;
  const field: unknown = Reflect.get(holder, 'enc_partner_key');
  return typeof field === 'string' ? field : undefined;
}

/** Escapes that a JSON writer put in and nobody read: `\/`, `\u002b`; or line ends written as `\n`. */
function peelEscapes(text: string): Layer | undefined {
  if (!/\\(?:[/NRTnrt"]|[Uu]00[0-9A-Fa-f]{2})/.test(text)) return undefined;
  const content = text
    .replace(/\\u(00[0-9a-f]{2})/gi, (_, code) => String.fromCharCode(Number.parseInt(code, 16)))
    .replace(/\\[nrt]/g, '')
    .replace(/\\([/"])/g, '$1');
  const diagnosis = /\\[nr]/.test(text)
    ? diagnoseWrap('line-breaks', 'enc_partner_key has line breaks inside, written as \\n.')
    : diagnoseWrap(
        'json-quoted',
        'enc_partner_key has the escapes of JSON in it (such as \\/): it was written as JSON twice.',
      );
  return { content, diagnosis };
}

function peelPercent(text: string): Layer | undefined {
  if (!/%(?:2[BFbf]|3[Dd]|0[ADad]|20)/.test(text)) return undefined;
  try {
    const content = decodeURIComponent(text);
    const message =
      'enc_partner_key is percent-encoded, as for a URL (%2B, %2F, %3D): JSON needs no such encoding.';
    return { content, diagnosis: diagnoseWrap('not-base64', message) };
  } catch {
    return undefined;
  }
}

/** What BigInteger.toString() and its like print. */
function peelDecimal(text: string): Layer | undefined {
  if (text.length < shortestDecimal || text.length > 5000 || !/^\d+$/.test(text)) return undefined;
  const digits = BigInt(text).toString(16);
  const content = Buffer.from(digits.padStart(digits.length + (digits.length % 2), '0'), 'hex');
  const message = `enc_partner_key is a decimal number of ${text.length} digits, not Base64 of the bytes.`;
  return { content, diagnosis: diagnoseWrap('not-base64', message) };
}

function peelHex(text: string): Layer | undefined {
  const digits = text.replace(/^0[Xx]/, '').replace(/[\s:]+/g, '');
  if (digits.length < 20 || !/^[0-9a-fA-F]+$/.test(digits)) return undefined;
  const isOdd = digits.length % 2 === 1;
  const content = Buffer.from(isOdd ? `0${digits}` : digits, 'hex');
  const message = `The ciphertext is written as ${digits.length} hexadecimal digits, not as Base64${isOdd ? ', and a leading zero is missing' : ''}.`;
  return { content, isHex: true, diagnosis: diagnoseWrap('hex', message) };
}

/** `[12, -7, …]`, Node's `{"type":"Buffer","data":[…]}`, or numbers with commas. */
function peelByteArray(text: string): Layer | undefined {
  const json = /^[[{]/.test(text) ? text : /^-?\d{1,3}, ?-?\d/.test(text) ? `[${text}]` : undefined;
  if (json === undefined) return undefined;
  const value = parseJson(json);
  const list: unknown =
    typeof value === 'object' && value !== null && 'data' in value ? value.data : value;
  if (!Array.isArray(list) || list.length < 32 || !list.every(isByte)) return undefined;
  const message = `enc_partner_key is a list of ${list.length} numbers, one for each byte, not Base64.`;
  return { content: Uint8Array.from(list), diagnosis: diagnoseWrap('not-base64', message) };
}

function isByte(value: unknown): boolean {
  return Number.isInteger(value) && Number(value) >= -128 && Number(value) <= 255;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
