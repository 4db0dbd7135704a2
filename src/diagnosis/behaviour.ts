import type { Diagnosis } from '../errors.ts';
import { behaviourCatalogue } from './catalogue/answer-behaviours.ts';
import { diagnosis } from './catalogue-entry.ts';
import { hintOf } from './catalogue-hint.ts';

/** Faults that no single answer shows; whoever compares several requests says what was seen. */
export type BehaviourCode = keyof typeof behaviourCatalogue;

/**
 * A diagnosis of what the other side does over several requests. `observed` is the message: one
 * or two sentences without a secret, text of the other side in it escaped.
 */
export function diagnoseBehaviour(code: BehaviourCode, observed: string): Diagnosis {
  return diagnosis(code, observed, hintOf(behaviourCatalogue[code]));
}
