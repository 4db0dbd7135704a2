import { decodeBase64Strict, decodeFile, utf16Of } from '../bytes.ts';
import { hasControls } from '../text.ts';

/*
 * The wrappings that texts collect on their way: JSON, quotes, escapes, percent encoding, numbers,
 * hexadecimal, Base64. What is found is facts; what it means, and where to stop, is the caller's.
 */

/** One wrapping that came off, and what was in it. */
export type Layer =
  | { readonly layer: 'input'; readonly content: string | Uint8Array }
  /** The text that the bytes of the layer before are. */
  | { readonly layer: 'text'; readonly content: string; readonly isUtf16: boolean }
  /** Of a JSON object; or a line of an environment file or of YAML. */
  | { readonly layer: 'field' | 'assignment'; readonly content: string; readonly name: string }
  | QuotesLayer
  | EscapesLayer
  | { readonly layer: 'percent'; readonly content: string }
  /** Numbers, one for each byte; or one decimal number. */
  | { readonly layer: 'list' | 'decimal'; readonly content: Uint8Array }
  | HexLayer
  | Base64Layer;

export interface Peeling {
  /** The fields of JSON that may contain the text, at the top or in `result`. */
  readonly fields: readonly string[];
  /** Whether bytes are what is looked for: spaces are read as `+` only where they are then, and otherwise not. */
  readonly isExpected: (bytes: Uint8Array) => boolean;
  /** Whether a text is words and no Base64, although it has no other characters; `bytes` are without its spaces. */
  readonly isProse: (text: string, bytes: Uint8Array) => boolean;
}

const mostLayers = 8;

/** Takes wrappings off, the outermost first, until nothing comes off or the caller has what it looks for. */
export function* peel(input: string | Uint8Array, peeling: Peeling): Generator<Layer> {
  let layer: Layer | undefined = { layer: 'input', content: input };
  for (let peeled = 0; layer !== undefined && peeled <= mostLayers; peeled += 1) {
    yield layer;
    let { content }: Layer = layer;
    if (typeof content !== 'string') {
      const text = plainTextIn(content);
      if (text === undefined) return;
      yield { layer: 'text', content: text, isUtf16: utf16Of(content) !== undefined };
      content = text;
    }
    layer = outermost(content, peeling);
    if (typeof layer?.content === 'string')
      layer = { ...layer, content: layer.content.trim() } as Layer;
  }
}

/** UTF-8 or UTF-16 without control characters. */
function plainTextIn(bytes: Uint8Array): string | undefined {
  const text = decodeFile(bytes)?.trim();
  return text === undefined || hasControls(text.replace(/[\t\n\r]/g, '')) ? undefined : text;
}

function outermost(text: string, peeling: Peeling): Layer | undefined {
  return (
    peelJson(text, peeling.fields) ??
    peelQuotes(text) ??
    peelEscapes(text) ??
    peelPercent(text) ??
    peelAssignment(text) ??
    peelDecimal(text) ??
    peelHex(text) ??
    peelBase64(text, peeling)
  );
}

