/** A part of a run in which the rate changes linearly. */
export interface Stage {
  /** May be infinite for the last one. */
  readonly durationMs: number;
  /** Sign-ups a second at its beginning and at its end. */
  readonly from: number;
  readonly to: number;
}

/**
 * Open model: sign-ups begin at their times, whether earlier ones have ended or not, as users do.
 * Closed model: `atOnce` at the same time, the next as soon as one has ended.
 */
export type Pace =
  | { readonly model: 'open'; readonly stages: readonly Stage[]; readonly mostAtOnce: number }
  | { readonly model: 'closed'; readonly atOnce: number; readonly rampUpMs: number };

/** When a run begins sign-ups, and how many. */
export interface Schedule {
  readonly pace: Pace;
  /** The beginning, which is not counted. */
  readonly warmUpMs: number;
  /** How long after the warm-up sign-ups are begun; infinite where their number ends the run. */
  readonly durationMs: number;
  /** How many are begun after the warm-up; infinite where time ends the run. */
  readonly signups: number;
}

/** A constant rate after a linear ramp. */
export function steadyRate(perSecond: number, rampUpMs: number): readonly Stage[] {
  const steady = { durationMs: Number.POSITIVE_INFINITY, from: perSecond, to: perSecond };
  return rampUpMs === 0 ? [steady] : [{ durationMs: rampUpMs, from: 0, to: perSecond }, steady];
}

/** Stages that each go from the rate of the one before to their own; the first begins at its own. */
export function stagedRate(
  stages: readonly { readonly durationMs: number; readonly rate: number }[],
): readonly Stage[] {
  return stages.map(({ durationMs, rate }, index) => ({
    durationMs,
    from: stages[index - 1]?.rate ?? 0,
    to: rate,
  }));
}

/**
 * The times at which an open model begins sign-ups. Of several threads each takes every nth time, so
 * that together they follow the whole schedule without messages.
 */
export class Arrivals {
  readonly #stages: readonly Stage[];
  readonly #step: number;
  #number: number;
  #stage = 0;
  /** Begun before the current stage, and its beginning in milliseconds. */
  #before = 0;
  #stageStart = 0;

  constructor(stages: readonly Stage[], first: number, step: number) {
    this.#stages = stages;
    this.#number = first;
    this.#step = step;
  }

  /** Milliseconds from the start of the run to the next one; undefined when there are no more. */
  next(): number | undefined {
    for (;;) {
      const stage = this.#stages[this.#stage];
      if (stage === undefined) return undefined;
      const inStage = this.#number - this.#before;
      if (inStage < countIn(stage)) {
        this.#number += this.#step;
        return this.#stageStart + timeOf(stage, inStage);
      }
      this.#before += countIn(stage);
      this.#stageStart += stage.durationMs;
      this.#stage += 1;
    }
  }
}

/** How many sign-ups a stage begins: the area under its rate. */
function countIn({ durationMs, from, to }: Stage): number {
  if (from === 0 && to === 0) return 0;
  return ((from + to) / 2) * (durationMs / 1000);
}

/** Milliseconds into the stage at which `count` have begun: from·t + (to − from)·t²/2D = count. */
function timeOf({ durationMs, from, to }: Stage, count: number): number {
  if (count === 0) return 0;
  if (from === to) return (count / from) * 1000;
  const seconds = durationMs / 1000;
  const slope = (to - from) / seconds;
  // The root that loses no digits where the slope is small.
  return ((2 * count) / (from + Math.sqrt(from * from + 2 * slope * count))) * 1000;
}
