/**
 * What a run of the tests prints: a dot for each test that passed, then each failure with the places
 * of its stack in the sources. The counts are written to the file that AUTHCLI_TEST_COUNTS names.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inspect } from 'node:util';

interface Details {
  readonly type?: string;
  readonly error?: { readonly failureType?: string; readonly cause?: unknown };
}

interface TestEvent {
  readonly type: string;
  readonly data: {
    readonly name: string;
    readonly file?: string;
    readonly line?: number;
    readonly column?: number;
    readonly skip?: unknown;
    readonly todo?: unknown;
    readonly message?: string;
    readonly details?: Details;
  };
}

/** How the tests of a run ended. */
export interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

const dotsPerLine = 100;

/** Reported once by what it contains. */
const saidElsewhere = new Set(['subtestsFailed']);

export default async function* report(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  const counts: Counts = { passed: 0, failed: 0, skipped: 0 };
  const failures: string[] = [];
  let others = '';
  for await (const { type, data } of events) {
    if (type === 'test:stderr' || type === 'test:stdout') others += data.message ?? '';
    const isSuite = data.details?.type === 'suite';
    if (type === 'test:pass' && !isSuite) {
      const isSkipped = isSet(data.skip) || isSet(data.todo);
      counts[isSkipped ? 'skipped' : 'passed'] += 1;
      yield counts.passed % dotsPerLine === 0 ? '.\n' : '.';
    }
    if (type === 'test:fail' && !saidElsewhere.has(data.details?.error?.failureType ?? '')) {
      counts.failed += 1;
      failures.push(failureText(data));
      yield 'X';
    }
  }
  yield '\n';
  if (failures.length > 0 && others !== '') yield `\n${others}`;
  for (const failure of failures) yield `\n${failure}\n`;
  const file = process.env.AUTHCLI_TEST_COUNTS;
  if (file !== undefined) writeFileSync(file, JSON.stringify(counts));
}

function isSet(value: unknown): boolean {
  return value !== undefined && value !== false;
}

function failureText({ name, file, line, column, details }: TestEvent['data']): string {
  const place = file === undefined ? '' : ` (${sourcePlace(file, line ?? 1, column ?? 1)})`;
  return `FAILED ${name}${place}\n${inSources(errorText(details?.error))}`;
}

/** The values of an assertion are in its message already where it has written that itself. */
function errorText(error: Details['error']): string {
  const { cause = error } = error ?? {};
  if (!(cause instanceof Error)) return typeof cause === 'string' ? cause : inspect(cause);
  const isAssertion = 'generatedMessage' in cause && cause.generatedMessage === true;
  return (isAssertion ? cause.stack : undefined) ?? inspect(cause);
}

/** A text with the places of compiled files in it. */
function inSources(text: string): string {
  const place = /(?:file:\/\/)?(\/[^\s()]*\.js):(\d+):(\d+)/g;
  return text.replace(place, (_, file, line, column) =>
    sourcePlace(file, Number(line), Number(column)),
  );
}

const maps = new Map<string, SourceMap | undefined>();

function sourcePlace(file: string, line: number, column: number): string {
  const path = file.startsWith('file:') ? fileURLToPath(file) : file;
  const entry = mapOf(path)?.findEntry(line - 1, column - 1);
  if (entry === undefined || !('originalLine' in entry)) return `${path}:${line}:${column}`;
  const source = relative(folder, path).replace(/\.js$/, '.ts');
  return `${source}:${entry.originalLine + 1}:${entry.originalColumn + 1}`;
}

const folder = fileURLToPath(new URL('../../', import.meta.url));

function mapOf(path: string): SourceMap | undefined {
  if (!maps.has(path)) maps.set(path, readMap(path));
  return maps.get(path);
}

function readMap(path: string): SourceMap | undefined {
  try {
    return new SourceMap(JSON.parse(readFileSync(`${path}.map`, 'utf8')));
  } catch {
    return undefined;
  }
}
