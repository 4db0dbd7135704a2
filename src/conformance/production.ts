import type { Check } from './check.ts';
import { testUserPrefix } from './test-data.ts';

/** The only user whom the production subset signs up, the same in every run. */
export const productionUser = `${testUserPrefix}production`;

/**
 * The checks as they run against an endpoint in production: those of the subset that judge what others exchange send
 * nothing of their own, and so come last.
 */
export function forProduction(catalogue: readonly Check[]): readonly Check[] {
  return catalogue.map((check) => {
    const { review, production } = check;
    if (production !== 'reviews' || review === undefined) return check;
    const run: Check['run'] = async ({ record, environment }) =>
      review(record, environment.clientId);
    return { ...check, stage: 'review', run };
  });
}
