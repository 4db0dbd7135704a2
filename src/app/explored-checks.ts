import type { CheckFacts } from '../conformance/check.ts';
import type { CheckResult, RecordedExchange, RunResult } from '../conformance/result.ts';
import { coveredPairs } from '../explore/coverage.ts';
import type { SentStep } from '../explore/execution.ts';
import type { Exploration } from '../explore/explore.ts';

/** What was explored, for the reports of checks. */
interface Explored
  extends Pick<RunResult, 'url' | 'clientId' | 'cipher' | 'startedAt' | 'durationMs'> {
  readonly operations: readonly { readonly id: string; readonly about: string }[];
}

/**
 * An exploration as a run of checks, one for each operation: it failed where a step of it shows what is wrong, and was
 * skipped where it was never sent.
 */
export function exploredChecks(found: Exploration, explored: Explored): RunResult {
  const { operations, ...facts } = explored;
  const { execution } = found.failures[0] ?? {};
  const sent = execution?.sent ?? [];
  const covered = new Map<string, number>();
  for (const { operation, count } of coveredPairs(found.coverage)) {
    covered.set(operation, (covered.get(operation) ?? 0) + count);
  }
  const checks = operations.map(({ id, about }): CheckResult => {
    const check = { ...factsOf(id), title: `${about} is answered as the interface says` };
    const exchanges = sent.filter(({ operation }) => operation.id === id).map(recorded);
    const base = { check, startedAt: facts.startedAt, durationMs: 0, exchanges, notes: [] };
    const { violation } = execution ?? {};
    const wrong = violation?.steps.find(({ operation }) => operation.id === id);
    if (violation !== undefined && wrong !== undefined) {
      const { expected, observed, diagnosis, why } = violation;
      const fix = diagnosis?.hint ?? why;
      const evidence = wrong.outcome.exchange;
      return { ...base, status: 'failed', fault: { expected, observed, diagnosis, fix, evidence } };
    }
    const count = covered.get(id) ?? 0;
    return count > 0
      ? { ...base, status: 'passed', notes: [`sent ${count} times`] }
      : { ...base, status: 'skipped', reason: 'No sequence of this run contained it.' };
  });
  return {
    ...facts,
    seed: found.seed,
    strict: false,
    checks,
    controls: [],
    exchanges: sent.map(recorded),
    users: [...new Set(sent.map(({ ptnCd }) => ptnCd))],
    ...(found.unreachable && { unreachable: found.unreachable }),
    interrupted: found.interrupted,
  };
}

const groups: Readonly<Record<string, RecordedExchange['operation']>> = {
  'key-exchange': 'key-exchange',
  registration: 'registration',
  token: 'token',
  authenticate: 'authenticate',
};

const sections: Readonly<Record<RecordedExchange['operation'], string>> = {
  'key-exchange': '4.1.1',
  registration: '4.1.2',
  token: '4.2.1',
  authenticate: '4.2.2',
  'sign-in': '1',
};

function groupOf(id: string): RecordedExchange['operation'] {
  return groups[id.split('/')[0] ?? ''] ?? 'sign-in';
}

function factsOf(id: string): Omit<CheckFacts, 'title'> {
  const sentence = 'What it may be answered follows from all requests before it.';
  return { id, section: sections[groupOf(id)], sentence, level: 'must', polarity: 'positive' };
}

function recorded({ operation, ptnCd, expected, outcome }: SentStep): RecordedExchange {
  return {
    check: operation.id,
    operation: groupOf(operation.id),
    intent: expected.verdict === 'refused' ? 'wrong' : 'right',
    ptnCd,
    exchange: outcome.exchange,
    outcome,
    alone: false,
  };
}
