import { X509Certificate } from 'node:crypto';
import { statSync } from 'node:fs';
import {
  connect as connectNet,
  isIP,
  type LookupFunction,
  type OnReadOpts,
  type Socket,
} from 'node:net';
import {
  checkServerIdentity,
  connect as connectTls,
  type PeerCertificate,
  type SecureContext,
  type TLSSocket,
} from 'node:tls';
import type { Addresses } from './addresses.ts';
import type { Cancellation } from './cancellation.ts';
import { readPeerCertificates } from './certificate-facts.ts';
import { type Progress, toWireFailure, WireFailure } from './progress.ts';
import { portOf, unbracket } from './proxy.ts';

/**
 * Opens a TCP connection to the host and port of `url`, at the addresses that stand in for its
 * name where there are any; rejects with a WireFailure, also when `signal` is aborted (the
 * transport knows why).
 */
export function openTcp(
  url: URL,
  addresses: Addresses,
  progress: Progress,
  signal: Cancellation,
  onread?: OnReadOpts,
): Promise<Socket> {
  if (addresses.socketPath !== undefined) {
    return openSocket(addresses.socketPath, progress, signal, onread);
  }
  const host = unbracket(url.hostname);
  const port = portOf(url);
  progress.step(isIP(host) === 0 ? 'lookup' : 'connect');
  const instead = addresses(host, port);
  const lookup = instead && answerWith(instead);
  const options = { host, port: Number(port), noDelay: true, keepAlive: true, lookup };
  const socket = connectNet({ ...options, ...(onread && { onread }) });
  socket.on('lookup', (error: Error | null) => {
    if (error === null && progress.phase === 'lookup') progress.step('connect', 'lookupMs');
  });
  return settle(socket, 'connect', signal, (resolve) => {
    progress.end('connectMs');
    resolve(socket);
  });
}

/** Opens a connection to a Unix socket; its failures name the path. */
async function openSocket(
  path: string,
  progress: Progress,
  signal: Cancellation,
  onread?: OnReadOpts,
): Promise<Socket> {
  progress.step('connect');
  const socket = connectNet({ path, keepAlive: true, ...(onread && { onread }) });
  try {
    return await settle(socket, 'connect', signal, (resolve) => {
      progress.end('connectMs');
      resolve(socket);
    });
  } catch (error) {
    const failure = toWireFailure(error);
    // Linux says of a plain file that it refuses connections.
    const isOther = statSync(path, { throwIfNoEntry: false })?.isSocket() === false;
    const errorCode = isOther ? 'ENOTSOCK' : failure.facts.errorCode;
    throw new WireFailure({ ...failure.facts, errorCode, socketPath: path }, error);
  }
}

/** A look-up that finds these addresses. */
function answerWith(addresses: readonly string[]): LookupFunction {
  const found = addresses.map((address) => ({ address, family: isIP(address) }));
  return (_host, options, callback) => {
    // Never synchronously: the socket's own listeners are not there yet.
    queueMicrotask(() => {
      if (options.all) callback(null, found);
      else callback(null, found[0]?.address ?? '', found[0]?.family);
    });
  };
}

/** What a TLS connection is to be judged by. */
export interface TlsTarget {
  readonly url: URL;
  readonly context: SecureContext;
  readonly insecure: boolean;
}

/**
 * Agrees TLS over `socket` and judges the peer's certificate. The verdict is Node's own
 * (`authorizationError`: the chain, then the name by RFC 9525); the socket is let live until it is
 * read so that the certificate can be told, and nothing is sent before. Sessions aren't resumed, so
 * that every connection is judged.
 */
export function openTls(
  socket: Socket,
  target: TlsTarget,
  progress: Progress,
  signal: Cancellation,
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
  return settle(secured, 'secureConnect', signal, (resolve, reject) => {
    progress.end('tlsMs');
    if (target.insecure || secured.authorized) resolve(secured);
    else reject(refusal(secured));
  });
}

/**
 * Whether the certificate is for `host` (RFC 9525), as Node sees it; of an IPv6 address the
 * certificate itself is asked first, because Node 22.23 finds it in none.
 */
function checkIdentity(host: string, peer: PeerCertificate): Error | undefined {
  const isNamed = isIP(host) === 6 && new X509Certificate(peer.raw).checkIP(host) !== undefined;
  return isNamed ? undefined : checkServerIdentity(host, peer);
}

function refusal(socket: TLSSocket): WireFailure {
  return new WireFailure({
    verifyCode: String(socket.authorizationError),
    certificates: readPeerCertificates(socket),
  });
}

/** Waits for `event`, an error, an end or an abort, whichever comes first; but for the event, the socket is destroyed. */
function settle<T extends Socket>(
  socket: T,
  event: 'connect' | 'secureConnect',
  signal: Cancellation,
  onEvent: (resolve: (socket: T) => void, reject: (failure: WireFailure) => void) => void,
): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const stop = () => {
      signal.removeEventListener('abort', onAbort);
      socket.off('error', fail).off('close', onClose);
    };
    const fail = (error: unknown) => {
      stop();
      socket.on('error', () => {}).destroy(); // a late error of a socket that is given up
      reject(toWireFailure(error));
    };
    const onAbort = () => fail(signal.reason);
    const onClose = () => fail(new WireFailure({ errorCode: 'ECONNRESET' }));
    socket.once('error', fail).once('close', onClose);
    socket.once(event, () => {
      stop();
      onEvent(resolve, fail);
    });
    signal.addEventListener('abort', onAbort);
    if (signal.aborted) onAbort();
  });
}
