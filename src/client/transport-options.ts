import { X509Certificate } from 'node:crypto';
import { createSecureContext, type SecureContext, type SecureContextOptions } from 'node:tls';
import { AuthcliError } from '../errors.ts';
import type { AddressOverride } from './addresses.ts';
import type { Headers } from './exchange.ts';

/** Proxies by the scheme of the target, as URLs, which may contain credentials. */
export interface ProxyOptions {
  readonly http?: string;
  readonly https?: string;
  /** What named them, for messages: `--proxy`, `HTTPS_PROXY`. */
  readonly sources?: { readonly http?: string | undefined; readonly https?: string | undefined };
  /** They are of the environment, which is for what isn't on this machine, as in Go. */
  readonly exceptsLoopback?: boolean;
  /** Targets reached directly: names, `.suffix`, `*`, each with or without `:port`, separated by commas or white space. */
  readonly noProxy?: string;
}

export interface TransportOptions extends TlsOptions {
  /** Bounds one attempt from the look-up of the name to the last byte of the response. */
  readonly timeoutMs: number;
  /** Added to every request; one replaces a default of the same name. */
  readonly headers?: Headers;
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

/** Trusted certificates and the client's own. Certificates and keys are PEM; a certificate may be DER. */
export interface TlsOptions {
  /** Certificates to trust beside those that Node trusts. */
  readonly ca?: string | Uint8Array;
  /**
   * What NODE_EXTRA_CA_CERTS names. Node trusts it by itself, but before Node 22 no longer where
   * `ca` is given. Without a certificate in it, it is passed over, as Node does.
   */
  readonly extraCa?: string | Uint8Array;
  /** The client certificate with its chain. */
  readonly cert?: string | Uint8Array;
  readonly certKey?: string;
  readonly insecure?: boolean;
}

/** What TLS connections need, made once. */
export type TlsSettings = ReturnType<typeof createTlsSettings>;

/**
 * Reads the TLS options.
 * @throws AuthcliError `usage` for a `ca` without a readable certificate, and for a client
 *   certificate and key that can't be read or don't belong together; a key is never repeated.
 */
export function createTlsSettings(options: TlsOptions) {
  const added = options.ca === undefined ? [] : readCertificates(options.ca);
  if (added.length > 0) {
    try {
      added.push(...readCertificates(options.extraCa ?? ''));
    } catch {} // Node passes it over, too
  }
  const identity = readIdentity(options);
  const target = identity === undefined ? undefined : createContext(identity, added);
  let plain: SecureContext | undefined;
  const proxyContext = () => {
    plain ??= createContext({}, added);
    return plain;
  };
  return {
    insecure: options.insecure ?? false,
    /** For the target: with the client certificate. */
    targetContext: () => target ?? proxyContext(),
    /** For a proxy reached by TLS: without it. */
    proxyContext,
  };
}

/**
 * Adds to the roots that Node takes by itself. The option `ca` would replace them, those of
 * NODE_EXTRA_CA_CERTS and the system's included, which can't be read back before Node 22.15;
 * `addCACert` on a context without `ca` copies the store of the roots and adds to the copy.
 */
function createContext(identity: SecureContextOptions, added: readonly string[]): SecureContext {
  const secureContext = createSecureContext(identity);
  const native: { addCACert(pem: string): void } = secureContext.context;
  for (const pem of added) native.addCACert(pem);
  return secureContext;
}

const pemCertificate = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

/** Each certificate in PEM. Throws AuthcliError `usage` where none is found, or one can't be read. */
export function readCertificates(ca: string | Uint8Array): string[] {
  const text = typeof ca === 'string' ? ca : Buffer.from(ca).toString('latin1');
  const blocks = text.match(pemCertificate) ?? (typeof ca === 'string' ? [] : [ca]);
  const read = blocks.map((block) => readCertificate(block));
  if (read.length > 0) return read;
  throw new AuthcliError('usage', 'No certificate was found among the certificates to trust.', {
    hint: 'Give PEM: blocks that begin with -----BEGIN CERTIFICATE-----.',
  });
}

function readCertificate(block: string | Uint8Array): string {
  try {
    return new X509Certificate(block).toString();
  } catch (cause) {
    throw new AuthcliError('usage', "One of the certificates to trust can't be read.", {
      hint: 'Export it again as PEM or DER (X.509).',
      cause,
    });
  }
}

function readIdentity({ cert, certKey }: TlsOptions): SecureContextOptions | undefined {
  if (cert === undefined && certKey === undefined) return undefined;
  if (cert === undefined || certKey === undefined) {
    const [given, missing] = cert === undefined ? ['key', 'certificate'] : ['certificate', 'key'];
    throw new AuthcliError('usage', `There is a client ${given} without its ${missing}.`, {
      hint: 'Give both.',
    });
  }
  const identity = { cert: Buffer.from(cert), key: Buffer.from(certKey) };
  try {
    createSecureContext(identity);
  } catch (cause) {
    throw new AuthcliError('usage', "The client certificate and its key can't be used together.", {
      hint: 'Give both as PEM, the key without a passphrase, and of the same pair.',
      cause,
    });
  }
  return identity;
}
