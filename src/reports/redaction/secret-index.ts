import { SecretTrie } from './secret-trie.ts';
import { decodedView, plainView, unwrapped } from './view.ts';

/** Secrets with fewer characters are hidden only as a whole word: "1234" is not a part of port 12345. */
const standsAloneBelow = 6;

/** A longer secret is found in pieces: any of them is too much to show. */
const pieceUnits = 32;

/** How often a text is decoded: `%252B` takes two. */
export const maxLevels = 5;

/** Secrets, ready to be found; it grows by one secret at a time. */
export class SecretIndex {
  readonly #known = new Set<string>();
  readonly #pending: string[] = [];
  readonly #anywhere = new SecretTrie();
  readonly #alone = new SecretTrie();

  get size(): number {
    return this.#known.size;
  }

  has(secret: string): boolean {
    return this.#known.has(secret);
  }

  get secrets(): Iterable<string> {
    return this.#known;
  }

  /** What it is found by is worked out with the first search: a command that prints nothing needs none. */
  add(secret: string): void {
    if (this.#known.has(secret)) return;
    this.#known.add(secret);
    this.#pending.push(secret);
  }

  /** The patterns that count wherever they are. */
  get anywhere(): SecretTrie {
    this.#index();
    return this.#anywhere;
  }

  /** The patterns that count between characters other than letters and digits. */
  get alone(): SecretTrie {
    this.#index();
    return this.#alone;
  }

  #index(): void {
    for (const secret of this.#pending.splice(0)) {
      const isShort = isShorter(secret, standsAloneBelow);
      if (isShort) this.#alone.add(secret);
      for (const pattern of isShort ? shortForms(secret) : patternsOf(secret))
        this.#anywhere.add(pattern);
    }
  }
}

/** Whether a text has fewer characters; a long one isn't taken apart to count them. */
function isShorter(text: string, characters: number): boolean {
  return text.length < 2 * characters && [...text].length < characters;
}

function patternsOf(secret: string): ReadonlySet<string> {
  const whole = privateKeyForms(secret);
  if (whole !== undefined) return new Set(whole);
  return new Set([...formsOf(secret)].flatMap(piecesOf));
}

/** How a secret reads after any number of decodings, forwards and backwards. */
function formsOf(secret: string): ReadonlySet<string> {
  const decoded = decodedFully(secret);
  const forms = [
    secret,
    decoded,
    ...bytesOf(secret),
    secret.replaceAll(' ', '+'),
    unwrapped(secret),
    unwrapped(decoded),
    reversed(secret),
  ];
  return new Set(forms.filter((form) => form.length >= standsAloneBelow));
}

function reversed(text: string): string {
  let result = '';
  for (const character of text) result = character + result;
  return result;
}

/** Where a short secret is long enough to be found anywhere. */
function shortForms(secret: string): ReadonlySet<string> {
  const bytes = Buffer.from(secret);
  const forms = [
    ...bytesOf(secret),
    bytes.toString('base64url'),
    bytes.toString('hex'),
    bytes.toString('hex').toUpperCase(),
  ];
  return new Set(forms.filter((form) => form.length >= standsAloneBelow));
}

/** The UTF-8 of what is not ASCII, as Latin-1: how a decoded Base64 text reads. */
function bytesOf(secret: string): readonly string[] {
  const bytes = Buffer.from(secret);
  return bytes.length === secret.length ? [] : [bytes.toString('latin1')];
}

function decodedFully(secret: string): string {
  let view = plainView(secret);
  for (let level = 0; level < maxLevels; level += 1) {
    const decoded = decodedView(view);
    if (decoded === undefined) break;
    view = decoded;
  }
  return view.text;
}

/**
 * A private key as PEM, as the Base64 inside, as in a JSON field, and as DER: as a whole, and in pieces of
 * what is behind the modulus (RFC 8017 A.1.2), which the public key has as well.
 */
function privateKeyForms(secret: string): readonly string[] | undefined {
  const body = /-----BEGIN [^-]*PRIVATE KEY-----([A-Za-z0-9+/=\s]+)-----END/.exec(secret)?.[1];
  if (body === undefined) return undefined;
  const digits = body.replace(/\s+/g, '');
  const der = Buffer.from(digits, 'base64');
  const end = modulusEnd(der);
  const behind = [der.toString('latin1', end), digits.slice(Math.ceil((end * 4) / 3))];
  return [
    ...[secret, unwrapped(secret), digits, der.toString('latin1')],
    ...behind.filter((form) => form.length >= pieceUnits).flatMap(piecesOf),
  ];
}

/** Behind the first INTEGER of 256 or more bytes (X.690 8.1.3.5); 0 without one. */
function modulusEnd(der: Buffer): number {
  const at = der.indexOf(Uint8Array.of(0x02, 0x82));
  return at === -1 ? 0 : at + 4 + der.readUInt16BE(Math.min(at + 2, der.length - 2));
}

function piecesOf(form: string): readonly string[] {
  if (form.length < 2 * pieceUnits) return [form];
  const count = Math.floor(form.length / pieceUnits);
  return Array.from({ length: count }, (_, index) =>
    form.slice(index * pieceUnits, index === count - 1 ? undefined : (index + 1) * pieceUnits),
  );
}
