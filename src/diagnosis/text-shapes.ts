/** What a plaintext may look like. */
export type Shape =
  | 'digits'
  | 'uuid'
  | 'hexadecimal'
  | 'alphanumeric'
  | 'base64'
  | 'ascii'
  | 'text'
  | 'email'
  | 'phone'
  | 'list'
  | 'form'
  | 'json'
  | 'xml';

/** What a payload is meant to be: `partner_sp`, `ptn_sp`, or `ubifill`. */
export type ShapeKind = 'passcode' | 'user-info';

/** What a text costs as one shape, in bits. */
interface ShapeBits {
  readonly shape: Shape;
  readonly bits: number;
}

/** Strings of characters that are all equally likely: what a passcode generator makes. */
interface RandomShape {
  readonly shape: Shape;
  readonly pattern: RegExp;
  readonly symbols: number;
  /** -log2 of the share of plaintexts that look so, before the text is seen. */
  readonly prior: number;
}

const randomShapes: readonly RandomShape[] = [
  { shape: 'digits', pattern: /^[0-9]+$/, symbols: 10, prior: 2.5 },
  { shape: 'hexadecimal', pattern: /^[0-9a-f]+$/, symbols: 16, prior: 4 },
  { shape: 'hexadecimal', pattern: /^[0-9A-F]+$/, symbols: 16, prior: 5 },
  { shape: 'alphanumeric', pattern: /^[0-9a-z]+$/, symbols: 36, prior: 4.5 },
  { shape: 'alphanumeric', pattern: /^[0-9A-Z]+$/, symbols: 36, prior: 4.5 },
  { shape: 'alphanumeric', pattern: /^[0-9A-Za-z]+$/, symbols: 62, prior: 3 },
  { shape: 'base64', pattern: /^[0-9A-Za-z+/]+={0,2}$/, symbols: 65, prior: 4 },
  { shape: 'base64', pattern: /^[0-9A-Za-z_-]+={0,2}$/, symbols: 65, prior: 5 },
  { shape: 'ascii', pattern: /^[ -~]+$/, symbols: 95, prior: 3 },
];

const uuid = /^[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$/;

/** Texts with a form that a text by chance hardly has. */
interface FormedShape {
  readonly shape: Shape;
  readonly fits: (text: string) => boolean;
  /** At least so many bits rarer is the form among texts; generous by half. */
  readonly gain: number;
}

/** The lengths are those of RFC 5321 4.5.3.1, and keep the search linear. */
const email = /[\w.%+-]{1,64}(?:@|%40)[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63})+/;

const formedShapes: readonly FormedShape[] = [
  { shape: 'json', fits: isJson, gain: 14 },
  {
    shape: 'xml',
    fits: (text) => /^\s*<[A-Za-z?][^<>]*>.*<\/[A-Za-z][^<>]*>\s*$/s.test(text),
    gain: 14,
  },
  {
    shape: 'form',
    fits: (text) => /^[\w.[\]%+-]+=[^&=\s]*(?:&[\w.[\]%+-]+=[^&=\s]*)+$/.test(text),
    gain: 12,
  },
  { shape: 'list', fits: isList, gain: 10 },
  { shape: 'email', fits: (text) => new RegExp(`^${email.source}$`).test(text), gain: 8 },
  { shape: 'phone', fits: (text) => /^\+?[0-9][0-9 ()-]{6,18}[0-9]$/.test(text), gain: 8 },
];

const passcodeShapes: ReadonlySet<Shape> = new Set([
  'digits',
  'uuid',
  'hexadecimal',
  'alphanumeric',
  'base64',
  'ascii',
]);

/** A shape of the other kind than expected costs so much more. */
const unexpectedBits = 2;

/**
 * Every shape that a printable text fits, with its cost in bits.
 *
 * @param texts the text's cost as plain text, mostly ASCII or in another script
 * @param isWhole whether the text isn't the head of a longer one
 */
export function shapesOf(
  text: string,
  texts: { readonly ascii: number; readonly script: number },
  { isWhole, kind }: { readonly isWhole: boolean; readonly kind?: ShapeKind | undefined },
): ShapeBits[] {
  const plain = Math.min(texts.ascii + 2, texts.script + 2);
  const found: ShapeBits[] = [{ shape: 'text', bits: plain }];
  for (const { shape, pattern, symbols, prior } of randomShapes) {
    if (pattern.test(text)) found.push({ shape, bits: prior + text.length * Math.log2(symbols) });
  }
  if (uuid.test(text)) found.push({ shape: 'uuid', bits: 5 + 32 * 4 });
  if (isWhole) {
    const formed = formedShapes.filter(({ fits }) => fits(text));
    found.push(...formed.map(({ shape, gain }) => ({ shape, bits: plain - gain })));
  }
  return found.map(({ shape, bits }) => ({ shape, bits: bits + surprise(shape, kind) }));
}

function surprise(shape: Shape, kind: ShapeKind | undefined): number {
  if (kind === undefined || shape === 'text') return 0;
  return passcodeShapes.has(shape) === (kind === 'passcode') ? 0 : unexpectedBits;
}

/** A JSON object or array; a number or string alone is no form that chance would not have. */
function isJson(text: string): boolean {
  if (!/^\s*[[{]/.test(text) || !/[\]}]\s*$/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Fields between separators, one of them an address: `name|kim@example.com|010…`. */
function isList(text: string): boolean {
  return /[|,;\t\n^~]/.test(text) && email.test(text);
}
