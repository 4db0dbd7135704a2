import { type Har, type HarEntry, toHar } from '../client/recording.ts';
import type { RecordedExchange, RunResult } from '../conformance/result.ts';

export interface VerifyHar {
  readonly log: Omit<Har['log'], 'entries'> & {
    readonly pages: readonly HarPage[];
    readonly entries: readonly (HarEntry & { readonly pageref: string })[];
  };
}

/** A page of HAR 1.2: a check, so that viewers group its requests. */
interface HarPage {
  readonly id: string;
  readonly startedDateTime: string;
  readonly title: string;
  readonly pageTimings: Readonly<Record<string, never>>;
  readonly comment: string;
}

/** Every exchange of a run as HAR 1.2, in the order sent; the caller redacts it. */
export function verifyHar(result: RunResult, creator: { readonly version: string }): VerifyHar {
  const { exchanges } = result;
  const { log } = toHar(
    exchanges.map(({ exchange }) => exchange),
    creator,
  );
  return {
    log: { ...log, pages: pagesOf(result), entries: log.entries.map(withCheck(exchanges)) },
  };
}

function pagesOf({ checks, controls, exchanges }: RunResult): readonly HarPage[] {
  const senders = new Set(exchanges.map(({ check }) => check));
  return [...checks, ...controls]
    .filter(({ check }) => senders.has(check.id))
    .map(({ check, startedAt, status }) => ({
      id: check.id,
      startedDateTime: new Date(startedAt).toISOString(),
      title: check.title,
      pageTimings: {},
      comment: status,
    }));
}

function withCheck(exchanges: readonly RecordedExchange[]) {
  return (entry: HarEntry, index: number) => {
    const { check = '', malformed, isReceived } = exchanges[index] ?? {};
    const how = isReceived && 'received by the emulated service';
    const said = [how, malformed && `invalid on purpose: ${malformed}`, entry.comment].filter(
      Boolean,
    );
    return { ...entry, pageref: check, ...(said.length > 0 && { comment: said.join('; ') }) };
  };
}
