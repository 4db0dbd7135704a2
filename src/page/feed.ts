import { EventEmitter } from 'node:events';
import { statusOf } from '../client/exchange.ts';
import type { SignupStep } from '../client/signup.ts';
import type { Secret } from '../crypto/secret.ts';
import { type RecordedCall, sizeOfCall } from '../emulator/journal.ts';
import { RecentItems } from '../emulator/recent-items.ts';
import type { Diagnosis } from '../errors.ts';
import { titleOf } from '../relay/capture.ts';
import type { RelayedExchange } from '../relay/relay.ts';
import { callReport, durationOf } from '../reports/exchange.ts';
import type { AvailableFault, Row } from './wire.ts';

const limits = { count: 2000, bytes: 67_108_864 };

/** The latest exchanges of a run, numbered. Emits `change`, and `close` at the end. */
export class Feed extends EventEmitter<{ change: []; close: [] }> {
  readonly #records = new RecentItems<WatchedRecord>(limits, sizeOfRecord);
  #last = 0;

  constructor() {
    super();
    this.setMaxListeners(0); // one for each page
  }

  add(record: NewRecord): void {
    this.#last += 1;
    this.#records.add({ ...record, id: this.#last });
    this.emit('change');
  }

  /** The retained records with a number above `id`, oldest first. */
  after(id: number): readonly WatchedRecord[] {
    return this.#records.items.filter((record) => record.id > id);
  }

  find(id: number): WatchedRecord | undefined {
    return this.#records.items.find((record) => record.id === id);
  }

  /** The number of the oldest retained record, or of the next one. */
  get first(): number {
    return this.#records.items[0]?.id ?? this.#last + 1;
  }

  /** Drops everything; numbers continue. */
  clear(): void {
    this.#records.clear();
    this.emit('change');
  }

  /** Ends the streams. */
  close(): void {
    this.emit('close');
  }
}

/** A record as a row of the list; not redacted yet. */
export function rowOf(record: WatchedRecord, catalogue: readonly AvailableFault[]): Row {
  if (record.way === 'passed') return passedRow(record);
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
    outcome:
      step.exchange.response === undefined ? 'none' : diagnosis === undefined ? 'good' : 'bad',
    faults: [],
    diagnosis: diagnosis?.code ?? null,
    remark: diagnosis?.message ?? null,
  };
}

function passedRow({ id, relayed }: PassedRecord): Row {
  const { exchange, judgement, direction, status } = relayed;
  const { ok, code, findings, diagnoses, ptnCd = exchange.ptnCd } = judgement;
  const [broken] = findings;
  const judged = ok ? 'good' : 'bad';
  return {
    id,
    at: exchange.startedAt ?? 0,
    durationMs: Math.round(exchange.durationMs ?? 0),
    way: direction === 'callback' ? 'in' : 'out',
    what: titleOf(exchange),
    ptnCd: ptnCd ?? null,
    status: status ?? null,
    code: code ?? null,
    outcome: status === undefined ? 'none' : judged,
    faults: [],
    diagnosis: diagnoses[0]?.code ?? broken?.check.id ?? null,
    remark: diagnoses[0]?.message ?? broken?.fault.observed ?? null,
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

/** An exchange that passed a relay. */
export interface PassedRecord {
  readonly id: number;
  readonly way: 'passed';
  readonly relayed: RelayedExchange;
  /** It was sent again from the page. */
}

export type WatchedRecord = ReceivedRecord | SentRecord | PassedRecord;

/** A record before it has its number. */
export type NewRecord =
  | Omit<ReceivedRecord, 'id'>
  | Omit<SentRecord, 'id'>
  | Omit<PassedRecord, 'id'>;

/** The bytes of both bodies. */
export function sizeOfRecord(record: WatchedRecord): number {
  if (record.way === 'in') return sizeOfCall(record.call);
  if (record.way === 'passed') {
    const { request, response } = record.relayed.exchange;
    return (request?.body.length ?? 0) + (response?.body.length ?? 0);
  }
  const { request, response } = record.step.exchange;
  return request.body.length + (response?.body.length ?? 0);
}
