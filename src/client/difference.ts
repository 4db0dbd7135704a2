/** What an experiment does. */
export interface Trial<A> {
  readonly attempt: () => Promise<A>;
  /** Whether it can be made once more, with a control. */
  readonly mayRepeat: () => boolean;
}

/** Where experiments are made. */
export interface Bench<E, A> {
  /** Undefined where the experiment changes nothing here, or can't be afforded. */
  readonly prepare: (experiment: E) => Promise<Trial<A> | undefined>;
  /** With everything as it was when it was refused. */
  readonly control: () => Promise<A>;
  /** Given each that is refused too. */
  readonly onRefused?: (experiment: E, attempt: A) => void;
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

/** Makes the experiments in turn, until one makes a difference, which is repeated with its control. */
export async function firstDifference<E, A extends { readonly accepted: boolean }>(
  experiments: readonly E[],
  bench: Bench<E, A>,
): Promise<Difference<E, A> | undefined> {
  for (const experiment of experiments) {
    const trial = await bench.prepare(experiment);
    if (trial === undefined) continue;
    let accepted = await trial.attempt();
    if (!accepted.accepted) bench.onRefused?.(experiment, accepted);
    for (let left = rounds; accepted.accepted; left -= 1) {
      const control = await bench.control();
      if (control.accepted) return { kind: 'unsteady', experiment, accepted, control };
      if (left === 1 || !trial.mayRepeat())
        return { kind: 'difference', experiment, accepted, control };
      accepted = await trial.attempt();
    }
  }
  return undefined;
}
