import { isAccepted } from '../conformance/expect.ts';
import { resetting } from './circumstances.ts';
import { Coverage } from './coverage.ts';
import type { Subject } from './explore.ts';
import type { TokenPolicy } from './model/service-state.ts';
import { ofOneUser, onlySteps } from './sequence.ts';
import { drawServiceSequence, type ServiceBounds, simplerSignIns } from './service-draw.ts';
import { executeSignIns, type ServiceEndpoint } from './service-execute.ts';

export interface ServiceExploreOptions extends ServiceEndpoint, ServiceBounds {}

/** A plain sign-in, which everything else rests on. */
const signIn = ofOneUser('token/valid', 'authenticate/latest-token');

/** What the interface leaves open, and every service does in one way: how often a token works. */
const usedTokens = ofOneUser(
  'token/valid',
  'authenticate/latest-token',
  'authenticate/used-token',
  'token/again',
);

/** The two operations of a service as what is explored. */
export function serviceSubject(options: ServiceExploreOptions): Subject {
  const names = new Set(options.operations.map(({ id }) => id));
  const planned = new Coverage();
  let policy: Promise<TokenPolicy> | undefined;
  return {
    draw: (dice) => drawServiceSequence(dice, options, planned),
    simplerSteps: simplerSignIns,
    mostUsers: options.users,
    control: onlySteps(signIn, ({ operation }) => names.has(operation)),
    execute: async (sequence, circumstances) => {
      policy ??= policyOf(options);
      const endpoint = resetting(options, circumstances);
      return executeSignIns(sequence, endpoint, await policy, circumstances.coverage);
    },
  };
}

/** What the service does with used tokens; unknown where its sign-in fails. */
async function policyOf(endpoint: ServiceEndpoint): Promise<TokenPolicy> {
  const { sent, violation } = await executeSignIns(usedTokens, endpoint, {});
  if (violation !== undefined || sent.length < usedTokens.rounds.length) return {};
  const [, , used, again] = sent.map(({ outcome }) => isAccepted(outcome));
  return { acsOnce: used === false, ptnOnce: again === false };
}
