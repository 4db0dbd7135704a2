import { addressCases } from './connections/addresses.ts';
import { type ConnectionCase, Lab } from './connections/lab.ts';
import { peerCases } from './connections/peers.ts';
import { proxyCases, redirectCases } from './connections/proxies.ts';
import { tlsCases } from './connections/tls.ts';
import type { HardeningOptions, SectionResult } from './section.ts';

/** Tries every way of connecting: TLS, proxies, addresses, redirects, and peers of other makers. */
export async function connections({ quick }: HardeningOptions): Promise<SectionResult> {
  const all = [...tlsCases, ...proxyCases, ...redirectCases, ...(await addressCases())];
  const { tried, failures } = await tryCases(quick ? all : [...all, ...peerCases]);
  const count = tried - failures.length;
  return {
    rows: [{ what: 'connections', tried, outcome: 'as they must be', count, atLeast: 100 }],
    failures,
  };
}

/** Tries these cases; the failures with their names. */
export async function tryCases(
  cases: readonly ConnectionCase[],
): Promise<{ readonly tried: number; readonly failures: readonly string[] }> {
  const lab = new Lab();
  const failures: string[] = [];
  try {
    for (const { name, run } of cases) {
      await run(lab).catch((error: unknown) => failures.push(`${name}: ${messageOf(error)}`));
    }
  } finally {
    await lab.close();
  }
  return { tried: cases.length, failures };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
