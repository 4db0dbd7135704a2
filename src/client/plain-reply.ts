import { type AnswerParser, fieldOf, readFields } from './answer-parser.ts';
import type { WireAnswer } from './exchange.ts';

/** Whether nothing but the body of the answer has to be looked at: a success, not compressed. */
export function isPlain({ head, tooLarge }: AnswerParser): boolean {
  return (
    head !== undefined &&
    !tooLarge &&
    head.status >= 200 &&
    head.status < 300 &&
    fieldOf(head.lines, 'content-encoding') === undefined
  );
}

/** The answer as it came, as far as it came; undefined where its head did not. */
export function toWireAnswer({ head, body }: AnswerParser): WireAnswer | undefined {
  if (head === undefined) return undefined;
  const { status, statusText, lines } = head;
  const headers = readFields(lines);
  return {
    status,
    statusText,
    httpVersion: 'HTTP/1.1',
    headers,
    body,
    encodedBodyBytes: body.length,
  };
}
