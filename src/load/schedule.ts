/**
 * Open model: sign-ups begin at their times, whether earlier ones have ended or not, as users do.
 * Closed model: `atOnce` at the same time, the next as soon as one has ended.
 */
export type Pace =
  | { readonly model: 'open'; readonly perSecond: number; readonly mostAtOnce: number }
  | { readonly model: 'closed'; readonly atOnce: number };

/** When a run begins sign-ups, and how many. */
export interface Schedule {
  readonly pace: Pace;
  /** How long sign-ups are begun; infinite where their number ends the run. */
  readonly durationMs: number;
  /** How many are begun; infinite where time ends the run. */
  readonly signups: number;
}
