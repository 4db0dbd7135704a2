import { statusOf } from '../client/exchange.ts';
import type { SignupStep } from '../client/signup.ts';
import type { Secret } from '../crypto/secret.ts';
import { type RecordedCall, sizeOfCall } from '../emulator/journal.ts';
import type { Diagnosis } from '../errors.ts';
import { callReport, durationOf } from '../reports/exchange.ts';
import type { AvailableFault, Row } from './view/wire.ts';

/** A record as a row of the list; not redacted yet. */
export function rowOf(record: WatchedRecord, catalogue: readonly AvailableFault[]): Row {
  return record.way === 'in' ? receivedRow(record, catalogue) : sentRow(record);
}

function receivedRow({ id, call }: ReceivedRecord, catalogue: readonly AvailableFault[]): Row {
  const { facts, request, response } = call;
  const { refusal, faults } = facts;
  const [fault] = faults;
  const isLost = response.delivery?.breakOff !== undefined;
  const failed = refusal === undefined ? 'good' : 'bad';
  return {
    id,
    at: call.receivedAt,
    durationMs: call.durationMs,
    way: 'in',
    what: facts.operation ?? `${request.method} ${request.path}`,
    ptnCd: facts.ptnCd ?? null,
    status: isLost ? null : response.status,
    code: isLost ? null : (facts.code ?? null),
    outcome: isLost ? 'none' : fault === undefined ? failed : 'fault',
    faults,
    diagnosis: refusal?.name ?? null,
    remark: refusal?.message ?? catalogue.find(({ name }) => name === fault)?.title ?? null,
  };
}

function sentRow({ id, step, ptnCd, diagnosis: whole }: SentRecord): Row {
  const { code } = callReport(step);
  const diagnosis = step.diagnosis ?? whole;
  const status = statusOf(step.exchange) ?? null;
  return {
    id,
    at: step.exchange.startedAt,
    durationMs: durationOf(step),
    way: 'out',
    what: step.usedType === '1' ? 'key-exchange' : 'registration',
    ptnCd,
    status,
    code,
    outcome: step.exchange.answer === undefined ? 'none' : diagnosis === undefined ? 'good' : 'bad',
    faults: [],
    diagnosis: diagnosis?.code ?? null,
    remark: diagnosis?.message ?? null,
  };
}

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
  readonly key?: Secret;
  /** Why the sign-up ended with this step, if not by the diagnosis of the step. */
  readonly diagnosis?: Diagnosis;
}

export type WatchedRecord = ReceivedRecord | SentRecord;

/** A record before it has its number. */
export type NewRecord = Omit<ReceivedRecord, 'id'> | Omit<SentRecord, 'id'>;

/** The bytes of both bodies. */
export function sizeOfRecord(record: WatchedRecord): number {
  if (record.way === 'in') return sizeOfCall(record.call);
  const { request, answer } = record.step.exchange;
  return request.body.length + (answer?.body.length ?? 0);
}
