import { Secret } from '../crypto/secret.ts';
import { secretFieldNames } from '../protocol/secret-fields.ts';
import { findSecrets, overlapUnits, type Range } from './redaction/scan.ts';
import { SecretIndex } from './redaction/secret-index.ts';
import { isVocabulary, ownValueFields, peerFields } from './redaction/vocabulary.ts';

/** What replaces a secret in an output. */
export const redacted = '[redacted]';

/** A value that the command exists to print: the redactor leaves it as it is. */
export class Revealed {
  readonly value: string;

  constructor(value: string) {
    this.value = value;
  }

  toJSON(): string {
    return this.value;
  }
}

/** Marks `value` as what the command is for (`key generate`, `decrypt`, …): it is shown where it is put, and only there. */
export function reveal(value: string): Revealed {
  return new Revealed(value);
}

/** The JSON value with every text in it revealed. */
export function revealAll(value: unknown): unknown {
  if (typeof value === 'string') return reveal(value);
  if (Array.isArray(value)) return value.map(revealAll);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, revealAll(item)]));
}

/** A peer's property names of authcli's vocabulary are hidden only for secrets as long as this: "name" is a field. */
const propertyNamesFrom = 8;

/** How many secrets of peers are remembered, twice: an emulator may run for days. */
const peerSecrets = 20_000;

/**
 * The secrets known in a run, and the one place that decides what of an output may be shown. A secret is found
 * however it is encoded (docs/security.md), before the text is escaped, cut or wrapped.
 */
export class Redactor {
  #own = new SecretIndex();
  /** Of peers: the latest, and those before them. */
  #recent = new SecretIndex();
  #older = new SecretIndex();
  readonly #userInfo = new Set<string>();
  readonly #shown = new Set<string>();
  readonly #variables = new Map<string, string>();

