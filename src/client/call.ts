import { diagnoseRedirect } from '../diagnosis/redirect.ts';
import type { Diagnosis } from '../errors.ts';
import { type AnswerReading, statusNote } from '../protocol/answer.ts';
import { contentType, isJsonContentType } from '../protocol/endpoints.ts';
import { excerptOf } from '../text.ts';
import { type Exchange, headerOf, type WireAnswer, type WireRequest } from './exchange.ts';
import type { Transport } from './transport.ts';

/** One call of the interface: what went over the wire, and what it means. */
export interface CallOutcome<T> {
  readonly exchange: Exchange;
  /** What stands in the answer; absent where none came, or a redirect. */
  readonly reading?: AnswerReading<T>;
  /** Set exactly when the answer is right and its `code` is "0000". */
  readonly result?: T;
  /** Whether the call did what it was for. */
  readonly ok: boolean;
  /** Why not; beside `ok`, a weakness that the call had all the same. */
  readonly diagnosis?: Diagnosis;
  /** What is odd, as sentences for people. */
  readonly notes: readonly string[];
}

/** The request of an operation (section 4): POST, JSON, the header to the letter. */
export function toWireRequest(url: URL, body: Uint8Array): WireRequest {
  return { method: 'POST', url, headers: [['Content-type', contentType]], body };
}

/** Sends `request` and judges the answer with `read`; never rejects for the peer's faults. */
export async function call<T>(
  transport: Transport,
  request: WireRequest,
  read: (body: Uint8Array) => AnswerReading<T>,
): Promise<CallOutcome<T>> {
  return judgeExchange(await transport.send(request), read);
}

/**
 * Judges an exchange: its failure, a redirect (which is never followed, whatever its body says),
 * then what stands in the body. The HTTP status and the content type are open in the interface:
 * what is odd about them is a note. What explains a wrong answer is loaded when there is one.
 * @param invitedBy the `client_id` of a request about a user whom the other side needn't know
 */
export async function judgeExchange<T>(
  exchange: Exchange,
  read: (body: Uint8Array) => AnswerReading<T>,
  invitedBy?: string,
): Promise<CallOutcome<T>> {
  const { answer } = exchange;
  if (answer === undefined) {
    return { exchange, ok: false, diagnosis: exchange.failure, notes: [] };
  }
  const type = headerOf(answer.headers, 'content-type');
  const { status } = answer;
  const location = headerOf(answer.headers, 'location');
  const redirect = diagnoseRedirect({ status, location, url: exchange.request.url });
  if (redirect !== undefined) return { exchange, ok: false, diagnosis: redirect, notes: [] };
  const reading = read(answer.body);
  const notes = [...reading.notes, ...notesOf(answer, type, reading)];
  if (reading.result !== undefined) {
    return { exchange, reading, result: reading.result, ok: true, notes };
  }
  const { problem } = reading;
  if (problem === undefined) return { exchange, reading, ok: false, notes };
  const { diagnoseAnswer } = await import('../diagnosis/answer.ts');
  const diagnosis = diagnoseAnswer(problem, { status, contentType: type, invitedBy });
  return { exchange, reading, ok: false, diagnosis, notes };
}

function notesOf<T>(
  { status }: WireAnswer,
  type: string | undefined,
  reading: AnswerReading<T>,
): readonly string[] {
  const notes: string[] = [];
  const aboutStatus = statusNote(reading, status);
  if (aboutStatus !== undefined) notes.push(aboutStatus);
  // A body that is no JSON has its own diagnosis, which tells the content type too.
  if (reading.json !== undefined && !isJsonContentType(type)) {
    notes.push(
      type === undefined
        ? 'The answer has no Content-Type; it should say application/json.'
        : `The Content-Type of the answer is ${excerptOf(type, 80)}; it should be application/json.`,
    );
  }
  return notes;
}
