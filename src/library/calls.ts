import type { Exchange } from '../client/exchange.ts';
import type { Operation } from '../emulator/handling.ts';
import type { Diagnosis } from '../errors.ts';

/** How requests are sent; environment variables for proxies are ignored. */
export interface NetworkOptions {
  /** For each request, from the look-up of the name to the last byte; 10,000 by default. */
  readonly timeoutMs?: number;
  /** For requests that failed before a response; 0 by default. */
  readonly retries?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** Additional CA certificates, PEM. */
  readonly ca?: string;
  /** The client certificate with its chain, and its private key, PEM. */
  readonly cert?: string;
  readonly certKey?: string;
  /** Accept any certificate. */
  readonly insecure?: boolean;
  /** An http or https URL. */
  readonly proxy?: string;
  /** Addresses by `HOST:PORT`, tried in order: `{ 'app.example.com:443': '127.0.0.1' }`; `*:443` for all. */
  readonly resolve?: Readonly<Record<string, string | readonly string[]>>;
  /** Cancels requests: the call then rejects with the signal's reason. */
  readonly signal?: AbortSignal;
}

/** One request of a flow and its response. */
export interface CallSummary {
  readonly operation: Operation;
  readonly ok: boolean;
  /** Absent without a response. */
  readonly httpStatus?: number;
  /** `code` and `message` of the response, if it has them. */
  readonly code?: string;
  readonly message?: string;
  readonly durationMs: number;
  /** Why it failed; with `ok`, a weakness. */
  readonly diagnosis?: Diagnosis;
  /** What is odd and harmless, as sentences. */
  readonly notes: readonly string[];
  /** Request and response as on the wire, with secrets. */
  readonly exchange: Exchange;
}
