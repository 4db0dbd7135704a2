import type { RegistrationInput, SignupStep } from '../../client/signup.ts';
import type { Transport } from '../../client/transport.ts';
import type { Secret } from '../../crypto/secret.ts';
import type { Diagnosis } from '../../errors.ts';
import { toggle } from '../args/options.ts';
import type { Failure } from '../failure.ts';
import type { Session } from '../session.ts';
import { causeOfFailure, type ProbeSettings } from './failed-registration.ts';

export const probeFlag = toggle(
  '--probe',
  'with test users: if the registration fails, find the cipher that the application expects (on a terminal authcli asks); if it is accepted, check that the application decrypts it',
);

interface Registration {
  readonly ok: boolean;
  readonly steps: readonly SignupStep[];
  readonly key?: Secret | undefined;
  readonly diagnosis?: Diagnosis | undefined;
}

type ProbeOptions = ProbeSettings & Omit<RegistrationInput, 'key'>;

/** The verdict on a registration after what a probe with test users shows, where the user wants it. */
export async function probed<T extends Registration>(
  outcome: T,
  options: ProbeOptions,
  transport: Transport,
  session: Session,
): Promise<T & { readonly diagnosis?: (Diagnosis & Pick<Failure, 'next'>) | undefined }> {
  const { ok, key } = outcome;
  if (!ok) {
    const diagnosis = await causeOfFailure(outcome, options, transport, session);
    return { ...outcome, diagnosis };
  }
  if (!options.probe || key === undefined) return outcome;
  const { causeOfAcceptance } = await import('./accepted-registration.ts');
  const diagnosis = await causeOfAcceptance({ ...options, key }, options, transport, session);
  return diagnosis === undefined ? outcome : { ...outcome, ok: false, diagnosis };
}
