import type { Diagnosis } from '../errors.ts';
import { excerptOf } from '../text.ts';
import { diagnosis } from './catalogue-entry.ts';

/** How a body was seen to pass the limit. */
export interface TooLargeFacts {
  /** The number of bytes that Content-Length announces. */
  readonly announced?: number;
  /** The content coding under which it passed the limit. */
  readonly inflated?: string;
}

/** The diagnosis of a body of more than `limit` bytes. */
export function bodyTooLarge(limit: number, { announced, inflated }: TooLargeFacts): Diagnosis {
  const size = formatBytes(limit);
  const seen =
    inflated !== undefined
      ? `The body of the answer passes ${size} when its ${inflated} is undone`
      : announced !== undefined && announced > limit
        ? `The answer announces a body of ${announced} bytes, and at most ${size} are read`
        : `The body of the answer goes on past ${size}`;
  return diagnosis(
    'body-too-large',
    `${seen}.`,
    'An answer of this interface is a few hundred bytes: look for what else is written into it.',
  );
}

/** The diagnosis of a Content-Encoding that can't be undone: what it holds can't be read as JSON. */
export function unknownEncoding(name: string): Diagnosis {
  return diagnosis(
    'not-json',
    `The body of the answer has the Content-Encoding "${excerptOf(name, 40)}", which can't be undone here.`,
    'Send the JSON without a Content-Encoding: none was asked for. gzip, deflate and br are read.',
  );
}

/** The most content codings that are undone; nobody applies more than one on purpose. */
export const maxCodings = 5;

/** The diagnosis of a Content-Encoding of more codings than are undone. */
export function tooManyEncodings(count: number): Diagnosis {
  return diagnosis(
    'not-json',
    `The Content-Encoding of the answer names ${count} codings, and at most ${maxCodings} are undone.`,
    'Send the JSON without a Content-Encoding: none was asked for. Look for a filter that compresses again and again.',
  );
}

/** The diagnosis of a body that is not what its Content-Encoding says. */
export function brokenEncoding(name: string): Diagnosis {
  return diagnosis(
    'not-json',
    `The answer says Content-Encoding: ${name}, and its body is no complete ${name} stream.`,
    'Check that the body is compressed exactly once, wholly, and that the header says so only then.',
  );
}

function formatBytes(bytes: number): string {
  if (bytes >= 1024 ** 2 && bytes % 1024 ** 2 === 0) return `${bytes / 1024 ** 2} MiB`;
  if (bytes >= 1024 && bytes % 1024 === 0) return `${bytes / 1024} KiB`;
  return `${bytes} bytes`;
}
