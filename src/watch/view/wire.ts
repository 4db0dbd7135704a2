/*
 * What the server of the page and the page itself say to each other. Nothing here needs Node or a
 * browser: both sides import it.
 */

/** Whose part the emulator plays. */
export type Side = 'application' | 'service';

/** How an exchange ended: well, badly, well but for a fault on request, or without an answer. */
export type RowOutcome = 'good' | 'bad' | 'fault' | 'none';

/** One exchange in the list. */
export interface Row {
  /** Counts from 1 in each run. */
  readonly id: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly durationMs: number;
  /** `in`: the emulator was asked; `out`: it asked the application. */
  readonly way: 'in' | 'out';
  /** The operation, or method and path of what is none. */
  readonly what: string;
  readonly ptnCd: string | null;
  readonly status: number | null;
  readonly code: string | null;
  readonly outcome: RowOutcome;
  readonly faults: readonly string[];
  /** The diagnosis in short: its code, or the name of the refusal. */
  readonly diagnosis: string | null;
  /** What was observed. */
  readonly remark: string | null;
}

/** A fault that is on. */
export interface ActiveFault {
  readonly name: string;
  readonly times?: number;
  readonly ptn_cd?: string;
}

/** A fault that can be switched on. */
export interface AvailableFault {
  readonly name: string;
  readonly title: string;
  readonly check: string;
  readonly diagnosis: string;
}

/** The first event of a stream. */
export interface Hello {
  /** Differs from run to run. */
  readonly run: string;
  readonly side: Side;
  readonly version: string;
  /** Where the interface is answered. */
  readonly url: string;
  readonly clientId: string;
  readonly cipher: string;
  /** Where sign-ups are sent to; null where they can't be. */
  readonly callbackUrl: string | null;
  /** Command lines that bring an exchange about. */
  readonly tryIt: readonly { readonly about: string; readonly line: string }[];
}

/** Exchanges that came, and the faults that are on now. */
export interface Update {
  readonly rows: readonly Row[];
  /** Exchanges with smaller ids are forgotten. */
  readonly from: number;
  readonly faults: readonly ActiveFault[];
}

/** One side of an exchange, secrets masked. */
export interface Message {
  /** `POST /callback`, or `200`. */
  readonly start: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
  readonly bodyBytes: number;
  /** What is unusual about it: cut, Base64, broken off. */
  readonly note: string | null;
}

/** What a field holds; the value comes only when it is asked for. */
export interface HiddenField {
  readonly part: 'request' | 'answer';
  readonly field: string;
  readonly title: string;
  /** Shown at once; null where it is secret or can't be read. */
  readonly value: string | null;
  /** Under which name {@link Revealed} gives it; null where there is nothing to reveal. */
  readonly item: string | null;
  readonly note: string | null;
}

/** Why something failed and how to mend it, in the words of `explain`. */
export interface Finding {
  readonly kind: 'failure' | 'fault' | 'weakness';
  readonly code: string;
  readonly title: string;
  /** What was seen in this very exchange. */
  readonly observed: string;
  readonly meaning: string | null;
  readonly recognised: string | null;
  readonly mend: string;
  readonly calls: readonly { readonly stacks: string; readonly call: string }[];
  readonly section: string | null;
}

/** One exchange in full. */
export interface Detail {
  readonly id: number;
  readonly request: Message;
  readonly answer: Message | null;
  readonly fields: readonly HiddenField[];
  readonly findings: readonly Finding[];
  readonly notes: readonly string[];
}

/** What was asked for by a click. */
export interface Revealed {
  readonly value: string;
}

/** The items that are there beside fields: the bodies as they went over the wire. */
export type BodyItem = 'request-body' | 'answer-body';
