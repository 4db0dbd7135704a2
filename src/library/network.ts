import { type AddressOverride, parseAddressOverride } from '../client/addresses.ts';
import type { Transport } from '../client/transport.ts';
import { secretOptions } from '../client/transport-options.ts';
import { AuthcliError } from '../errors.ts';
import { world } from './world.ts';

/** How requests are sent. Nothing is taken from the environment: proxies are used only where given. */
export interface NetworkOptions {
  /** Bounds each request, from the look-up of the name to the last byte; 10,000 unless told. */
  readonly timeoutMs?: number;
  /** How often what failed before an answer came is repeated; 0 unless told. */
  readonly retries?: number;
  /** Added to every request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Certificates to trust beside those that Node trusts, as PEM. */
  readonly ca?: string;
  /** The client certificate with its chain, as PEM, and its private key. */
  readonly cert?: string;
  readonly certKey?: string;
  /** Accept any certificate. */
  readonly insecure?: boolean;
  /** Send through this proxy, an http or https URL. */
  readonly proxy?: string;
  /**
   * Where names lead instead of being looked up, by `HOST:PORT`: `{ 'app.example.com:443': '127.0.0.1' }`,
   * or several addresses in the order in which they are tried; `*:443` holds for every other name.
   * The `Host` header and the certificate stay those of the name.
   */
  readonly resolve?: Readonly<Record<string, string | readonly string[]>>;
  /** Connect to the Unix socket of this path, whatever host the URL names; no proxy is used then. */
  readonly unixSocket?: string;
  /** Refuse a longer answer; 1,048,576 unless told. */
  readonly maxBodyBytes?: number;
  /** Cancels what is under way: the call then rejects with the signal's reason. */
  readonly signal?: AbortSignal;
}

const defaultTimeoutMs = 10_000;

/**
 * Runs `work` with connections of its own, closed at the end.
 * @throws AuthcliError `usage` for options that can't be used; the signal's reason
 */
export async function withTransport<T>(
  options: NetworkOptions,
  work: (transport: Transport) => Promise<T>,
): Promise<T> {
  options.signal?.throwIfAborted();
  const { createTransport } = await import('../client/transport.ts');
  const transport = createTransport({ ...transportOptions(options), now: world.now });
  try {
    return await work(transport);
  } finally {
    await transport.close();
  }
}

function transportOptions(options: NetworkOptions) {
  const { timeoutMs = defaultTimeoutMs, retries, headers = {}, proxy, resolve = {} } = options;
  const { ca, cert, certKey, insecure, maxBodyBytes, signal } = options;
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
    maxBodyBytes,
    signal,
    proxy: { http: proxy, https: proxy },
    unixSocket: options.unixSocket,
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
