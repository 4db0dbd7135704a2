import { bodyTooLarge } from '../diagnosis/answer-encoding.ts';
import type { ConnectionFacts } from '../diagnosis/connection-facts.ts';
import { saysTlsIsWanted } from '../diagnosis/tls-wanted.ts';
import type { Diagnosis } from '../errors.ts';
import { type Exchange, headerOf, type WireAnswer } from './exchange.ts';
import { isForwarded, type Route } from './route.ts';

/** What became of a request: the answer, or why there is none. */
export type Outcome = Pick<Exchange, 'answer' | 'failure' | 'partial'>;

/** What is known of the request that the answer is to. */
export interface OutcomeContext {
  readonly route: Route;
  readonly maxBodyBytes: number;
  readonly diagnose: (facts: Partial<ConnectionFacts>) => Diagnosis | Promise<Diagnosis>;
  /** Called when a body was decoded, which takes time. */
  readonly decoded?: () => void;
}

/**
 * What a complete answer, as it came, amounts to: too large, that of a proxy or of a TLS server that
 * was spoken to plainly, one in a coding that can't be undone, or the answer with its body decoded.
 */
export async function readOutcome(
  partial: WireAnswer,
  seen: { readonly tooLarge: boolean; readonly announcedBytes?: number },
  { route, maxBodyBytes, diagnose, decoded: onDecoded }: OutcomeContext,
): Promise<Outcome> {
  if (seen.tooLarge) {
    return { failure: bodyTooLarge(maxBodyBytes, { announced: seen.announcedBytes }), partial };
  }
  if (isForwarded(route) && partial.status === 407) {
    return { failure: await diagnose({ proxyStatus: 407 }), partial };
  }
  if (route.target.protocol === 'http:' && saysTlsIsWanted(partial)) {
    return { failure: await diagnose({ speaks: 'tls' }), partial };
  }
  const encoding = headerOf(partial.headers, 'content-encoding');
  if (encoding === undefined) return { answer: partial };
  const { decodeBody } = await import('./body.ts'); // zlib, for those who compress
  const decoded = await decodeBody(partial.body, encoding, maxBodyBytes);
  onDecoded?.();
  if (!decoded.ok) return { failure: decoded.failure, partial };
  return { answer: { ...partial, body: decoded.body } };
}
