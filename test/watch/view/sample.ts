import type { Row } from '../../../src/watch/view/wire.ts';

/** A row of the list that went well, with what a test needs otherwise. */
export function row(changes: Partial<Row> = {}): Row {
  return {
    id: 1,
    at: Date.UTC(2026, 0, 2, 3, 4, 5),
    durationMs: 3,
    way: 'in',
    what: 'key-exchange',
    ptnCd: 'alice',
    status: 200,
    code: '0000',
    outcome: 'good',
    faults: [],
    diagnosis: null,
    remark: null,
    ...changes,
  };
}
