import type { Reply } from './sending.ts';

/** What a response says. */
export interface Response {
  readonly code: unknown;
  readonly message: unknown;
  readonly result: unknown;
}

/** Reads a response; throws for one that it doesn't take. */
export type Read = (reply: Reply) => Response;

function asIs(value: unknown): Response {
  if (typeof value !== 'object' || value === null) throw new Error('not an object');
  const { code, message, result } = value as Partial<Response>;
  return { code, message, result };
}

/** A parser that was written by hand: each member, also one that comes twice, goes to `keep`. */
function parsedByHand(text: string, keep: (into: Map<string, unknown>, name: string) => boolean) {
  let at = 0;
  const take = (pattern: RegExp): string => {
    const sticky = new RegExp(pattern, 'y');
    sticky.lastIndex = at;
    const found = sticky.exec(text)?.[0];
    if (found === undefined) throw new Error(`not JSON at ${at}`);
    at += found.length;
    return found;
  };
  const skip = () => take(/\s*/);
  const value = (): unknown => {
    skip();
    const [first] = text.slice(at, at + 1);
    if (first === '{') return members();
    if (first === '[') return items();
    return JSON.parse(take(/"(?:[^"\\]|\\.)*"|[-+.\w]+/));
  };
  const members = (): unknown => {
    const found = new Map<string, unknown>();
    take(/\{\s*/);
    while (text[at] !== '}') {
      if (found.size > 0) take(/,\s*/);
      const name = JSON.parse(take(/"(?:[^"\\]|\\.)*"/));
      take(/\s*:/);
      const inside = value();
      if (keep(found, name)) found.set(name, inside);
      skip();
    }
    take(/\}/);
    return Object.fromEntries(found);
  };
  const items = (): unknown => {
    const found: unknown[] = [];
    take(/\[\s*/);
    while (text[at] !== ']') {
      if (found.length > 0) take(/,/);
      found.push(value());
      skip();
    }
    take(/\]/);
    return found;
  };
  const found = value();
  skip();
  if (at < text.length) throw new Error('more than JSON');
  return found;
}

/** Demands everything that the interface states. */
function strictly({ status, type, text }: Reply): Response {
  if (status !== 200 || !/^application\/json\b/i.test(type)) throw new Error(`HTTP ${status}`);
  const response = asIs(JSON.parse(text));
  if (typeof response.code !== 'string' || typeof response.message !== 'string') {
    throw new Error('code and message are strings');
  }
  return response;
}

/** Takes what JSON5 allows beyond JSON, and a byte order mark. */
function tolerantly({ text }: Reply): Response {
  const cleaned = text
    .replace(/^\uFEFF/, '')
    .replace(/("(?:[^"\\]|\\.)*")|\/\/.*|\/\*[\s\S]*?\*\//g, '$1')
    .replace(/("(?:[^"\\]|\\.)*")|,(?=\s*[}\]])/g, '$1');
  return asIs(JSON.parse(cleaned));
}

/** As parsers that bind names to fields of a class do it: `Code` and `code` are the same. */
function inAnyCase({ text }: Reply): Response {
  const fold = (_: string, value: unknown): unknown =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).map(([key, each]) => [key.toLowerCase(), each]))
      : value;
  return asIs(JSON.parse(text, fold));
}

const noDuplicates = (into: ReadonlyMap<string, unknown>, name: string): boolean => {
  if (into.has(name)) throw new Error(`${name} comes twice`);
  return true;
};

/** Ways to read a response. */
export const reading = {
  plain: ({ text }) => asIs(JSON.parse(text)),
  strictly,
  tolerantly,
  'in-any-case': inAnyCase,
  'refuses-duplicates': ({ text }) => asIs(parsedByHand(text, noDuplicates)),
  'first-of-duplicates': ({ text }) => asIs(parsedByHand(text, (into, name) => !into.has(name))),
  'status-first': ({ status, text }) => {
    if (status >= 300) throw new Error(`HTTP ${status}`);
    return asIs(JSON.parse(text));
  },
} satisfies Readonly<Record<string, Read>>;
