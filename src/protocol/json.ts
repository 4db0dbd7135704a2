import { decodeUtf8 } from '../bytes.ts';
import { type BodyEncoding, encodingOf } from './body-encoding.ts';
import { type JsonSyntaxFault, scanJson } from './json-scanner.ts';

/** A place in a text: the offset in UTF-16 code units from 0, line and column from 1. */
export interface TextPlace {
  readonly offset: number;
  readonly line: number;
  readonly column: number;
}

/** What a body that should be JSON turned out to be. */
export type JsonReading =
  | {
      readonly ok: true;
      readonly value: unknown;
      readonly byteOrderMark: boolean;
      /** As {@link scanJson} tells them. */
      readonly duplicateNames: readonly string[];
      readonly outerDuplicates: ReadonlySet<string>;
    }
  | { readonly ok: false; readonly reason: 'empty'; readonly bytes: number }
  | {
      readonly ok: false;
      readonly reason: BodyEncoding;
      readonly detail: string;
      readonly text?: string;
    }
  | {
      readonly ok: false;
      readonly reason: JsonSyntaxFault;
      readonly text: string;
      readonly place: TextPlace;
      readonly byteOrderMark: boolean;
    };

/**
 * Reads a body as JSON in UTF-8 (RFC 8259 section 8.1). A byte order mark is left out and
 * reported. Never throws: anything that is no JSON comes back with its reason, and JSON nested
 * deeper than `maxJsonDepth` is refused like a syntax fault.
 */
export function readJson(body: Uint8Array): JsonReading {
  // Bytes that are no UTF-8 always have a finding, so a text is there behind this.
  const decoded = decodeUtf8(body) ?? '\0';
  // UTF-16 and UTF-32 of ASCII are UTF-8 too, with NULs that no JSON holds.
  const encoding = decoded.includes('\0') ? encodingOf(body) : undefined;
  if (encoding !== undefined) return { ok: false, ...encoding };
  const byteOrderMark = decoded.startsWith('\ufeff');
  const text = byteOrderMark ? decoded.slice(1) : decoded;
  if (/^[\s\0]*$/.test(text)) return { ok: false, reason: 'empty', bytes: body.length };
  return readJsonText(text, byteOrderMark);
}

/** Where in the text the offset (in UTF-16 code units) stands. */
export function placeOf(text: string, offset: number): TextPlace {
  const before = text.slice(0, offset);
  const lineStart = before.lastIndexOf('\n') + 1;
  let line = 1;
  for (let at = before.indexOf('\n'); at !== -1; at = before.indexOf('\n', at + 1)) line += 1;
  return { offset, line, column: offset - lineStart + 1 };
}

/** The value of a JSON text, or undefined where it is none or nested too deep. */
export function parseJsonText(text: string): unknown {
  const reading = readJsonText(text, false);
  return reading.ok ? reading.value : undefined;
}

function readJsonText(text: string, byteOrderMark: boolean): JsonReading {
  const { fault, duplicateNames, outerDuplicates } = scanJson(text);
  if (fault !== undefined) {
    const place = placeOf(text, fault.offset);
    return { ok: false, reason: fault.reason, text, place, byteOrderMark };
  }
  const value: unknown = JSON.parse(text);
  return { ok: true, value, byteOrderMark, duplicateNames, outerDuplicates };
}
