import { Secret } from '../crypto/secret.ts';
import type { AddressOverride } from './addresses.ts';
import type { Cancellation } from './cancellation.ts';
import type { Headers } from './exchange.ts';
import type { OwnHeaders } from './headers.ts';
import type { ProxyOptions } from './proxy.ts';
import type { TlsOptions } from './tls-options.ts';

/** How requests are sent. */
export interface TransportOptions extends TlsOptions {
  /** Bounds one attempt from the look-up of the name to the last byte of the answer. */
  readonly timeoutMs: number;
  /** Bounds the body of an answer, before and after decompression; 1 MiB unless told. */
  readonly maxBodyBytes?: number;
  /** Added to every request; one replaces a default of the same name. */
  readonly headers?: OwnHeaders;
  readonly proxy?: ProxyOptions;
  /** Addresses to use for a host and port; the URL's name stays in Host, SNI and certificate. */
  readonly resolve?: readonly AddressOverride[];
  /** The path of a Unix socket to connect to, whatever host the URL names; no proxy is used then. */
  readonly unixSocket?: string;
  /** How often what failed before an answer came is repeated; 0 unless told. */
  readonly retries?: number;
  /** Milliseconds since the epoch, with fractions where they are known; times are its differences. */
  readonly now: () => number;
  /**
   * Whether closing leaves idle connections without TLS to the end of the process, which they don't
   * hold: to end one costs a command a millisecond and more.
   */
  readonly leavesIdle?: boolean;
  /** Cancels what is under way: `send` then rejects with its reason. */
  readonly signal?: Cancellation;
}

/** The limit of an answer's body unless another is given. */
export const defaultMaxBodyBytes = 1024 * 1024;

/** What may be secret among the options, as texts: as a caller gives it, or a thread is handed it. */
export interface PlainSecrets {
  readonly headers?: Headers;
  readonly certKey?: string;
  readonly proxy?: {
    readonly http?: string;
    readonly https?: string;
    readonly noProxy?: string;
  };
}

/** The same options with texts in the place of secrets. */
export type PlainOptions<Options> = Omit<Options, keyof PlainSecrets> & PlainSecrets;

/** The options as they are used: what may be secret in them is a Secret. */
export function secretOptions<Options extends PlainSecrets>(
  options: Options,
): Omit<Options, keyof PlainSecrets> & Pick<TransportOptions, keyof PlainSecrets> {
  const { headers, certKey, proxy, ...others } = options;
  return {
    ...others,
    headers: headers?.map(([name, value]) => [name, Secret.text(value)] as const),
    certKey: Secret.optional(certKey),
    proxy: proxy && {
      http: Secret.optional(proxy.http),
      https: Secret.optional(proxy.https),
      noProxy: proxy.noProxy,
    },
  };
}

/** The options for a thread, which can only be handed what can be cloned. */
export function plainOptions<Options extends Pick<TransportOptions, keyof PlainSecrets>>(
  options: Options,
): PlainOptions<Options> {
  const { headers, certKey, proxy, ...others } = options;
  return {
    ...others,
    headers: headers?.map(([name, value]) => [name, value.reveal()] as const),
    certKey: certKey?.reveal(),
    proxy: proxy && {
      http: proxy.http?.reveal(),
      https: proxy.https?.reveal(),
      noProxy: proxy.noProxy,
    },
  };
}
