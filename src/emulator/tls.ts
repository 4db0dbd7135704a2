import type { Socket } from 'node:net';
import type { TlsOptions } from 'node:tls';
import type { Secret } from '../crypto/secret.ts';

export interface ServerTls {
  /** PEM, with the intermediate certificates behind it. */
  readonly certificate: string;
  readonly privateKey: Secret;
  /** Speaks only TLS 1.0 and 1.1, on purpose. */
  readonly oldProtocol?: boolean;
}

export function tlsOptions({ certificate, privateKey, oldProtocol }: ServerTls): TlsOptions {
  return {
    cert: certificate,
    key: privateKey.reveal(),
    ALPNProtocols: ['http/1.1'],
    // OpenSSL speaks these only at its lowest level
    ...(oldProtocol && {
      minVersion: 'TLSv1',
      maxVersion: 'TLSv1.1',
      ciphers: 'DEFAULT@SECLEVEL=0',
    }),
  };
}

/** Closes a connection so that its other side sees that it was broken off. */
export function resetConnection(socket: Socket): void {
  if (socket.destroyed) return;
  // a TLS connection can't be reset: it is closed without a close_notify
  if ('encrypted' in socket) socket.destroy();
  else socket.resetAndDestroy();
}

/** Why a client and this server did not agree on TLS. */
export function handshakeProblem({ code = '', message }: NodeJS.ErrnoException): string {
  const alert = Number(/SSL alert number (\d+)/.exec(message)?.[1]);
  return problems[code] ?? alerts[alert] ?? `the client and the emulator did not agree: ${code}`;
}

const untrusted = 'the client does not trust the certificate: make it trust the CA';

/** By the alert of the client (RFC 8446 6.2). */
const alerts: Readonly<Record<number, string>> = {
  42: untrusted,
  45: 'the client found the certificate expired',
  46: untrusted,
  48: untrusted,
  70: 'the client speaks none of the TLS versions of this server',
};

/** By OpenSSL's reason, as Node names it. */
const problems: Readonly<Record<string, string>> = {
  ERR_SSL_HTTP_REQUEST: 'the client sent plain HTTP: its URL must begin with https',
  ERR_SSL_UNSUPPORTED_PROTOCOL: 'the client speaks none of the TLS versions of this server',
  ECONNRESET:
    'the client ended the connection before TLS was agreed: check that it trusts the certificate',
};
