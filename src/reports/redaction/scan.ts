import { maxLevels, type SecretIndex } from './secret-index.ts';
import type { SecretTrie } from './secret-trie.ts';
import {
  decodedView,
  ellipsis,
  encodedViews,
  plainView,
  readableViews,
  type UnwrappedView,
  unwrappedViews,
  type View,
} from './view.ts';

/** From and to, in the text that was searched. */
export type Range = readonly [start: number, end: number];

/** Base64 in Base64 in Base64 is decoded. */
const maxDepth = 3;

/** This many characters of a secret that was cut off are too many. */
const cutFrom = 4;

/** Of decoded bytes, which are garbage if the decoding began at a wrong offset: 4 bytes agree by chance once in 2^32. */
const certainFrom = 4;

/** The shortest of the secrets that may be wrapped. */
const wrappedFrom = 6;

/** A long text is searched in parts, so that its views take little memory; they overlap by more than a secret takes. */
const windowUnits = 262_144;

/** More than a secret takes when it is encoded twice. */
export const overlapUnits = 8192;

/** Where secrets are in `text`, in order and without overlaps. */
export function findSecrets(text: string, indexes: readonly SecretIndex[]): readonly Range[] {
  const found: Range[] = [];
  for (let from = 0; from === 0 || from < text.length; from += windowUnits) {
    const search = new Search(indexes);
    search.view(plainView(text.slice(from, from + windowUnits + overlapUnits)), 0);
    for (const [start, end] of search.found) found.push([from + start, from + end]);
  }
  return merged(found);
}

class Search {
  readonly found: Range[] = [];
  readonly #anywhere: readonly SecretTrie[];
  readonly #alone: readonly SecretTrie[];

  constructor(indexes: readonly SecretIndex[]) {
    this.#anywhere = indexes.map(({ anywhere }) => anywhere).filter(({ size }) => size > 0);
    this.#alone = indexes.map(({ alone }) => alone).filter(({ size }) => size > 0);
  }

  /** Searches a text, what it decodes to, and what that decodes to. */
  view(first: View, depth: number): void {
    let view: View | undefined = first;
    for (let level = 0; level <= maxLevels && view !== undefined; level += 1) {
      this.#secrets(view, depth);
      this.#fields(view);
      for (const flat of this.#anywhere.length > 0 ? unwrappedViews(view) : [])
        for (const trie of this.#anywhere) this.#findWrapped(trie, flat);
      if (depth < maxDepth && this.#anywhere.length > 0) {
        for (const bytes of encodedViews(view)) {
          this.#secrets(bytes, depth + 1);
          for (const inner of readableViews(bytes)) this.view(inner, depth + 1);
        }
      }
      view = decodedView(view);
    }
  }

  #secrets(view: View, depth: number): void {
    for (const trie of this.#anywhere) this.#find(trie, view);
    for (const trie of this.#alone) this.#findAlone(trie, view, depth === 0 ? 1 : certainFrom);
  }

  #find(trie: SecretTrie, view: View): void {
    const { text } = view;
    for (let at = 0; at + cutFrom <= text.length; at += 1) {
      if (!trie.mayBeginAt(text, at)) continue;
      const end = trie.longestAt(text, at);
      if (end !== -1) this.#hide(view, at, end);
      else if (trie.reached - at >= cutFrom && this.#isCutAt(view, trie.reached))
        this.#hide(view, at, trie.reached);
    }
  }

  #findWrapped(trie: SecretTrie, flat: UnwrappedView): void {
    const { text } = flat;
    for (let at = 0; at + cutFrom <= text.length; at += 1) {
      if (!trie.mayBeginAt(text, at)) continue;
      const whole = trie.longestAt(text, at);
      const isCut = whole === -1 && this.#isCutAt(flat, trie.reached);
      const end = isCut ? trie.reached : whole;
      if (end - at >= wrappedFrom && flat.isWrapped(at, isCut ? end + 1 : end))
        this.#hide(flat, at, end);
    }
  }

  #findAlone(trie: SecretTrie, view: View, minUnits: number): void {
    const { text } = view;
    for (let at = 0; at < text.length; at += 1) {
      const end = trie.longestAt(text, at);
      if (end - at >= minUnits && isAlone(text, at, end)) this.#hide(view, at, end);
    }
  }

  /** The values of fields that are secret by their name, in JSON and in forms and queries. */
  #fields(view: View): void {
    if (!/secret_key|acs_token|ptn_token/.test(view.text)) return;
    for (const pattern of secretFields) {
      for (const { 1: value = '', indices } of view.text.matchAll(pattern)) {
        const [start, end] = indices?.[1] ?? [0, 0];
        if (!isPlaceholder(value)) this.#hide(view, start, end);
      }
    }
  }

  #isCutAt({ text, isCut }: View, at: number): boolean {
    return at === text.length ? isCut : text.charAt(at) === ellipsis;
  }

  #hide({ startOf, endOf }: View, start: number, end: number): void {
    this.found.push([startOf(start), endOf(end - 1)]);
  }
}

const names = '(?:secret_key|acs_token|ptn_token)';

const secretFields = [
  new RegExp(`"${names}"\\s*:\\s*"((?:[^"\\\\]|\\\\.){6,})`, 'dg'),
  new RegExp(`"${names}"\\s*:\\s*(-?\\d[\\d.eE+-]*)`, 'dg'),
  new RegExp(`(?<![\\w.-])${names}=([^&\\s"'<>\\\\]{6,})`, 'dg'),
];

/** What documents and messages write for a value. */
function isPlaceholder(value: string): boolean {
  return /^[[<{$'"…]/.test(value);
}

function isAlone(text: string, start: number, end: number): boolean {
  return (
    !/[\p{L}\p{N}]$/u.test(text.slice(Math.max(0, start - 2), start)) &&
    !/^[\p{L}\p{N}]/u.test(text.slice(end, end + 2))
  );
}

function merged(ranges: readonly Range[]): readonly Range[] {
  const result: [number, number][] = [];
  for (const [start, end] of [...ranges].sort(([left], [right]) => left - right)) {
    const last = result.at(-1);
    if (last !== undefined && start <= last[1]) last[1] = Math.max(last[1], end);
    else result.push([start, end]);
  }
  return result;
}
