import { encodeBase64, encodeHex, encodeUtf8 } from '../bytes.ts';
import { keepingLatest } from '../latest-results.ts';
import { readJson } from '../protocol/json.ts';
import { diagnose } from './catalogue.ts';

interface SearchedResponse {
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array;
}

/**
 * Finds the first of plain per-user keys in a response (4.1.1 rule 2), in any form, which it names: "in hexadecimal";
 * `to` names the request: "a registration".
 */
export function keyLeakFinder(keys: Iterable<string>) {
  const traces = [...new Set(keys)].flatMap(tracesOf);
  return (response: SearchedResponse, to: string) => {
    const found = findTrace(response, traces);
    if (found === undefined) return undefined;
    const { form, place } = found;
    const message = `The response to ${to} contains the per-user key ${place}, ${form}.`;
    return { form, diagnosis: diagnose('key-leaked', message) };
  };
}

/** A form of a plain key, and its name: "in hexadecimal", … */
interface Trace {
  readonly text: string;
  readonly form: string;
  readonly foldsCase: boolean;
}

/** Shorter texts occur by chance. */
const shortest = 16;

/** The forms of the key that count: plain, reversed, in hexadecimal, in Base64 at any offset. */
export const tracesOf = keepingLatest(64, (key: string): readonly Trace[] => {
  const reversed = [...key].reverse().join('');
  const all = [
    ...formsOf(key, 'in plain text', ''),
    ...(reversed === key ? [] : formsOf(reversed, 'reversed', 'reversed, ')),
  ];
  return all.filter(({ text }) => text.length >= shortest);
});

/** The first trace in a response: in a header, the raw body, or its JSON (`/` may be written `\/`). */
export function findTrace(
  { headers, body }: SearchedResponse,
  traces: readonly Trace[],
): { readonly form: string; readonly place: string } | undefined {
  for (const [place, text] of [
    ['in its headers', headers.map((line) => line.join(': ')).join('\n')],
    ['in its body', textOf(body)],
  ] as const) {
    const folded = text.toLowerCase();
    const found = traces.find((trace) => (trace.foldsCase ? folded : text).includes(trace.text));
    if (found !== undefined) return { form: found.form, place };
  }
  return undefined;
}

function formsOf(text: string, form: string, prefix: string): Trace[] {
  const bytes = encodeUtf8(text);
  const inBase64 = { form: `${prefix}in Base64`, foldsCase: false };
  return [
    { text, form, foldsCase: false },
    { text: encodeHex(bytes), form: `${prefix}in hexadecimal`, foldsCase: true },
    ...base64Forms(bytes).map((digits) => ({ text: digits, ...inBase64 })),
  ];
}

/**
 * Base64 in both alphabets at each of the three offsets that the bytes may have in a longer text,
 * without the digits that also depend on the bytes beside them.
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
