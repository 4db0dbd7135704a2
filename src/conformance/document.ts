import type { Diagnosis, DiagnosisCode, Stack } from '../errors.ts';

/** A run of `verify` as plain data, which schemas/verify-1.json describes; times are milliseconds. */
export interface VerifyDocument {
  readonly schema: string;
  /** The release of authcli. */
  readonly version: string;
  /** The version of the requirements that were checked. */
  readonly requirements?: number | undefined;
  readonly command: string;
  readonly target: string;
  /** Absent where a command alone signed in. */
  readonly url?: string | undefined;
  readonly client_id: string;
  /** In the canonical notation. */
  readonly cipher: string;
  readonly seed: string;
  readonly strict: boolean;
  /** The language of the application, where there is evidence of it. */
  readonly stack?: Stack | undefined;
  /** The checks of the sign-in were selected, and nothing triggers a sign-in. */
  readonly sign_in?: 'not-checked' | undefined;
  readonly interrupted: boolean;
  /** ISO 8601 */
  readonly started_at: string;
  readonly duration_ms: number;
  readonly requests: number;
  readonly summary: Readonly<Record<CheckDocument['status'], number>>;
  readonly checks: readonly CheckDocument[];
  /** Checks that ran only because others need them; not in the summary. */
  readonly controls: readonly CheckDocument[];
  /** The user codes that the run used. */
  readonly users: readonly string[];
  /** Why no request got a response. */
  readonly unreachable?: Diagnosis | undefined;
  /** Known failures whose checks pass. */
  readonly stale: readonly KnownFailure[];
  /** Known failures whose day is over. */
  readonly expired: readonly KnownFailure[];
  /** What repeats the run. */
  readonly repeat: string;
  readonly certificate?: CertificateDocument | undefined;
  readonly over_time?: readonly IntervalDocument[] | undefined;
}

/** A check and its result. */
export interface CheckDocument {
  readonly id: string;
  readonly title: string;
  readonly section: string;
  readonly sentence: string;
  readonly level: 'must' | 'should';
  readonly polarity: 'positive' | 'negative';
  readonly status: 'passed' | 'failed' | 'warned' | 'incomplete' | 'skipped';
  readonly duration_ms: number;
  readonly exchanges: readonly ExchangeDocument[];
  readonly notes: readonly string[];
  /** Why it was not judged, and the other check because of which it was not. */
  readonly reason?: string | undefined;
  readonly lacks?: string | undefined;
  readonly harm?: 'lets-in' | 'leaks' | undefined;
  readonly expected?: string | undefined;
  readonly observed?: string | undefined;
  readonly diagnosis?: Diagnosis | undefined;
  readonly fix?: string | undefined;
  readonly repeat?: { readonly command: string; readonly curl?: string | undefined } | undefined;
  /** The exchange that shows it, as on the wire. */
  readonly evidence?: string | undefined;
  readonly known?: KnownFailure | undefined;
}

/** An exchange of a check. */
export interface ExchangeDocument {
  readonly operation: 'key-exchange' | 'registration' | 'token' | 'authenticate' | 'sign-in';
  readonly intent: 'right' | 'wrong';
  readonly malformed?: string | undefined;
  /** The application sent it to the emulated service. */
  readonly received?: boolean | undefined;
  readonly ptn_cd?: string | undefined;
  /** Since the start of the run. */
  readonly started_ms: number;
  readonly duration_ms: number;
  readonly http_status: number | null;
  readonly code: string | null;
  readonly failure?: DiagnosisCode | undefined;
  readonly is_evidence?: boolean | undefined;
}

/** A failure that is tolerated for now. */
export interface KnownFailure {
  /** The id of a check, or a glob. */
  readonly check: string;
  readonly reason: string;
  /** The last day on which it is tolerated, `2027-01-31`; none by default. */
  readonly until?: string;
}

/** A certificate as documents describe it; its instants are ISO 8601, in UTC. */
export interface CertificateDocument {
  readonly subject: string;
  readonly issuer: string;
  readonly valid_to: string;
}

/** What a log had within one of its intervals, which are of one length. */
export interface IntervalDocument {
  /** ISO 8601 */
  readonly started_at: string;
  readonly seconds: number;
  readonly exchanges: number;
  readonly failed: number;
}
