import type { Coverage } from './coverage.ts';

/** How a sequence is executed. */
export interface Circumstances {
  readonly coverage?: Coverage | undefined;
  /** Awaited immediately before the sequence, after whatever the subject has to find out first. */
  readonly reset?: (() => Promise<void>) | undefined;
}

/** The endpoint with a reset after its own preparation. */
export function resetting<E extends { readonly prepare?: (() => Promise<void>) | undefined }>(
  endpoint: E,
  { reset }: Circumstances,
): E {
  if (reset === undefined) return endpoint;
  const prepare = async (): Promise<void> => {
    await endpoint.prepare?.();
    await reset();
  };
  return { ...endpoint, prepare };
}
