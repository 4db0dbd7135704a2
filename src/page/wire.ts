/*
 * The messages between the page and its server. Both import this file, so it needs neither Node nor
 * a browser.
 */

export interface Row {
  /** Counts from 1 in each run. */
  readonly id: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly durationMs: number;
  /** `in`: the emulator received the request; `out`: it sent the request to the application. Of a relay `in` are callbacks. */
  readonly way: 'in' | 'out';
  /** The operation; method and path of other requests. */
  readonly what: string;
  readonly ptnCd: string | null;
  readonly status: number | null;
  readonly code: string | null;
  /** `fault`: an active fault changed the response; `none`: no response came. */
  readonly outcome: 'good' | 'bad' | 'fault' | 'none';
  readonly faults: readonly string[];
  /** The code of the diagnosis, or the name of the refusal. */
  readonly diagnosis: string | null;
  readonly remark: string | null;
}

/** The first event of a stream. */
export interface Hello {
  /** Differs from run to run. */
  readonly run: string;
  readonly side: 'application' | 'service' | 'relay';
  /** The address of the emulated interface, or the one that is relayed. */
  readonly url: string;
  /** Client, cipher and version, in words. */
  readonly about: string;
}

/** One thing that relayed traffic showed. */
export interface LearnedSetting {
  readonly setting: string;
  readonly value: string;
  readonly confidence: string;
  readonly evidence: string;
}

/** New exchanges, and what a relay has learned so far. */
export interface Update {
  readonly rows: readonly Row[];
  /** Exchanges with smaller ids have been dropped. */
  readonly from: number;
  readonly learned: readonly LearnedSetting[];
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

/** A field and its meaning; a secret value is sent only on request. */
export interface HiddenField {
  readonly field: string;
  readonly title: string;
  /** Null if it is secret or can't be read. */
  readonly value: string | null;
  /** The name under which it is revealed; null if there is nothing to reveal. */
  readonly item: string | null;
  readonly note: string | null;
}

/** Why something failed and how to fix it, in the words of `explain`. */
export interface Finding {
  readonly kind: 'failure' | 'fault' | 'weakness';
  readonly code: string;
  readonly title: string;
  readonly observed: string;
  readonly meaning: string | null;
  readonly fix: string;
  /** How it is done right in the language of the application, where that is known. */
  readonly call: { readonly stack: string; readonly call: string } | null;
  readonly section: string | null;
}

export interface Detail {
  readonly request: Message;
  readonly response: Message | null;
  readonly fields: readonly HiddenField[];
  readonly findings: readonly Finding[];
  readonly notes: readonly string[];
  /** Whether the bodies can be revealed, as `request-body` and `response-body`. */
  readonly reveals: boolean;
}

export interface Revealed {
  readonly value: string;
}
