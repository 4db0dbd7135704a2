import { X509Certificate } from 'node:crypto';
import { connect as connectNet, isIP, type LookupFunction, type Socket } from 'node:net';
import {
  checkServerIdentity,
  connect as connectTls,
  type PeerCertificate,
  type SecureContext,
  type TLSSocket,
} from 'node:tls';
import type { CertificateFacts } from '../diagnosis/connection.ts';
import type { Addresses } from './addresses.ts';
import { type Progress, toWireFailure, WireFailure } from './progress.ts';
import { portOf, unbracket } from './proxy.ts';

/**
 * Opens a TCP connection to the host and port of `url`, or to the addresses given for them; rejects
 * with a WireFailure, also when `signal` is aborted (the transport knows why). undici's connector
 * hands a socket out only once it is connected: its look-up could neither be timed nor interrupted.
 */
export async function openTcp(
  url: URL,
  addresses: Addresses,
  progress: Progress,
  signal: AbortSignal,
): Promise<Socket> {
  const host = unbracket(url.hostname);
  const port = portOf(url);
  progress.step(isIP(host) === 0 ? 'lookup' : 'connect');
  const given = addresses(host, port);
  const lookup = given && lookUpIn(given);
  const socket = connectNet({ host, port: Number(port), noDelay: true, keepAlive: true, lookup });
  socket.on('lookup', (error: Error | null) => {
    if (error === null && progress.phase === 'lookup') progress.step('connect', 'lookupMs');
  });
  await settle(socket, 'connect', signal);
  progress.end('connectMs');
  return socket;
}

function lookUpIn(addresses: readonly string[]): LookupFunction {
  const found = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_host, options, callback) => {
    // Never synchronously: the socket has no listeners yet.
    queueMicrotask(() => {
      if (options.all) callback(null, found);
      else callback(null, found[0]?.address ?? '', found[0]?.family);
    });
  };
}

/**
 * Performs the TLS handshake over `socket` and judges the peer's certificate. The verdict is Node's
 * own (`authorizationError`: the chain, then the name by RFC 9525); a socket that it refuses lives
 * until its certificates are read for the diagnosis, and nothing is sent before. Sessions aren't
 * resumed, so that every connection is judged.
 */
export async function openTls(
  socket: Socket,
  target: { readonly url: URL; readonly context: SecureContext; readonly insecure: boolean },
  progress: Progress,
  signal: AbortSignal,
): Promise<TLSSocket> {
  progress.step('tls');
  const host = unbracket(target.url.hostname);
  const secured = connectTls({
    socket,
    host,
    servername: isIP(host) === 0 ? host : '', // RFC 6066 3: no addresses in server_name
    secureContext: target.context,
    ALPNProtocols: ['http/1.1'],
    rejectUnauthorized: false,
    checkServerIdentity: checkIdentity,
  });
  await settle(secured, 'secureConnect', signal);
  progress.end('tlsMs');
  if (target.insecure || secured.authorized) return secured;
  const verifyCode = String(secured.authorizationError);
  const certificates = readPeerCertificates(secured);
  abandon(secured);
  throw new WireFailure({ verifyCode, certificates });
}

/**
 * Whether the certificate is for `host` (RFC 9525), as Node sees it; for an IPv6 address the
 * certificate itself is asked first, because Node 22.23 finds it in none.
 */
function checkIdentity(host: string, peer: PeerCertificate): Error | undefined {
  const isNamed = isIP(host) === 6 && new X509Certificate(peer.raw).checkIP(host) !== undefined;
  return isNamed ? undefined : checkServerIdentity(host, peer);
}

/** Waits for `event`, an error, an end or an abort, whichever comes first; but for the event, the socket is destroyed. */
function settle(
  socket: Socket,
  event: 'connect' | 'secureConnect',
  signal: AbortSignal,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      signal.removeEventListener('abort', onAbort);
      socket.off('error', fail).off('close', onClose);
    };
    const fail = (error: unknown) => {
      stop();
      abandon(socket);
      reject(toWireFailure(error));
    };
    const onAbort = () => fail(signal.reason);
    const onClose = () => fail(new WireFailure({ errorCode: 'ECONNRESET' }));
    socket.once('error', fail).once('close', onClose);
    socket.once(event, () => {
      stop();
      resolve();
    });
    signal.addEventListener('abort', onAbort);
    if (signal.aborted) onAbort();
  });
}

/** Ends a socket, and ignores its late errors. */
function abandon(socket: Socket): void {
  socket.on('error', () => {}).destroy();
}

/** The certificates that the peer presented, its own first; at most ten, in case of a loop. */
export function readPeerCertificates(socket: TLSSocket): readonly CertificateFacts[] {
  const facts: CertificateFacts[] = [];
  const seen = new Set<object>();
  let current: Partial<PeerCertificate> & { issuerCertificate?: object } =
    socket.getPeerCertificate(true);
  while (current.subject !== undefined && !seen.has(current) && facts.length < 10) {
    seen.add(current);
    facts.push(factsOf(current));
    current = current.issuerCertificate ?? {};
  }
  return facts;
}

function factsOf(certificate: Partial<PeerCertificate>): CertificateFacts {
  // `DNS:a.example, IP Address:192.0.2.1`
  const names = (certificate.subjectaltname ?? '').matchAll(
    /(?:DNS|IP Address):("[^"]*"|[^,\s]+)/g,
  );
  return {
    subject: nameOf(certificate.subject),
    issuer: nameOf(certificate.issuer),
    names: [...names].map(([, name = '']) => name.replaceAll('"', '')),
    validFrom: Date.parse(certificate.valid_from ?? ''),
    validTo: Date.parse(certificate.valid_to ?? ''),
  };
}

/** The common name, else the organisation, else the whole distinguished name. */
function nameOf(name: Partial<PeerCertificate['subject']> = {}): string {
  const parts = Object.entries(name).map(([type, value]) => `${type}=${value}`);
  return String(name.CN ?? name.O ?? parts.join(', '));
}
