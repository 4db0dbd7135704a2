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

export type Phase = (typeof phases)[number];

/** One certificate (RFC 5280 4.1.2); instants in milliseconds since the epoch. */
export interface CertificateFacts {
  /** The common name of the subject, or its whole name where it has none. */
  readonly subject: string;
  readonly issuer: string;
  /** DNS names and IP addresses of the subjectAltName. */
  readonly names: readonly string[];
  readonly validFrom: number;
  readonly validTo: number;
}

/** Everything that was observed of a request without a usable response. */
export interface ConnectionFacts {
  /** How far the request had come. */
  readonly phase: Phase;
  /** Where the request was to go; only its scheme, host and port are ever shown. */
  readonly target: URL;
  /** The proxy on the way, without its credentials. */
  readonly proxy?: URL;
  /** Whether it failed on the way to the proxy, before the target came into it. */
  readonly atProxy?: boolean;
  /** The platform's code: `ECONNREFUSED`, `ENOTFOUND`, `UND_ERR_SOCKET` … */
  readonly errorCode?: string;
  /** The platform's words, shown where the code is unknown here. */
  readonly errorText?: string;
  /** The time limit, where it ended the request. */
  readonly timeoutMs?: number;
  /** OpenSSL's name for the reason that a certificate isn't accepted: `CERT_HAS_EXPIRED` … */
  readonly verifyCode?: string;
  /** What the peer presented, its own certificate first. */
  readonly certificates?: readonly CertificateFacts[];
  /** The instant of the verdict, to see which certificate of the chain is out of date. */
  readonly now?: number;
  /** The number of the TLS alert with which the peer refused (RFC 8446 6.2). */
  readonly tlsAlert?: number;
  /** Why what came is not HTTP/1.1, in the words of the parser. */
  readonly unreadable?: string;
  /** The connection ended within a response. */
  readonly isCut?: boolean;
  /** More came around the body than any response needs, without an end. */
  readonly isEndless?: boolean;
  /** The bytes at which the parser stopped. */
  readonly firstBytes?: Uint8Array;
  /** What the peer speaks instead of what the URL says. */
  readonly speaks?: 'http' | 'tls';
  /** The status with which a proxy refused. */
  readonly proxyStatus?: number;
  /** Bytes of the body that had arrived, and those announced by Content-Length. */
  readonly bodyBytes?: number;
  readonly announcedBytes?: number;
}

/** The URL of the peer: the target's, or that of the proxy on the way to it. */
export function peerUrl({ target, proxy, atProxy }: ConnectionFacts): URL {
  return atProxy === true ? (proxy ?? target) : target;
}

/** The peer as messages name it: host and port, never more of a URL. */
export function peerOf(facts: ConnectionFacts): string {
  const url = peerUrl(facts);
  return url === facts.proxy ? `the proxy ${url.host}` : url.host;
}
