import { once } from 'node:events';
import type { ConnectionFacts } from '../diagnosis/connection.ts';
import { openTcp, openTls } from './connect.ts';
import { Progress } from './progress.ts';
import { isForwarded, type Route } from './route.ts';
import { TimeLimit } from './time-limit.ts';

/** The longest wait for a server's reaction. */
const patienceMs = 500;

type Speaks = ConnectionFacts['speaks'];

/**
 * Finds out what a server speaks that cut the connection: plain HTTP where the TLS handshake failed,
 * or TLS where a plain request got no byte of a response. It asks on a connection of its own, without
 * a request: Node doesn't hand out the bytes that OpenSSL could not read, OpenSSL's errors for them
 * differ between its versions, and Node's own TLS server doesn't respond to a plain request at all.
 * Each server is asked at most once, and none that has responded.
 */
export class SpokenProtocols {
  readonly #known = new Map<string, Promise<Speaks>>();

  /** The target has responded as its URL says. */
  markResponded({ key }: Route): void {
    if (!this.#known.has(key)) this.#known.set(key, Promise.resolve(undefined));
  }

  /** What the server speaks instead of what the URL says; undefined if that can't be seen. */
  async find(
    facts: Partial<ConnectionFacts>,
    route: Route,
    progress: Progress,
    signal: AbortSignal,
  ): Promise<Speaks> {
    const { phase, atProxy, responded } = progress;
    const isJudged = facts.verifyCode !== undefined || facts.tlsAlert !== undefined;
    const isTunnelled = route.proxy !== undefined && !atProxy;
    const isOurs = facts.errorCode === 'UND_ERR_DESTROYED'; // the transport was closed
    if (isJudged || isTunnelled || responded || isOurs) return undefined;
    const url = atProxy && route.proxy !== undefined ? route.proxy.url : route.target;
    const expected = url.protocol === 'https:' ? 'tls' : 'first-byte';
    if (phase !== expected || (expected === 'first-byte' && isForwarded(route))) return undefined;
    const known = this.#known.get(route.key) ?? ask(url, route, signal);
    this.#known.set(route.key, known);
    return known;
  }
}

async function ask(url: URL, route: Route, cancelled: AbortSignal): Promise<Speaks> {
  const limit = new TimeLimit(patienceMs, cancelled);
  try {
    if (url.protocol === 'https:') {
      return (await respondsPlainly(url, route, limit.signal)) ? 'http' : undefined;
    }
    return (await agreesTls(url, route, limit.signal)) ? 'tls' : undefined;
  } catch {
    return undefined; // no reaction to that either: the first failure is reported
  } finally {
    limit.release();
  }
}

/** What a plain HTTP server refuses at once: the start of a TLS record, and an empty line. */
const question = Buffer.from([0x16, 0x03, 0x01, 0x0d, 0x0a, 0x0d, 0x0a]);

async function respondsPlainly(url: URL, { addresses }: Route, signal: AbortSignal) {
  const socket = await openTcp(url, addresses, new Progress(() => 0), signal);
  try {
    socket.on('error', () => {}).write(question);
    const [chunk] = await once(socket, 'data', { signal });
    return /^(?:HTTP\/|<)/.test(chunk.subarray(0, 5).toString('latin1'));
  } finally {
    socket.destroy();
  }
}

async function agreesTls(url: URL, { tls, addresses }: Route, signal: AbortSignal) {
  const progress = new Progress(() => 0);
  const socket = await openTcp(url, addresses, progress, signal);
  // Nothing is sent: whose certificate it is doesn't matter here.
  const settings = { url, context: tls.proxyContext(), insecure: true };
  (await openTls(socket, settings, progress, signal)).on('error', () => {}).destroy();
  return true;
}
