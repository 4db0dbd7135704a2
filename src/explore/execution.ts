import type { CallOutcome } from '../client/call.ts';
import { type Exchange, statusOf, type WireRequest } from '../client/exchange.ts';
import { checkHeader } from '../conformance/context.ts';
import type { Diagnosis } from '../errors.ts';
import type { Expectation } from './model/expectation.ts';
import type { Sequence, Step } from './sequence.ts';

/** Sends a request on a kept connection or on a new one; see {@link Transport.send}. */
export type Send = (request: WireRequest, connection: 'kept' | 'fresh') => Promise<Exchange>;

/** A step as it went. */
export interface SentStep {
  readonly step: Step;
  readonly operation: { readonly id: string; readonly about: string };
  /** The number of its round, from 0; others of the same were under way at the same time. */
  readonly round: number;
  readonly ptnCd: string;
  readonly expected: Expectation;
  readonly outcome: CallOutcome<object>;
}

/** A sequence as it went, up to the first violation. */
export interface Execution {
  /** What could be sent; steps that no longer fit are left out. */
  readonly sent: readonly SentStep[];
  readonly violation?: Violation;
  /** The endpoint limits the rate of requests (HTTP 429), which the interface leaves open. */
  readonly isLimited: boolean;
}

/** Sends a sequence once. */
export type Execute = (sequence: Sequence) => Promise<Execution>;

/** A sequence, and how it went. */
export interface Executed {
  readonly sequence: Sequence;
  readonly execution: Execution;
}

/** What a sequence shows to be wrong. */
export interface Violation {
  /** `answer`: accepted or refused; the others are of responses that were accepted rightly. */
  readonly kind: 'answer' | 'key' | 'key-repeated' | 'leak' | 'other-user' | 'passcode' | 'fields';
  /** The steps that show it: one, or those of one user that were under way at the same time. */
  readonly steps: readonly SentStep[];
  /** "a registration was refused" */
  readonly title: string;
  readonly expected: string;
  readonly why: string;
  readonly observed: string;
  readonly diagnosis?: Diagnosis;
}

/** How the steps of one side are sent and judged. */
interface Side<Prepared, Sent extends SentStep> {
  /** The requests of a round; what no longer fits is left out. */
  readonly prepare: (steps: readonly Step[], round: number) => Promise<readonly Prepared[]>;
  readonly send: (prepared: Prepared) => Promise<Sent>;
  readonly judge: (sent: readonly Sent[]) => Promise<Violation | undefined>;
}

/** Sends the rounds of a sequence, the steps of each at the same time, until one of them shows a violation. */
export async function sendRounds<Prepared, Sent extends SentStep>(
  { rounds }: Sequence,
  { prepare, send, judge }: Side<Prepared, Sent>,
): Promise<Execution> {
  const all: Sent[] = [];
  for (const [number, steps] of rounds.entries()) {
    const sent = await Promise.all((await prepare(steps, number)).map(send));
    all.push(...sent);
    if (sent.some(({ outcome }) => statusOf(outcome.exchange) === 429)) {
      return { sent: all, isLimited: true };
    }
    const violation = await judge(sent);
    if (violation !== undefined) return { sent: all, violation, isLimited: false };
  }
  return { sent: all, isLimited: false };
}

/** Sends the request of a step, in whose header its operation is named. */
export function sendStep(
  send: Send,
  { headers, ...request }: WireRequest,
  { operation, step }: Pick<SentStep, 'operation' | 'step'>,
): Promise<Exchange> {
  const mark = [checkHeader, `explore/${operation.id}`] as const;
  return send({ ...request, headers: [...headers, mark] }, step.fresh ? 'fresh' : 'kept');
}

/** Groups what belongs to users by their number. */
export function byUser<T>(
  sent: readonly SentStep[],
  each: readonly T[],
): ReadonlyMap<number, readonly T[]> {
  const found = new Map<number, T[]>();
  for (const [index, item] of each.entries()) {
    const user = sent[index]?.step.user ?? 0;
    found.set(user, [...(found.get(user) ?? []), item]);
  }
  return found;
}
