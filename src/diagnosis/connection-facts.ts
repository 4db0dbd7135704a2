/** The parts of one request in their order; `proxy` is the consent of a proxy to a tunnel. */
export const phases = [
  'lookup',
  'connect',
  'proxy',
  'tls',
  'request',
  'first-byte',
  'body',
] as const;

/** How far a request had come. */
export type Phase = (typeof phases)[number];

/** What is known of one certificate (RFC 5280 4.1.2); instants in milliseconds since the epoch. */
export interface CertificateFacts {
  /** The common name of the subject, or its whole name where it has none. */
  readonly subject: string;
  readonly issuer: string;
  /** DNS names and IP addresses of the subjectAltName. */
  readonly names: readonly string[];
  readonly validFrom: number;
  readonly validTo: number;
}

/** Everything that was observed of a request that got no usable answer. */
export interface ConnectionFacts {
  readonly phase: Phase;
  /** Where the request was to go; only its scheme, host and port are ever shown. */
  readonly target: URL;
  /** The proxy on the way, without its credentials. */
  readonly proxy?: URL;
  /** Whether the fault was met on the way to the proxy, before the target came into it. */
  readonly atProxy?: boolean;
  /** The Unix socket that could not be connected to. */
  readonly socketPath?: string;
  /** The platform's code: `ECONNREFUSED`, `ENOTFOUND`, `UND_ERR_SOCKET` … */
  readonly errorCode?: string;
  /** The platform's words, shown where the code says nothing that is known here. */
  readonly errorText?: string;
  /** Set when the time limit ended the request: that limit. */
  readonly timeoutMs?: number;
  /** OpenSSL's name for the reason that a certificate isn't accepted: `CERT_HAS_EXPIRED` … */
  readonly verifyCode?: string;
  /** What the peer presented, its own certificate first. */
  readonly certificates?: readonly CertificateFacts[];
  /** The instant of the verdict, to see which certificate of the chain is out of date. */
  readonly now?: number;
  /** The number of the TLS alert with which the peer refused (RFC 8446 6.2). */
  readonly tlsAlert?: number;
  /** Why what came is no HTTP/1.1, in the words of the parser. */
  readonly unreadable?: string;
  /** More came around the body than any answer needs, and no end of it was in sight. */
  readonly isEndless?: boolean;
  /** What stood where the parser stopped. */
  readonly firstBytes?: Uint8Array;
  /** What the peer was found to speak instead of what the URL says. */
  readonly speaks?: 'http' | 'tls';
  /** The status with which a proxy refused. */
  readonly proxyStatus?: number;
  /** Bytes of the body that had arrived, and those announced by Content-Length. */
  readonly bodyBytes?: number;
  readonly announcedBytes?: number;
}

/** The URL whose server was spoken to: the target, or the proxy on the way to it. */
export function peerUrl({ target, proxy, atProxy }: ConnectionFacts): URL {
  return atProxy === true ? (proxy ?? target) : target;
}

/** That server as messages name it: host and port, never more of a URL. */
export function peerOf(facts: ConnectionFacts): string {
  const url = peerUrl(facts);
  return url === facts.proxy ? `the proxy ${url.host}` : url.host;
}
