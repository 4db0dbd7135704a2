import { encodeBase64, encodeHex, encodeUtf8 } from '../bytes.ts';
import type { WireAnswer } from '../client/exchange.ts';
import { readJson } from '../protocol/json.ts';

/** A form of a plain key, and how it is called. */
interface Trace {
  readonly text: string;
  readonly form: string;
  readonly foldsCase: boolean;
}

/** A trace that was found in an answer. */
export interface FoundTrace {
  /** "in hexadecimal", … */
  readonly form: string;
  /** "in its headers", "in its body". */
  readonly place: string;
}

/** Shorter texts would be met by chance. */
const shortest = 16;

/** Every form of the key that counts: plain, reversed, in hexadecimal, in Base64 at any offset. */
export function tracesOf(key: string): readonly Trace[] {
  const reversed = [...key].reverse().join('');
  return [...formsOf(key, ''), ...(reversed === key ? [] : formsOf(reversed, 'reversed'))].filter(
    ({ text }) => text.length >= shortest,
  );
}

/**
 * The first trace of a key in an answer: in the value of a header, in the body as it stands, or in
 * a text of its JSON (where a `/` may have been written `\/`).
 */
export function findTrace(
  answer: Pick<WireAnswer, 'headers' | 'body'>,
  traces: readonly Trace[],
): FoundTrace | undefined {
  const places = [
    { place: 'in its headers', text: answer.headers.map((line) => line.join(': ')).join('\n') },
    { place: 'in its body', text: textOf(answer.body) },
  ];
  for (const { place, text } of places) {
    const folded = text.toLowerCase();
    const found = traces.find((trace) =>
      trace.foldsCase ? folded.includes(trace.text) : text.includes(trace.text),
    );
    if (found !== undefined) return { form: found.form, place };
  }
  return undefined;
}

function formsOf(text: string, prefix: string): Trace[] {
  const bytes = encodeUtf8(text);
  const name = (form: string): string => [prefix, form].filter((part) => part !== '').join(', ');
  return [
    { text, form: name('') || 'plain', foldsCase: false },
    { text: encodeHex(bytes), form: name('in hexadecimal'), foldsCase: true },
    ...base64Forms(bytes).map((form) => ({
      text: form,
      form: name('in Base64'),
      foldsCase: false,
    })),
  ];
}

/**
 * Base64 in both alphabets at each of the three offsets at which the bytes may stand in something
 * longer, without the digits that also depend on what stands beside them.
 */
function base64Forms(bytes: Uint8Array): string[] {
  return [0, 1, 2].flatMap((offset) => {
    const digits = encodeBase64(Buffer.concat([new Uint8Array(offset), bytes]));
    const start = Math.ceil((offset * 4) / 3);
    const text = digits.slice(start, Math.floor(((offset + bytes.length) * 4) / 3));
    return [...new Set([text, text.replaceAll('+', '-').replaceAll('/', '_')])];
  });
}

function textOf(body: Uint8Array): string {
  const raw = Buffer.from(body).toString('utf8');
  const reading = readJson(body);
  return reading.ok ? [raw, ...stringsOf(reading.value)].join('\n') : raw;
}

function stringsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, item]) => [name, ...stringsOf(item)]);
}
