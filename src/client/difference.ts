/** What an experiment does. */
export interface Trial<A> {
  readonly attempt: () => Promise<A>;
  /** Whether it can be made once more, with a control. */
  readonly mayRepeat: () => boolean;
}

/** What is accepted of an experiment while the control is refused; `unsteady` where the control is accepted too. */
export interface Difference<E, A> {
  readonly kind: 'difference' | 'unsteady';
  readonly experiment: E;
  readonly accepted: A;
  readonly control: A;
}

/** What is refused now and then is no difference. */
const rounds = 3;

/**
 * Makes the experiments in turn, until one makes a difference, which is repeated with its control.
 *
 * @param prepare undefined where the experiment changes nothing here, or can't be afforded
 * @param control with everything as it was when it was refused
 * @param onRefused given each that is refused too
 */
export async function firstDifference<E, A extends { readonly accepted: boolean }>(
  experiments: readonly E[],
  prepare: (experiment: E) => Promise<Trial<A> | undefined>,
  control: () => Promise<A>,
  onRefused?: (experiment: E, attempt: A) => void,
): Promise<Difference<E, A> | undefined> {
  for (const experiment of experiments) {
    const trial = await prepare(experiment);
    if (trial === undefined) continue;
    let accepted = await trial.attempt();
    if (!accepted.accepted) onRefused?.(experiment, accepted);
    for (let left = rounds; accepted.accepted; left -= 1) {
      const refused = await control();
      if (refused.accepted) return { kind: 'unsteady', experiment, accepted, control: refused };
      if (left === 1 || !trial.mayRepeat())
        return { kind: 'difference', experiment, accepted, control: refused };
      accepted = await trial.attempt();
    }
  }
  return undefined;
}
