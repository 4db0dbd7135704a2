import { peelBase64 } from './base64-layer.ts';
import { parseJson, readJwk } from './jwk.ts';

/** What is left of a text when one wrapping is taken off. */
export interface Peeled {
  readonly content: string | Uint8Array;
  /** Absent where the wrapping is no encoding of bytes, such as quotes. */
  readonly encoding?: 'base64' | 'base64url' | 'hex';
  readonly notes: readonly string[];
}

/**
 * Takes the outermost wrapping off a text that isn't yet a key: quotes and JSON, escapes, percent
 * encoding, a form field, hexadecimal, Base64. Undefined where there is none.
 */
export function peel(text: string): Peeled | undefined {
  return (
    peelJson(text) ??
    peelQuotes(text) ??
    peelEscapes(text) ??
    peelPercent(text) ??
    peelField(text) ??
    peelHex(text) ??
    peelBase64(text)
  );
}

/** The fields in which services and applications send a public key; the interface's own is the first (4.1.1). */
const keyFields = ['public_key', 'publicKey', 'pubkey', 'public-key', 'key'];

function peelJson(text: string): Peeled | undefined {
  if (!/^[{["]/.test(text)) return undefined;
  const value = parseJson(text);
  if (typeof value === 'string') return { content: value, notes: ['it stands in quotes, as JSON'] };
  if (typeof value !== 'object' || value === null || readJwk(value) !== undefined) return undefined;
  for (const name of keyFields) {
    const field: unknown = Reflect.get(value, name);
    if (typeof field === 'string')
      return { content: field, notes: [`it is the field "${name}" of JSON`] };
    if (name !== 'key' && readJwk(field) !== undefined) {
      return { content: JSON.stringify(field), notes: [`it is the field "${name}" of JSON`] };
    }
  }
  return undefined;
}

function peelQuotes(text: string): Peeled | undefined {
  const quoted = /^(["'`])([^"'`]+)\1[,;]?$/.exec(text) ?? /^(["'])([^"']+)[,;]?$/.exec(text);
  return quoted?.[2] === undefined
    ? undefined
    : { content: quoted[2], notes: ['it stands in quotes'] };
}

/** Escapes of JSON and of environment files that nobody has read: `\/`, `\n`, `\u002b`. */
function peelEscapes(text: string): Peeled | undefined {
  if (!/\\(?:[/nrt"\\]|u00[0-9a-f]{2})/i.test(text)) return undefined;
  const content = text.replace(/\\(?:([/nrt"\\])|u(00[0-9a-f]{2}))/gi, (_, letter, code) =>
    code === undefined
      ? (controlEscapes[letter] ?? letter)
      : String.fromCharCode(Number.parseInt(code, 16)),
  );
  return {
    content,
    notes: ['its escapes (such as \\/ or \\n) are still in it: read it as JSON first'],
  };
}

const controlEscapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' };

function peelPercent(text: string): Peeled | undefined {
  if (!/%(?:2[bBfF]|3[dD]|0[aAdD]|20|22|7[bB]|2[dD])/.test(text)) return undefined;
  try {
    const content = decodeURIComponent(text);
    return { content, notes: ['it is percent-encoded, as in a URL or a form'] };
  } catch {
    return undefined;
  }
}

function peelField(text: string): Peeled | undefined {
  const field = /^(?:export )?(public_?key|pubkey|PUBLIC_?KEY)["']? {0,4}[=:] {0,4}/.exec(text);
  if (field === null) return undefined;
  return {
    content: text.slice(field[0].length),
    notes: [`the name "${field[1]}" stands before it`],
  };
}

function peelHex(text: string): Peeled | undefined {
  const digits = text.replace(/^0x/i, '').replace(/[\s:]+/g, '');
  if (digits.length < 2 || digits.length % 2 !== 0 || !/^[0-9a-fA-F]+$/.test(digits))
    return undefined;
  return {
    content: Buffer.from(digits, 'hex'),
    encoding: 'hex',
    notes: ['it is hexadecimal, not Base64'],
  };
}
