import { once } from 'node:events';
import type { ConnectionFacts } from '../diagnosis/connection-facts.ts';
import { openTcp, openTls } from './connect.ts';
import type { Limit } from './limit.ts';
import { Progress } from './progress.ts';
import { isForwarded, type Route } from './route.ts';

/** The longest wait for what a server answers to a peek. */
const patienceMs = 500;

type Speaks = ConnectionFacts['speaks'];

/**
 * Finds out what a server speaks that cut the connection: plain HTTP where TLS could not be agreed,
 * or TLS where a plain request got no byte of an answer. Asked on a connection of its own, without
 * a request: Node doesn't give the bytes that OpenSSL could not read, OpenSSL's errors for them
 * differ between its versions, and Node's own TLS server answers a plain request with nothing at
 * all. Each server is asked once, and none that has answered.
 */
export class Peeks {
  readonly #known = new Map<string, Promise<Speaks>>();

  /** The target has answered as its URL says. */
  needless({ key }: Route): void {
    if (!this.#known.has(key)) this.#known.set(key, Promise.resolve(undefined));
  }

  /** What the server speaks instead of what the URL says; undefined where it doesn't show. */
  async look(
    facts: Partial<ConnectionFacts>,
    route: Route,
    progress: Progress,
    limit: Limit,
  ): Promise<Speaks> {
    const { phase, atProxy, answered } = progress;
    const isJudged = facts.verifyCode !== undefined || facts.tlsAlert !== undefined;
    const isTunnelled = route.proxy !== undefined && !atProxy;
    const isOurs = facts.errorCode === 'UND_ERR_DESTROYED'; // the transport was closed
    if (isJudged || isTunnelled || answered || isOurs) return undefined;
    const url = atProxy && route.proxy !== undefined ? route.proxy.url : route.target;
    const wanted = url.protocol === 'https:' ? 'tls' : 'first-byte';
    if (phase !== wanted || (wanted === 'first-byte' && isForwarded(route))) return undefined;
    const known = this.#known.get(route.key) ?? ask(url, route, limit);
    this.#known.set(route.key, known);
    return known;
  }
}

async function ask(url: URL, route: Route, limit: Limit): Promise<Speaks> {
  // AbortSignal.any may be collected before it aborts (Node 20 and 22), so the wait is bounded by hand.
  const controller = new AbortController();
  const end = () => controller.abort();
  const timer = setTimeout(end, patienceMs);
  limit.cancellation.addEventListener('abort', end);
  if (limit.isOver) end();
  const { signal } = controller;
  try {
    if (url.protocol === 'https:')
      return (await answersPlainly(url, route, signal)) ? 'http' : undefined;
    return (await agreesTls(url, route, signal)) ? 'tls' : undefined;
  } catch {
    return undefined; // no answer to that either: the first failure stands
  } finally {
    clearTimeout(timer);
    limit.cancellation.removeEventListener('abort', end);
  }
}

/** What a plain HTTP server refuses at once: the start of a TLS record, and the end of a head. */
const question = Buffer.from([0x16, 0x03, 0x01, 0x0d, 0x0a, 0x0d, 0x0a]);

async function answersPlainly(
  url: URL,
  { addresses }: Route,
  signal: AbortSignal,
): Promise<boolean> {
  const socket = await openTcp(url, addresses, new Progress(() => 0), signal);
  try {
    socket.on('error', () => {}).write(question);
    const [chunk] = await once(socket, 'data', { signal });
    return /^(?:HTTP\/|<)/.test(chunk.subarray(0, 5).toString('latin1'));
  } finally {
    socket.destroy();
  }
}

async function agreesTls(
  url: URL,
  { tls, addresses }: Route,
  signal: AbortSignal,
): Promise<boolean> {
  const progress = new Progress(() => 0);
  const socket = await openTcp(url, addresses, progress, signal);
  // Nothing is sent: whose certificate it is doesn't matter here.
  const settings = { url, context: tls.proxyContext(), insecure: true };
  (await openTls(socket, settings, progress, signal)).on('error', () => {}).destroy();
  return true;
}
