import { setTimeout as sleep } from 'node:timers/promises';
import type { Check } from '../conformance/check.ts';
import { createKeyPairs } from '../conformance/key-pairs.ts';
import type { Run } from '../conformance/runner.ts';
import { selectChecks } from '../conformance/selection.ts';
import { serviceChecks } from '../conformance/service-catalogue.ts';
import { bindServiceChecks } from '../conformance/service-check.ts';
import { Secret } from '../crypto/secret.ts';
import { shellWord } from '../text.ts';
import { createCheckRun, type RunParts, repeatLine } from './check-run.ts';
import { emulatedSecretKey } from './common-flags.ts';
import { ptnTokenSource } from './ptn-token-source.ts';
import type { Session } from './session.ts';
import { userSecrets } from './signin-flags.ts';
import { type Subject, unbound } from './verification.ts';
import type { VerifyServiceOptions } from './verify-service-flags.ts';

/** The service's own endpoints as what a run is about. */
export function serviceSubject(options: VerifyServiceOptions, session: Session): Subject {
  const catalogue = options.list ? unbound(serviceChecks) : bound(options, session);
  return {
    command: 'verify-service',
    catalogue,
    select: () => selectChecks(catalogue, options),
    url: () => new URL(options.authUrl ?? ''),
    createRun: (parts) => createServiceRun(options, catalogue, parts, session),
    repeatCommand: (id, seed) => repeatCommand(id, options, seed),
  };
}

function bound(options: VerifyServiceOptions, session: Session): readonly Check[] {
  const { authUrl = '', ptnCd, expireTimeZone, expiryWait } = options;
  const { signal } = session.context;
  const secretKey = options.secretKey ?? Secret.text(emulatedSecretKey);
  session.secrets.add(secretKey);
  session.secrets.show(ptnCd);
  return bindServiceChecks(serviceChecks, {
    authUrl,
    secretKey,
    ptnCd,
    nextPtnToken: ptnTokenSource({ ...options, secretKey }, session),
    lookUpUser: (named) => userSecrets(named, options, session),
    timeZone: expireTimeZone,
    longestWaitMs: expiryWait,
    pause: (durationMs) => sleep(durationMs, undefined, { signal }),
  });
}

function createServiceRun(
  options: VerifyServiceOptions,
  catalogue: readonly Check[],
  parts: RunParts,
  session: Session,
): Run {
  const keyPairs = createKeyPairs(session.context.generateKeyPair);
  return createCheckRun({ catalogue, keyPairs }, options, parts, session);
}

/** Flags that hold secrets are left out; the environment or the profile may have them. */
function repeatCommand(
  id: string | undefined,
  options: VerifyServiceOptions,
  seed: string,
): string {
  const { authUrl = '', ptnTokenCommand, ptnCd, expireTimeZone } = options;
  const more = [
    ...(ptnTokenCommand === undefined ? [] : [`--ptn-token-command ${shellWord(ptnTokenCommand)}`]),
    ...(ptnCd === undefined ? [] : [`--ptn-cd ${shellWord(ptnCd)}`]),
    ...(expireTimeZone === undefined ? [] : [`--expire-time-zone ${shellWord(expireTimeZone)}`]),
  ];
  const target = [`--auth-url ${shellWord(authUrl)}`];
  return repeatLine({ command: 'verify-service', id, seed, target, more }, options);
}
