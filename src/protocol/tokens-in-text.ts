/** Of an answer that repeats itself, the first are enough. */
const mostTokens = 64;

/**
 * The access tokens (section 2.1, `acs_token`) that stand in the text of an answer, also of one that
 * can't be read as JSON: too deep, cut, with something behind it. Never throws.
 */
export function tokensInText(text: string): readonly string[] {
  const tokens: string[] = [];
  for (const [, value = ''] of text.matchAll(/"acs_token"\s*:\s*"([^"\\]*(?:\\.[^"\\]*)*)"/g)) {
    tokens.push(unescaped(value));
    if (tokens.length === mostTokens) break;
  }
  return tokens;
}

function unescaped(value: string): string {
  try {
    return JSON.parse(`"${value}"`) as string;
  } catch {
    return value;
  }
}
