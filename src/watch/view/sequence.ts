import type { SequenceStep } from '../../reports/sequence.ts';
import type { Row } from './wire.ts';

/** A row of the list as a step of a diagram: the emulator is on the right, its peer on the left. */
export function stepOf(row: Row): SequenceStep {
  return {
    request: row.what,
    response: responseText(row),
    outcome: row.outcome,
    isFromRight: row.way === 'out',
  };
}

/** The diagram in words, for screen readers. */
export function describeSequence(
  steps: readonly SequenceStep[],
  [left, right]: readonly [left: string, right: string],
): string {
  return steps
    .map(({ request, response, isFromRight }, index) => {
      const [from, to] = isFromRight ? [right, left] : [left, right];
      return `${index + 1}. ${from} to ${to}: ${request}; response: ${response}`;
    })
    .join('. ');
}

/** "HTTP 200, code 0000, 3 ms", and why it is not as it should be. */
function responseText({ status, code, durationMs, outcome, diagnosis, faults }: Row): string {
  if (outcome === 'none') return 'no response';
  const why = [diagnosis ?? faults[0]].filter((name) => name !== undefined && name !== code);
  return [`HTTP ${status}`, `code ${code ?? 'none'}`, `${durationMs} ms`, ...why].join(', ');
}