/** A list of bytes, also without brackets or as Node's `{"type":"Buffer","data":[…]}`; or one of the fields. */
function peelJson(text: string, fields: readonly string[]): Layer | undefined {
  const isBare = /^-?\d{1,3}, ?-?\d/.test(text);
  if (!isBare && !/^[[{]/.test(text)) return undefined;
  const value = parseJson(isBare ? `[${text}]` : text) as Readonly<Record<string, unknown>> | null;
  if (typeof value !== 'object' || value === null) return undefined;
  const list = Array.isArray(value) ? value : value.data;
  if (Array.isArray(list) && list.length >= 32 && list.every(isByte)) {
    return { layer: 'list', content: Uint8Array.from(list) };
  }
  const { result } = value;
  const holder = typeof result === 'object' && result !== null ? result : value;
  for (const name of fields) {
    const content: unknown = Reflect.get(holder, name);
    if (typeof content === 'string') return { layer: 'field', content, name };
  }
  return undefined;
}

function isByte(value: unknown): boolean {
  return Number.isInteger(value) && Number(value) >= -128 && Number(value) <= 255;
}

interface QuotesLayer {
  readonly layer: 'quotes';
  readonly content: string;
  /** A JSON string, Python's `b'…'`, or marks alone; `unbalanced` has one at its beginning only. */
  readonly style: 'json' | 'python-bytes' | 'marks' | 'unbalanced';
}

/** Takes off quotation marks; a comma or semicolon behind them goes too. */
export function peelQuotes(text: string): QuotesLayer | undefined {
  const value = text.startsWith('"') ? parseJson(text) : undefined;
  if (typeof value === 'string') return { layer: 'quotes', content: value, style: 'json' };
  const [, bytes, mark, content] = /^(b?)\\?(["'`])([^"'`]*?)\\?\2[,;]?$/.exec(text) ?? [];
  if (content !== undefined && (bytes === '' || mark !== '`')) {
    return { layer: 'quotes', content, style: bytes === '' ? 'marks' : 'python-bytes' };
  }
  const rest = /^["']([^"']+?)[,;]?$/.exec(text)?.[1];
  return rest === undefined ? undefined : { layer: 'quotes', content: rest, style: 'unbalanced' };
}

interface EscapesLayer {
  readonly layer: 'escapes';
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
  return { layer: 'escapes', content, hasLineEnds: /\\[nr]/.test(text) };
}

const controlEscapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' };

/** Decodes percent encoding (RFC 3986 2.1), where one of the characters that keys and JSON need is encoded. */
export function peelPercent(text: string) {
  if (!/%(?:2[bBfFdD]|3[dD]|0[aAdD]|2[02]|7[bB])/.test(text)) return undefined;
  try {
    return { layer: 'percent', content: decodeURIComponent(text) } as const;
  } catch {
    return undefined;
  }
}

function peelAssignment(text: string): Layer | undefined {
  const line = /^(?:export )?(public_?key|pubkey|PUBLIC_?KEY)["']? {0,4}[=:] {0,4}/.exec(text);
  if (line === null) return undefined;
  return { layer: 'assignment', content: text.slice(line[0].length), name: line[1] ?? '' };
}

/** What BigInteger.toString() and its like print of RSA with 344 to 16384 bits. */
function peelDecimal(text: string): Layer | undefined {
  const hex = /^\d{90,5000}$/.test(text) ? peelHex(BigInt(text).toString(16)) : undefined;
  return hex && { layer: 'decimal', content: hex.content };
}

interface HexLayer {
  readonly layer: 'hex';
  readonly content: Uint8Array;
  /** An odd number lacks its first zero. */
  readonly digits: number;
}

/** Fewer digits are a word or a number more often than bytes. */
const shortestHex = 20;

/** Decodes hexadecimal: `0x` before it, white space and colons inside. */
function peelHex(text: string): HexLayer | undefined {
  const digits = text.replace(/^0x/i, '').replace(/[\s:]+/g, '');
  if (digits.length < shortestHex || !/^[0-9a-fA-F]+$/.test(digits)) return undefined;
  const even = digits.length % 2 === 0 ? digits : `0${digits}`;
  return { layer: 'hex', content: Buffer.from(even, 'hex'), digits: digits.length };
}

/** Where a text departs from RFC 4648 section 4, and its bytes. */
export interface Base64Layer {
  readonly layer: 'base64';
  readonly content: Uint8Array;
  readonly isUrl: boolean;
  /** White space inside: left out, or read as the `+` that a form decoder turned into it. */
  readonly whiteSpace?: 'left-out' | 'plus';
  /** How many `=` are at the end, and how many belong there; undefined for an impossible number of digits. */
  readonly padding: { readonly present: number; readonly wanted: number | undefined };
  /** Whether there is a `=` before the end, where strict readers stop. */
  readonly hasInnerPadding: boolean;
}

/** Decodes Base64 and Base64url as lenient readers do. */
function peelBase64(text: string, { isExpected, isProse }: Peeling): Base64Layer | undefined {
  const strict = decodeBase64Strict(text);
  if (strict !== undefined && strict.length > 0) return { content: strict, ...exact };
  if (!/^[A-Za-z0-9+/_=\s-]+$/.test(text) || !/[^=\s]/.test(text)) return undefined;
  const joined = text.replace(/\s+/g, '');
  const withPlus = text.replaceAll(' ', '+').replace(/\s+/g, '');
  const isPlus = text.includes(' ') && isExpected(decode(withPlus)) && !isExpected(decode(joined));
  if (!isPlus && joined !== text && isProse(text, decode(joined))) return undefined;
  const digits = isPlus ? withPlus : joined;
  return {
    layer: 'base64',
    content: decode(digits),
    isUrl: /[-_]/.test(digits),
    ...(joined !== text && { whiteSpace: isPlus ? 'plus' : 'left-out' }),
    ...readPadding(digits),
  };
}

const exact = {
  layer: 'base64',
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

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