  /** A redactor that knows the same, and forgets with its run what it learns. */
  copy(): Redactor {
    const copy = new Redactor();
    for (const secret of this.#own.secrets) copy.#own.add(secret);
    for (const index of [this.#older, this.#recent]) {
      for (const secret of index.secrets) copy.#recent.add(secret);
    }
    for (const text of this.#userInfo) copy.#userInfo.add(text);
    for (const text of this.#shown) copy.#shown.add(text);
    for (const [text, name] of this.#variables) copy.#variables.set(text, name);
    return copy;
  }

  /** Hides what the user gave as a secret, or what was made here, from now on; empty text is not a secret. */
  add(value: string | Secret | undefined): void {
    const text = Secret.textOf(value);
    if (text) this.#own.add(text);
  }

  /** The same for an attribute of a user, unless it is the code by which the user is named in the output. */
  addUserInfo(value: string | Secret | undefined): void {
    const text = Secret.textOf(value);
    if (!text || this.#own.has(text)) return;
    this.#userInfo.add(text);
    if (!this.#shown.has(text)) this.#own.add(text);
  }

  /**
   * The same for a value that a peer chose: one that consists of words of authcli's own output isn't hidden in
   * texts, only in its field. The oldest are forgotten when there are very many.
   */
  addFromPeer(value: string | Secret | undefined): void {
    const text = Secret.textOf(value);
    if (!text || this.#own.has(text) || this.#recent.has(text) || isVocabulary(text)) return;
    if (this.#recent.size >= peerSecrets) {
      this.#older = this.#recent;
      this.#recent = new SecretIndex();
    }
    this.#recent.add(text);
  }

  /** Says which environment variable contains a secret, for lines that are pasted into a shell. */
  nameVariable(value: string | Secret, variable: string): void {
    const text = Secret.textOf(value);
    if (text !== undefined && text !== '') this.#variables.set(text, variable);
  }

  /** The secrets that a shell variable contains. */
  get references(): readonly { readonly text: string; readonly name: string }[] {
    return [...this.#variables].map(([text, name]) => ({ text, name }));
  }

  /** Shows the user code that the user chose, even if it is also the user's email address, name or phone number. */
  show(userCode: string | undefined): void {
    if (userCode === undefined || this.#shown.has(userCode)) return;
    this.#shown.add(userCode);
    if (!this.#userInfo.has(userCode)) return;
    const { secrets } = this.#own;
    this.#own = new SecretIndex();
    for (const secret of secrets) if (secret !== userCode) this.#own.add(secret);
  }

  /** `text` with every known secret replaced by `[redacted]`. */
  text(text: string): string {
    return this.head(text, text.length);
  }

  /** The same for what the user typed: a peer can't hide a part of it by sending that as a token. */
  typed(text: string): string {
    return this.#hidden(text, text.length, [this.#own]);
  }

  /** The first `maxUnits` of `text`, redacted before it is cut. */
  head(text: string, maxUnits: number): string {
    return this.#hidden(text, maxUnits, [this.#own, this.#recent, this.#older]);
  }

  #hidden(text: string, maxUnits: number, indexes: readonly SecretIndex[]): string {
    const searched = text.slice(0, maxUnits + overlapUnits);
    let shown = '';
    let copied = 0;
    const found = findSecrets(searched, indexes);
    const names = found.length === 0 ? [] : ownNames(searched);
    for (const [start, end] of found) {
      if (start >= maxUnits) break;
      if (names.some(([from, to]) => from <= start && end <= to)) continue;
      shown += text.slice(copied, start) + redacted;
      copied = end;
    }
    return copied === 0 ? text.slice(0, maxUnits) : shown + text.slice(copied, maxUnits);
  }

  /**
   * A JSON-like value with every string redacted, property names of peers included, and {@link Revealed} values
   * unwrapped. Fields and words of authcli's own stay.
   */
  json(value: unknown): unknown {
    return this.#json(value, false);
  }

  #json(value: unknown, fromPeer: boolean): unknown {
    if (typeof value === 'string') return this.text(value);
    if (typeof value === 'number') return fromPeer ? this.#number(value) : value;
    if (value instanceof Revealed) return value.value;
    if (Array.isArray(value)) return value.map((item) => this.#json(item, fromPeer));
    if (value === null || typeof value !== 'object') return value;
    if (isNamed(value)) return this.#json(value.toJSON(), fromPeer);
    const properties = Object.entries(value).map(([name, item]) => [
      this.#name(name, fromPeer),
      this.#property(name, item, fromPeer),
    ]);
    return Object.fromEntries(properties);
  }

  #name(name: string, fromPeer: boolean): string {
    const mayBeSecret = fromPeer && name.length >= propertyNamesFrom;
    return isVocabulary(name) && !mayBeSecret ? name : this.text(name);
  }

  #property(name: string, value: unknown, fromPeer: boolean): unknown {
    if (fromPeer && secretFieldNames.has(name)) return withoutTexts(value);
    if (typeof value !== 'string') return this.#json(value, fromPeer || peerFields.has(name));
    if (secretFieldNames.has(name) && value !== '') return redacted;
    const isOwn = !fromPeer && ownValueFields.has(name) && isVocabulary(value);
    return isOwn ? value : this.text(value);
  }

  /** A phone number that a peer sent as a number. */
  #number(value: number): unknown {
    return this.text(String(value)).includes(redacted) ? redacted : value;
  }
}

/** The shape of what a peer sent as a secret: each text and number in it is hidden. */
function withoutTexts(value: unknown): unknown {
  if (typeof value === 'number') return redacted;
  if (typeof value === 'string') return value === '' ? value : redacted;
  if (Array.isArray(value)) return value.map(withoutTexts);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, withoutTexts(item)]),
  );
}

/**
 * Where a text names a check or a flag. A secret that is one of the words, as "signin" is, stays there: what
 * is missing in `[redacted]/content-type` is not a secret, and `--[redacted]` can't be pasted.
 */
function ownNames(text: string): readonly Range[] {
  const names = text.matchAll(/(?<![\w./:-])(?:--)?([a-z][a-z-]*(?:\/[a-z0-9-]+)?)(?![\w/:-])/g);
  return [...names]
    .filter(([whole, name = '']) => /^--|\//.test(whole) && isVocabulary(name))
    .map(({ 0: { length }, index }) => [index, index + length]);
}

/**
 * Whether a text contains a secret in any form in which it would be redacted. What is redacted for
 * its name alone, as in `ptn_token=ptn_token` of a stack trace, is searched without that name.
 */
export function containsSecret(text: string, secret: Secret): boolean {
  const index = new SecretIndex();
  index.add(secret.reveal());
  const byName = findSecrets(text, []);
  const isNamed = ([start, end]: Range) => byName.some(([a, b]) => a === start && b === end);
  return (
    !findSecrets(text, [index]).every(isNamed) ||
    byName.some(([start, end]) => findSecrets(text.slice(start, end), [index]).length > 0)
  );
}

/** Whether a value defines its own form in JSON, as a Secret does. */
function isNamed(value: object): value is { toJSON(): unknown } {
  return 'toJSON' in value && typeof value.toJSON === 'function';
}
