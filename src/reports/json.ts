/** One JSON document, indented, with a line end, safe for terminals. */
export function jsonDocument(value: unknown): string {
  return `${escapeForTerminals(JSON.stringify(value, null, 2))}\n`;
}

/** One line of JSON Lines, safe for terminals. */
export function jsonLine(value: unknown): string {
  return `${escapeForTerminals(JSON.stringify(value))}\n`;
}

/**
 * Escapes DEL and C1, bidirectional marks, line and paragraph separators, the byte order mark, and what CI systems
 * would take for a command in a log (`##[`, `##vso[`, `##teamcity[`, `section_start:1`).
 */
function escapeForTerminals(json: string): string {
  return json.replace(
    /[\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]|#(?=#(?:\[|vso\[|teamcity\[))|(?<=section_(?:start|end)):(?=\d)/gi,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
