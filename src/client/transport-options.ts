import { Secret } from '../crypto/secret.ts';
import type { AddressOverride } from './addresses.ts';
import type { Headers } from './exchange.ts';
import type { OwnHeaders } from './headers.ts';
import type { ProxyOptions } from './route.ts';
import type { TlsOptions } from './tls-options.ts';

/** How requests are sent. */
export interface TransportOptions extends TlsOptions {
  /** Bounds one attempt from the look-up of the name to the last byte of the response. */
  readonly timeoutMs: number;
  /** Bounds the body of a response, before and after decompression; 1 MiB by default. */
  readonly maxBodyBytes?: number;
  /** Added to every request; one replaces a default of the same name. */
  readonly headers?: OwnHeaders;
  readonly proxy?: ProxyOptions;
  /** Addresses to use for a host and port; the URL's name stays in Host, SNI and certificate. */
  readonly resolve?: readonly AddressOverride[];
  /** How often a request that failed before a response came is repeated; 0 by default. */
  readonly retries?: number;
  /** Milliseconds since the epoch, with fractions if known; durations are its differences. */
  readonly now: () => number;
  /** Cancels what is under way: `send` then rejects with its reason. */
  readonly signal?: AbortSignal;
}

/** The default limit of a response's body. */
export const defaultMaxBodyBytes = 1024 * 1024;

/** The options that may be secret, as texts: as a caller gives them, or a thread receives them. */
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

/** Turns the texts that may be secret into Secrets. */
export function secretOptions<Options extends PlainSecrets>(
  options: Options,
): Omit<Options, keyof PlainSecrets> & Pick<TransportOptions, keyof PlainSecrets> {
  const { headers, certKey, proxy } = options;
  return {
    ...options,
    headers: headers?.map(([name, value]) => [name, Secret.text(value)] as const),
    certKey: Secret.optional(certKey),
    proxy: proxy && {
      ...proxy,
      http: Secret.optional(proxy.http),
      https: Secret.optional(proxy.https),
    },
  };
}

/** The options for a thread, which can only receive what can be cloned. */
export function plainOptions<Options extends Pick<TransportOptions, keyof PlainSecrets>>(
  options: Options,
): PlainOptions<Options> {
  const { headers, certKey, proxy } = options;
  return {
    ...options,
    headers: headers?.map(([name, value]) => [name, value.reveal()] as const),
    certKey: certKey?.reveal(),
    proxy: proxy && { ...proxy, http: proxy.http?.reveal(), https: proxy.https?.reveal() },
  };
}
