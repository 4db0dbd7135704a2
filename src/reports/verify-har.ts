import { type Har, toHar } from '../client/recording.ts';
import type { RunResult } from '../conformance/result.ts';

/** Every exchange of a run as HAR 1.2, in the order sent, each with its check in the comment; the caller redacts it. */
export function verifyHar({ exchanges }: RunResult, creator: { readonly version: string }): Har {
  const sent = exchanges.map(({ exchange }) => exchange);
  const { log } = toHar(sent, creator);
  const entries = log.entries.map((entry, index) => {
    const { check, malformed, isReceived } = exchanges[index] ?? {};
    const received = isReceived && 'received by the emulated service';
    const wrong = malformed && `invalid on purpose: ${malformed}`;
    const comment = [check, received, wrong, entry.comment].filter(Boolean).join('; ');
    return { ...entry, comment };
  });
  return { log: { ...log, entries } };
}
