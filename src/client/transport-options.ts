import type { AddressOverride } from './addresses.ts';
import type { Headers } from './exchange.ts';
import type { ProxyOptions } from './proxy.ts';
import type { TlsOptions } from './tls-options.ts';

/** How requests are sent. */
export interface TransportOptions extends TlsOptions {
  /** Bounds one attempt from the look-up of the name to the last byte of the answer. */
  readonly timeoutMs: number;
  /** Bounds the body of an answer, before and after decompression; 1 MiB unless told. */
  readonly maxBodyBytes?: number;
  /** Added to every request; one replaces a default of the same name. */
  readonly headers?: Headers;
  readonly proxy?: ProxyOptions;
  /** Addresses to use for a host and port; the URL's name stays in Host, SNI and certificate. */
  readonly resolve?: readonly AddressOverride[];
  /** How often what failed before an answer came is repeated; 0 unless told. */
  readonly retries?: number;
  /** Milliseconds since the epoch, with fractions where they are known; times are its differences. */
  readonly now: () => number;
  /** Cancels what is under way: `send` then rejects with its reason. */
  readonly signal?: AbortSignal;
}

/** The limit of an answer's body unless another is given. */
export const defaultMaxBodyBytes = 1024 * 1024;
