import { readFields } from './answer-head.ts';
import type { AnswerParser } from './answer-parser.ts';
import type { WireAnswer } from './exchange.ts';

/** Whether nothing but the body of the answer has to be looked at: a success, not compressed. */
export function isPlain({ head, tooLarge }: AnswerParser): boolean {
  return head?.isPlain === true && !tooLarge;
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
    body: Buffer.from(body), // it stands where the next answer will
    encodedBodyBytes: body.length,
  };
}
