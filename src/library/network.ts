import { type AddressOverride, parseAddressOverride } from '../client/addresses.ts';
import type { CallOutcome } from '../client/call.ts';
import { type Exchange, statusOf, type Transport } from '../client/exchange.ts';
import { secretOptions } from '../client/transport-options.ts';
import type { Operation } from '../emulator/handling.ts';
import { AuthcliError, type Diagnosis } from '../errors.ts';
import { environment } from './arguments.ts';

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

const defaultTimeoutMs = 10_000;

/** Runs `work` with connections of its own; throws `usage` for unusable options. */
export async function withTransport<T>(
  options: NetworkOptions,
  work: (transport: Transport) => Promise<T>,
): Promise<T> {
  options.signal?.throwIfAborted();
  const { createTransport } = await import('../client/transport.ts');
  const transport = createTransport({ ...transportOptions(options), now: environment.now });
  try {
    return await work(transport);
  } finally {
    await transport.close();
  }
}

function transportOptions(options: NetworkOptions) {
  const { timeoutMs = defaultTimeoutMs, retries, headers = {}, proxy, resolve = {} } = options;
  const { ca, cert, certKey, insecure, signal } = options;
  if (!(timeoutMs > 0 && timeoutMs < 2 ** 31)) {
    throw new AuthcliError('usage', `timeoutMs can't be ${timeoutMs}.`, {
      hint: 'Give milliseconds above 0.',
    });
  }
  return secretOptions({
    timeoutMs,
    retries,
    headers: Object.entries(headers),
    ca,
    cert,
    certKey,
    insecure,
    signal,
    proxy: { http: proxy, https: proxy },
    resolve: Object.entries(resolve).map(([place, addresses]) => overrideOf(place, addresses)),
  });
}

function overrideOf(place: string, addresses: string | readonly string[]): AddressOverride {
  try {
    return parseAddressOverride(`${place}:${[addresses].flat().join(',')}`);
  } catch (cause) {
    throw new AuthcliError(
      'usage',
      `The option resolve can't lead ${JSON.stringify(place)} there.`,
      {
        hint: "Write name and port, and an address or a list of them: { 'app.example.com:443': '127.0.0.1' }.",
        cause,
      },
    );
  }
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

/** A call as the library returns it. */
export function summariseCall(operation: Operation, outcome: CallOutcome<unknown>): CallSummary {
  const { ok, exchange, reading, diagnosis, notes } = outcome;
  return {
    operation,
    ok,
    httpStatus: statusOf(exchange),
    code: reading?.code,
    message: reading?.message,
    durationMs: exchange.durationMs,
    ...(diagnosis && { diagnosis }),
    notes,
    exchange,
  };
}
