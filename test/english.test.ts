import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { parseAst } from 'rolldown/parseAst';

/*
 * Every text that a user reads is written in the words of engineers: help, messages, catalogue, reports,
 * the page, schemas, documentation. Manual pages and docs/cli.md are made from the same literals.
 */

/** What no text says, and what to write instead. */
const words: readonly (readonly [pattern: RegExp, instead: string])[] = [
  [/\bmend(s|ed|ing)?\b/i, 'fix, repair'],
  [/\b(un)?spoil(s|t|ed|ing)?\b/i, 'malformed, modified; unmodified'],
  [/\bstands?\b|\bstood\b/i, 'is in, contains'],
  [/\b(is|are|was|were) no\b(?! longer\b| more\b)/i, 'is not, no X found'],
  [/\b(is|are|was) none\b/i, 'is not an X, is missing'],
  [/\blook(s|ed|ing)? (whether|at|into)\b/i, 'check whether, inspect'],
  [/\bso (many|long)\b/i, 'N, DURATION'],
  [/\bunless told\b/i, 'by default'],
  [/\ba person\b|\bsomebody\b|\bnobody\b|\bfor people\b/i, 'the user, the caller, or the role'],
  [/\b(the|an|no|each|every|its|whole|wrong|right|longer) answers?\b/i, 'the response'],
  [/\bholds?\b|\bheld\b/i, 'contains; passes'],
  [/\bopen(s|ed) (with|under|by)\b/i, 'decrypted with'],
  [/\b(the|this) wrap\b(?! )|\bin the wrap\b/i, 'the encrypted key'],
  [/\bmade of\b/i, 'derived from'],
  [
    /\b(legible|needless|needlessly|meant|unseen|burnt)\b/i,
    'readable, unnecessary, intended, hidden, compromised',
  ],
  [/\bfollows? from nothing\b|\bwhat is none\b/i, 'are random; is not an X'],
  [/\bpress of Tab\b/i, 'completion'],
  [/\btold\b|\bknows? of\b/i, 'print, report, list'],
];

/** Texts that quote another program or a former name, or words in another sense. */
const quoted = [
  /`mend(ed)?` is now `fix(ed)?`/g,
  /`doctor --mend` is now/,
  /\bsigns? nobody in\b/i,
  /secret_key is held only on the application's server/,
];

function faultsIn(name: string, text: string): readonly string[] {
  const plain = quoted.reduce((rest, pattern) => rest.replace(pattern, ''), text);
  return words.flatMap(([pattern, instead]) => {
    const found = pattern.exec(plain);
    if (found === null) return [];
    const around = plain.slice(Math.max(0, found.index - 40), found.index + 50);
    return [`${name}: "${found[0]}" in "…${around}…": ${instead}`];
  });
}

interface Node {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** The string literals and templates of a module, without the names of what it imports. */
function literalsOf(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(literalsOf);
  if (value === null || typeof value !== 'object') return [];
  const node = value as Node;
  if (node.type === 'TSLiteralType' || node.type === 'ImportDeclaration') return [];
  if (node.type === 'Literal') return typeof node.value === 'string' ? [node.value] : [];
  if (node.type === 'TemplateElement') return [(node.value as { cooked: string }).cooked];
  return Object.values(node).flatMap(literalsOf);
}

function filesIn(folder: string, end: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith(end))
    .map((file) => `${folder}/${file.replaceAll('\\', '/')}`)
    .sort();
}

const isSentence = (text: string) => /\S\s+\S/.test(text);

/** Prose of a page in Markdown, without what programs print or run. */
function proseOf(markdown: string): string {
  return markdown.replace(/^ *```[\s\S]*?^ *```/gm, '').replace(/\s+/g, ' ');
}

function descriptionsOf(value: unknown): readonly string[] {
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === 'description' && typeof inner === 'string' ? [inner] : descriptionsOf(inner),
  );
}

describe('the English of', () => {
  it('every message, help text, diagnosis and report', () => {
    const files = filesIn('src', '.ts');
    const faults = files.flatMap((file) =>
      literalsOf(parseAst(readFileSync(file, 'utf8'), { lang: 'ts' }))
        .filter(isSentence)
        .flatMap((text) => faultsIn(file, text)),
    );
    assert.deepEqual(faults, []);
  });

  it('the page of an emulator', () => {
    assert.deepEqual(faultsIn('page.html', readFileSync('src/ui/page.html', 'utf8')), []);
  });

  it('the documentation', () => {
    const faults = [...filesIn('docs', '.md'), 'README.md'].flatMap((file) =>
      faultsIn(file, proseOf(readFileSync(file, 'utf8'))),
    );
    assert.deepEqual(faults, []);
  });

  it('what changed since the last release', () => {
    const [, unreleased = ''] = readFileSync('CHANGELOG.md', 'utf8').split(/^## /m);
    const entries = unreleased.split(/^- /m).map((entry) => entry.replace(/\s+/g, ' '));
    assert.deepEqual(
      entries.flatMap((entry) => faultsIn('CHANGELOG.md', proseOf(entry))),
      [],
    );
  });

  it('the schemas', () => {
    const faults = filesIn('schemas', '.json').flatMap((file) =>
      descriptionsOf(JSON.parse(readFileSync(file, 'utf8'))).flatMap((text) =>
        faultsIn(file, text),
      ),
    );
    assert.deepEqual(faults, []);
  });

  it('finds what it is for', () => {
    for (const text of [
      'how to mend it',
      'In the wrap stand 32 bytes that are no text',
      'the same request, unspoilt, is accepted',
      'look whether it runs',
      'so many, then end',
    ])
      assert.notDeepEqual(faultsIn('sample', text), [], text);
    assert.deepEqual(faultsIn('sample', 'The check no longer fails; it is no longer listed.'), []);
  });
});
