import type { Explanation } from '../reports/explanation.ts';

/** A group of codes that can be explained; loaded when it is asked for. */
export interface ExplanationSource {
  /** The heading in the list of all. */
  readonly title: string;
  readonly load: () => Promise<readonly Explanation[]>;
}

/** Everything that `explain` knows, in the order of the list. */
export const explanationSources: readonly ExplanationSource[] = [
  {
    title: 'Diagnoses',
    load: async () => (await import('./explanations/diagnoses.ts')).diagnoses(),
  },
  {
    title: 'Checks of verify and verify-service',
    load: async () => (await import('./explanations/checks.ts')).checks(),
  },
  { title: 'Errors', load: async () => (await import('./explanations/errors.ts')).errors },
  {
    title: 'Codes of the emulators',
    load: async () => (await import('./explanations/emulator-codes.ts')).emulatorCodes(),
  },
];
