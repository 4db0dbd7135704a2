/** How a run of the hardening trials goes. */
export interface HardeningOptions {
  /** A sample that fits into the pipeline, rather than everything. */
  readonly quick: boolean;
  /** How often what is right is tried, by the sections that repeat it. */
  readonly times?: number | undefined;
}

/** One line of the table. */
export interface Row {
  /** What was tried: "hostile responses". */
  readonly what: string;
  readonly tried: number;
  /** What is counted beside: "handled", "survived", "found". */
  readonly outcome: string;
  readonly count: number;
  /** A whole run that tries fewer than this has failed; a quick one may. */
  readonly atLeast: number;
}

/** What a section found. */
export interface SectionResult {
  readonly rows: readonly Row[];
  /** What went wrong, a line or a few each; the section passes exactly when it is empty. */
  readonly failures: readonly string[];
}

/** A part of the trials; each cleans up behind itself, also when it fails. */
export interface Section {
  readonly name: string;
  readonly run: (options: HardeningOptions) => Promise<SectionResult>;
}
