import { diagnosis } from '../../src/diagnosis/diagnosis.ts';
import type { LoadResult } from '../../src/load/run.ts';
import { type LoadDocument, toLoadDocument } from '../../src/reports/load.ts';

const latency = { count: 1000, p50: 20, p90: 30, p99: 40, max: 50 };

/** A load that went well, but for what is changed. */
export function loadResult(changes: Partial<LoadResult> = {}): LoadResult {
  return {
    startedAt: '2026-01-02T03:04:05.000Z',
    durationMs: 10_000,
    succeeded: 1000,
    failed: 0,
    unfinished: 0,
    notStarted: 0,
    responded: true,
    gaveUp: false,
    perSecond: 100,
    latency,
    steps: [
      { ...latency, p50: 12 },
      { ...latency, p50: 8 },
    ],
    errors: [],
    threads: 1,
    busy: 0.5,
    interrupted: false,
    ...changes,
  };
}

/** The document of such a load. */
export function loadDocument(
  changes: Partial<LoadResult> = {},
  facts: Partial<Parameters<typeof toLoadDocument>[1]> = {},
): LoadDocument {
  return toLoadDocument(loadResult(changes), {
    version: '0.1.0',
    url: 'http://localhost:8080/callback',
    pace: '16 at the same time, for 10 s',
    thresholds: [],
    notes: [],
    cpuMs: 1000,
    peakMemoryBytes: 1e8,
    ...facts,
  });
}

/** One whose application tries to get into the report. */
export function hostileLoad(): LoadDocument {
  const message = '<script>alert(1)</script>\u001b[2J"\' onload=x';
  return loadDocument(
    {
      failed: 3,
      errors: [{ ...diagnosis('code-not-success', message, message), count: 3 }],
    },
    { notes: [message], url: 'http://localhost/<script>?a="\'&b' },
  );
}
