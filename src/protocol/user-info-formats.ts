import { isJsonObject, parseJsonText } from './json.ts';

/** A piece of user information and its name; nameless pieces have a place only. */
export interface Pair {
  readonly path: string;
  readonly name?: string;
  readonly value: unknown;
}

/** More pieces than this are left unread, in the last one. */
const maxPairs = 1000;

/** Takes user information apart, whatever form it has; see `readUserInformation`. */
export function pairsOf(text: string): readonly Pair[] {
  const trimmed = text.replace(/^\ufeff/, '').trim();
  if (trimmed === '') return [];
  const json = /^[{["]/.test(trimmed) ? parseJsonText(trimmed) : undefined;
  if (typeof json === 'string' && json.length < trimmed.length) return pairsOf(json);
  if (typeof json === 'object' && json !== null) return jsonPairs(json);
  if (trimmed.startsWith('<')) return xmlPairs(trimmed);
  return formPairs(trimmed) ?? separatedPairs(unwrap(trimmed));
}

/** The form of user information in a word: `json`, `xml`, `form`, or the character between its pieces. */
export function formatOf(text: string): string {
  const trimmed = text.replace(/^\ufeff/, '').trim();
  if (typeof parseJsonText(trimmed) === 'object') return 'json';
  if (trimmed.startsWith('<')) return 'xml';
  if (formPairs(trimmed) !== undefined) return 'form';
  const separator = separators.find((candidate) => splits(unwrap(trimmed), candidate));
  return separator === undefined ? 'text' : `separated by ${JSON.stringify(separator)}`;
}

/** What is inside of `{email=…, name=…}` and `User(email=…)`, as Java prints maps and records, and of broken JSON. */
function unwrap(text: string): string {
  const inner = /^[\w.]{0,64}[({[](.*[=:].*)$/s.exec(text)?.[1];
  return inner?.replace(/[)}\]]{1,9}$/, '') ?? text;
}

/** The properties, and those of objects one level down, behind them. */
function jsonPairs(json: object): readonly Pair[] {
  const top = childrenOf('', json);
  const nested = top.filter(({ value }) => typeof value === 'object' && value !== null);
  const flat = top.filter((pair) => !nested.includes(pair));
  return [...flat, ...nested.flatMap(({ path, value }) => childrenOf(path, value as object))];
}

function childrenOf(path: string, parent: object): readonly Pair[] {
  const prefix = path === '' ? '' : `${path}.`;
  return Object.entries(parent)
    .slice(0, maxPairs)
    .map(([name, value]: [string, unknown]) => {
      const pair = { path: `${prefix}${name}`, value };
      return isJsonObject(parent) ? { ...pair, name } : pair;
    });
}

/** The elements that contain text alone, and the attributes of all; a declaration has none of the user's. */
function xmlPairs(text: string): readonly Pair[] {
  const plain = withoutCdata(text.replace(/<\?[^<>]{0,1024}\?>/g, ''));
  const leaves = plain.matchAll(
    /<([\p{L}_][\p{L}\d_.:-]{0,63})(?:\s[^<>]{0,1024})?>([^<]*)<\/\1\s*>/gu,
  );
  const attributes = plain.matchAll(
    /\s([\p{L}_][\p{L}\d_.:-]{0,63})\s{0,9}=\s{0,9}(?:"([^"<]*)"|'([^'<]*)')/gu,
  );
  const pairs = [
    ...[...leaves].map(([, name = '', value = '']) => named(name, unescapeXml(value).trim())),
    ...[...attributes].map(([, name = '', double, single = '']) =>
      named(name, unescapeXml(double ?? single)),
    ),
  ];
  return pairs.slice(0, maxPairs);
}

const entities: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
};

/** CDATA sections written as the text that they encode. */
function withoutCdata(text: string): string {
  const [before = '', ...sections] = text.split('<![CDATA[');
  return sections.reduce((plain, section) => {
    const end = section.indexOf(']]>');
    const inner = end === -1 ? section : section.slice(0, end);
    return plain + escapeXml(inner) + (end === -1 ? '' : section.slice(end + 3));
  }, before);
}

/** Text as XML contains it. */
export function escapeXml(text: string): string {
  return text.replace(/[&<]/g, (character) => (character === '&' ? '&amp;' : '&lt;'));
}

function unescapeXml(text: string): string {
  return text.replace(
    /&(?:#(\d{1,7})|#x([\da-f]{1,6})|(\w{2,4}));/gi,
    (whole, decimal, hex, name) => {
      if (name !== undefined) return entities[name] ?? whole;
      const point = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
      return point <= 0x10ffff ? String.fromCodePoint(point) : whole;
    },
  );
}

/** application/x-www-form-urlencoded: pairs between ampersands, or one encoded pair. */
function formPairs(text: string): readonly Pair[] | undefined {
  const pieces = text.split('&');
  if (!pieces.every((piece) => /^[^=\s{}()]{1,64}=/.test(piece))) return undefined;
  if (pieces.length === 1 && /[\s|;,]/.test(text)) return undefined;
  // A plus before a number's digits was left unencoded; anywhere else it is a space.
  const encoded = text.replace(/=\+(?=\d)/g, '=%2B');
  const pairs = [...new URLSearchParams(encoded)].slice(0, maxPairs);
  return pairs.map(([path, value]) => ({ path, name: lastOf(path), value: value.trim() }));
}

/** PHP and Rails write `user[email]` for the email of the user. */
function lastOf(path: string): string {
  return /\[([^[\]]+)\]$/.exec(path)?.[1] ?? path;
}

/** Tried in this order: what occurs in no name, address or number first. */
const separators = [...'\u001f\u001e\0|\t^\n;,/~#$:'];

function separatedPairs(text: string): readonly Pair[] {
  const separator = separators.find((candidate) => splits(text, candidate));
  const pieces = separator === undefined ? byWords(text) : text.split(separator, maxPairs);
  return pieces
    .map((piece, index) => labelled(piece.trim(), index))
    .filter(({ value }) => value !== '');
}

/** A colon or slash that only labels or dates something does not separate. */
function splits(text: string, separator: string): boolean {
  return text.includes(separator) && (separator !== ':' || text.split(':').length > 2);
}

/** Between spaces: an address, a number that may contain spaces itself, and the name that is left. */
function byWords(text: string): readonly string[] {
  const address = /[^\s@]{1,64}@[^\s@]{1,255}/.exec(text)?.[0] ?? '';
  const number = /(?<!\S)\+?[\d(][\d().\s-]{5,22}\d(?!\S)/.exec(text)?.[0] ?? '';
  const name = text.replace(address, ' ').replace(number, ' ').replace(/\s+/g, ' ');
  return [address, number, name];
}

function labelled(piece: string, index: number): Pair {
  if (!/[:=]/.test(piece)) return { path: String(index), value: piece };
  const label = /^["']?([\p{L}_][\p{L}\d_ .-]{0,40}?)["']?\s{0,9}[:=]\s{0,9}(.*)$/su.exec(piece);
  if (label?.[1] === undefined) return { path: String(index), value: piece };
  return named(label[1], (label[2] ?? '').trim().replace(/^(["'])(.*)\1$/s, '$2'));
}

function named(name: string, value: string): Pair {
  return { path: name, name, value };
}
