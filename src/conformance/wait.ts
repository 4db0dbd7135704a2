import { setTimeout as sleep } from 'node:timers/promises';
import type { Transport } from '../client/transport.ts';
import { checkHeader } from './world.ts';

/** How long an endpoint is waited for. */
export interface Waiting {
  readonly transport: Transport;
  readonly url: URL;
  readonly durationMs: number;
  readonly signal?: AbortSignal;
}

const pauseMs = 200;

/** What a proxy says while nobody behind it answers. */
const notYet = new Set([502, 503, 504]);

/**
 * Asks the endpoint with GET, which changes nothing, until it answers with whatever it likes or
 * the time is over; says which.
 */
export async function waitForAnswer(waiting: Waiting): Promise<boolean> {
  const { durationMs, signal } = waiting;
  const over = AbortSignal.timeout(durationMs);
  const timeIsUp = new Promise<'over'>((resolve) => {
    over.addEventListener('abort', () => resolve('over'), { once: true });
  });
  while (!over.aborted) {
    signal?.throwIfAborted();
    const asked = await Promise.race([isThere(waiting), timeIsUp]);
    if (asked === true) return true;
    if (asked === 'over') return false;
    await Promise.race([sleep(pauseMs, undefined, { signal }), timeIsUp]);
  }
  return false;
}

async function isThere({ transport, url }: Waiting): Promise<boolean> {
  const headers = [[checkHeader, 'wait']] as const;
  const { answer } = await transport.send({ method: 'GET', url, headers, body: new Uint8Array() });
  return answer !== undefined && !notYet.has(answer.status);
}
