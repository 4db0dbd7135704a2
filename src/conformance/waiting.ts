import { setTimeout as sleep } from 'node:timers/promises';
import type { Exchange, Transport } from '../client/exchange.ts';
import { objectIn } from '../protocol/json.ts';
import type { RunOptions } from './runner.ts';

/** Proxies respond with these while no server behind them does. */
const noServer = [502, 503, 504];
/** And what is in front, or an application that starts, while the route isn't there. */
const noRoute = [404, 405, 501];
const pauseMs = 200;
/** A server that closes as many connections in a row fails; a container that starts closes fewer. */
const mostClosed = 25;

/**
 * The transport, whose first request is repeated until it is handled, or the time is over: what it then got is its
 * result, so that a wrong application is judged as without waiting. Nothing else is sent for it, and others wait.
 * `onAgain` is called before it is sent again.
 */
export function waitingTransport(
  { transport, waitMs = 0, signal, emit }: RunOptions,
  onAgain: () => void,
): Transport {
  let first: Promise<Exchange> | undefined;
  const repeat = async (...sent: Parameters<Transport['send']>): Promise<Exchange> => {
    const end = performance.now() + waitMs;
    for (let closed = 0; ; ) {
      const exchange = await transport.send(...sent);
      closed = exchange.failure?.code === 'reset' ? closed + 1 : 0;
      const leftMs = end - performance.now();
      if (leftMs <= 0 || closed === mostClosed || isHandled(exchange)) return exchange;
      emit({ type: 'waiting', leftMs, status: exchange.response?.status });
      const pause = sleep(Math.min(pauseMs, leftMs), undefined, { signal });
      await pause.catch(() => signal?.throwIfAborted());
      onAgain();
    }
  };
  return {
    async send(...sent) {
      if (first === undefined) {
        first = repeat(...sent);
        return first;
      }
      await first.catch(() => {});
      return transport.send(...sent);
    },
    close: () => transport.close(),
  };
}

/** Whether the application itself responded; a code of the interface, a text, shows that whatever the status is. */
function isHandled({ request, response }: Exchange): boolean {
  if (response === undefined) return false;
  const { status, body } = response;
  const isOpen = request.method === 'POST' ? [...noServer, ...noRoute] : noServer;
  return !isOpen.includes(status) || typeof objectIn(body)?.code === 'string';
}
