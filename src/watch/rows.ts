import { statusOf } from '../client/exchange.ts';
import { callReport, durationOf } from '../reports/exchange.ts';
import type { ReceivedRecord, SentRecord, WatchedRecord } from './record.ts';
import type { Row } from './view/wire.ts';

/** What a fault does, in one line, by its name. */
export type FaultTitles = ReadonlyMap<string, string>;

/** A record as a row of the list; not redacted yet. */
export function rowOf(record: WatchedRecord, faultTitles: FaultTitles): Row {
  return record.way === 'in' ? receivedRow(record, faultTitles) : sentRow(record);
}

function receivedRow({ id, call }: ReceivedRecord, faultTitles: FaultTitles): Row {
  const { facts, request, answer } = call;
  const { refusal, faults } = facts;
  const [fault] = faults;
  const isLost = answer.delivery?.breakOff !== undefined;
  const failed = refusal === undefined ? 'good' : 'bad';
  return {
    id,
    at: call.receivedAt,
    durationMs: call.durationMs,
    way: 'in',
    what: facts.operation ?? `${request.method} ${request.path}`,
    ptnCd: facts.ptnCd ?? null,
    status: isLost ? null : answer.status,
    code: isLost ? null : (facts.code ?? null),
    outcome: isLost ? 'none' : fault === undefined ? failed : 'fault',
    faults,
    diagnosis: refusal?.name ?? null,
    remark: refusal?.message ?? (fault === undefined ? null : (faultTitles.get(fault) ?? null)),
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
