import type { SignupStep } from '../client/signup.ts';
import type { Secret } from '../crypto/secret.ts';
import { type RecordedCall, sizeOfCall } from '../emulator/journal.ts';
import type { Diagnosis } from '../errors.ts';

/** A call that the emulator received. */
export interface ReceivedRecord {
  readonly id: number;
  readonly way: 'in';
  readonly call: RecordedCall;
}

/** A callback that the emulated service sent. */
export interface SentRecord {
  readonly id: number;
  readonly way: 'out';
  readonly step: SignupStep;
  readonly ptnCd: string;
  /** The per-user key, once it is known. */
  readonly key?: Secret;
  /** Why the sign-up ended with this step, where the step alone does not say it. */
  readonly diagnosis?: Diagnosis;
}

/** One exchange as the page's server keeps it. */
export type WatchedRecord = ReceivedRecord | SentRecord;

/** A record before it has its number. */
export type NewRecord = Omit<ReceivedRecord, 'id'> | Omit<SentRecord, 'id'>;

/** How much of the memory it takes, in bytes of both bodies. */
export function sizeOfRecord(record: WatchedRecord): number {
  if (record.way === 'in') return sizeOfCall(record.call);
  const { request, answer } = record.step.exchange;
  return request.body.length + (answer?.body.length ?? 0);
}
