import { escapeControls } from '../../text.ts';

export interface JsonToken {
  readonly kind: 'name' | 'string' | 'word' | 'mark' | 'masked' | 'text';
  readonly text: string;
}

/** A line of a body as it is shown. */
export interface JsonLine {
  readonly indent: number;
  readonly tokens: JsonToken[];
}

const masked = '"[redacted]"';

/**
 * A body for reading: JSON with a line for each member, unparsed so that repeated names and long
 * numbers stay; everything else line by line. Control characters are escaped.
 */
export function bodyLines(body: string): readonly JsonLine[] {
  if (isJson(body)) return formatted(body);
  return body
    .split(/\r\n|\n/)
    .map((line) => ({ indent: 0, tokens: [{ kind: 'text', text: escapeControls(line) }] }));
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function formatted(text: string): readonly JsonLine[] {
  const lines: JsonLine[] = [];
  let line: JsonLine = { indent: 0, tokens: [] };
  const breakLine = (indent: number): void => {
    if (line.tokens.length > 0) lines.push(line);
    line = { indent, tokens: [] };
  };
  let depth = 0;
  for (const { 0: piece, index } of text.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g)) {
    const rest = text.slice(index + piece.length);
    const closes = piece === '}' || piece === ']';
    const isEmpty = closes && /[[{]$/.test(line.tokens.at(-1)?.text ?? '');
    if (closes) depth -= 1;
    if (closes && !isEmpty) breakLine(depth);
    line.tokens.push(token(piece, rest));
    if (piece === '{' || piece === '[') depth += 1;
    const opens = (piece === '{' || piece === '[') && !/^\s*[}\]]/.test(rest);
    if (opens || piece === ',') breakLine(depth);
  }
  breakLine(0);
  return lines;
}

function token(piece: string, rest: string): JsonToken {
  const text = escapeControls(piece);
  if (piece === ':') return { kind: 'mark', text: ': ' };
  if (/^[{}[\],]$/.test(piece)) return { kind: 'mark', text };
  if (!piece.startsWith('"')) return { kind: 'word', text };
  if (piece === masked) return { kind: 'masked', text };
  return { kind: /^\s*:/.test(rest) ? 'name' : 'string', text };
}
