import { decodeBase64Strict } from '../bytes.ts';

/*
 * The wrappings that texts collect on their way: quotes, escapes, percent encoding, hexadecimal,
 * Base64. Each function takes one off and returns what it found as facts; order, limits and words are its
 * caller's. Undefined if the text has no such wrapping.
 */

interface QuotesLayer {
  readonly content: string;
  /** A JSON string, Python's `b'…'`, or marks alone; `unbalanced` has one at its beginning only. */
  readonly style: 'json' | 'python-bytes' | 'marks' | 'unbalanced';
}

/** Takes off quotation marks; a comma or semicolon behind them goes too. */
export function peelQuotes(text: string): QuotesLayer | undefined {
  const value = text.startsWith('"') ? parseJson(text) : undefined;
  if (typeof value === 'string') return { content: value, style: 'json' };
  const [, bytes, mark, content] = /^(b?)\\?(["'`])([^"'`]*?)\\?\2[,;]?$/.exec(text) ?? [];
  if (content !== undefined && (bytes === '' || mark !== '`')) {
    return { content, style: bytes === '' ? 'marks' : 'python-bytes' };
  }
  const unbalanced = /^["']([^"']+?)[,;]?$/.exec(text)?.[1];
  return unbalanced === undefined ? undefined : { content: unbalanced, style: 'unbalanced' };
}

interface EscapesLayer {
  readonly content: string;
  /** Whether line ends were among them: `\n` or `\r`. */
  readonly hasLineEnds: boolean;
}

/** Resolves the escapes of JSON and of environment files that were not read: `\/`, `\n`, `\u002b`. */
export function peelEscapes(text: string): EscapesLayer | undefined {
  if (!/\\(?:[/nrt"\\]|u00[0-9a-f]{2})/i.test(text)) return undefined;
  const content = text.replace(
    /\\(?:([/nrt"\\])|u(00[0-9a-f]{2}))/gi,
    (_, letter: string, code?: string) =>
      code === undefined
        ? (controlEscapes[letter] ?? letter)
        : String.fromCharCode(Number.parseInt(code, 16)),
  );
  return { content, hasLineEnds: /\\[nr]/.test(text) };
}

const controlEscapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' };

/** Decodes percent encoding (RFC 3986 2.1), where one of the characters that keys and JSON need is encoded. */
export function peelPercent(text: string): string | undefined {
  if (!/%(?:2[bBfFdD]|3[dD]|0[aAdD]|2[02]|7[bB])/.test(text)) return undefined;
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** Decodes hexadecimal: `0x` before it, white space and colons inside; an odd number of digits lacks its first zero. */
export function peelHex(text: string): { content: Uint8Array; digits: number } | undefined {
  const digits = text.replace(/^0x/i, '').replace(/[\s:]+/g, '');
  if (!/^[0-9a-fA-F]{2,}$/.test(digits)) return undefined;
  const even = digits.length % 2 === 0 ? digits : `0${digits}`;
  return { content: Buffer.from(even, 'hex'), digits: digits.length };
}

/** Where a text departs from RFC 4648 section 4, and its bytes. */
export interface Base64Layer {
  readonly content: Uint8Array;
  readonly isUrl: boolean;
  /** White space inside: left out, or read as the `+` that a form decoder turned into it. */
  readonly whiteSpace?: 'left-out' | 'plus';
  /** How many `=` are at the end, and how many belong there; undefined for an impossible number of digits. */
  readonly padding: { readonly present: number; readonly wanted: number | undefined };
  /** Whether there is a `=` before the end, where strict readers stop. */
  readonly hasInnerPadding: boolean;
}

/**
 * Decodes Base64 and Base64url as lenient readers do. Spaces are read as `+` only where the bytes
 * are then expected and otherwise not.
 */
export function peelBase64(
  text: string,
  isExpected: (bytes: Uint8Array) => boolean,
): Base64Layer | undefined {
  const strict = decodeBase64Strict(text);
  if (strict !== undefined && strict.length > 0) return { content: strict, ...exact };
  if (!/^[A-Za-z0-9+/_=\s-]+$/.test(text) || !/[^=\s]/.test(text)) return undefined;
  const joined = text.replace(/\s+/g, '');
  const withPlus = text.replaceAll(' ', '+').replace(/\s+/g, '');
  const isPlus = text.includes(' ') && isExpected(decode(withPlus)) && !isExpected(decode(joined));
  const digits = isPlus ? withPlus : joined;
  return {
    content: decode(digits),
    isUrl: /[-_]/.test(digits),
    ...(/\s/.test(text) && { whiteSpace: isPlus ? 'plus' : 'left-out' }),
    ...readPadding(digits),
  };
}

const exact = {
  isUrl: false,
  padding: { present: 0, wanted: 0 },
  hasInnerPadding: false,
} as const;

function readPadding(digits: string): Pick<Base64Layer, 'padding' | 'hasInnerPadding'> {
  const body = digits.replace(/={1,8}$/, '');
  const wanted = body.length % 4 === 1 ? undefined : (4 - (body.length % 4)) % 4;
  return {
    padding: { present: digits.length - body.length, wanted },
    hasInnerPadding: body.includes('='),
  };
}

/** As Node and most lenient readers decode: whatever the digits give. */
function decode(digits: string): Uint8Array {
  return Buffer.from(digits.replaceAll('=', ''), 'base64');
}

/** The value of a JSON text; undefined for any other. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
