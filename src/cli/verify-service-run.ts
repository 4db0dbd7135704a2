import { setTimeout as sleep } from 'node:timers/promises';
import { encodeHex } from '../bytes.ts';
import { isKnownFailure } from '../conformance/baseline.ts';
import type { Check } from '../conformance/check.ts';
import { createKeyPairs } from '../conformance/key-pairs.ts';
import { Run } from '../conformance/runner.ts';
import { serviceChecks } from '../conformance/service-catalogue.ts';
import { bindServiceChecks } from '../conformance/service-check.ts';
import { inventUsers } from '../conformance/test-users.ts';
import { defaultCipher, formatCipher } from '../crypto/cipher-notation.ts';
import { defaultClientId } from '../protocol/stand-ins.ts';
import { emulatedSecretKey } from './common-flags.ts';
import { ptnTokenSource } from './ptn-token-source.ts';
import type { Session } from './session.ts';
import { userSecrets } from './signin-flags.ts';
import type { Subject } from './verification.ts';
import { dayOf } from './verify-baseline.ts';
import { quote } from './verify-repeat.ts';
import { CheckCounter, listen, type RunParts } from './verify-run.ts';
import type { VerifyServiceOptions } from './verify-service-flags.ts';

/** The service's own endpoints as what a run is about. */
export function serviceSubject(options: VerifyServiceOptions, session: Session): Subject {
  const catalogue = options.list ? unbound() : bound(options, session);
  return {
    command: 'verify-service',
    catalogue,
    url: () => new URL(options.authUrl ?? ''),
    createRun: (parts) => createServiceRun(options, catalogue, parts, session),
    repeatCommand: (id, seed) => repeatCommand(id, options, seed),
  };
}

/** For the list of the checks, which needs nothing that a run needs. */
function unbound(): readonly Check[] {
  return serviceChecks.map((check) => ({ ...check, run: async () => undefined }));
}

function bound(options: VerifyServiceOptions, session: Session): readonly Check[] {
  const { authUrl = '', ptnCd, expireTimeZone, expiryWait } = options;
  const { signal } = session.context;
  const { secretKey = emulatedSecretKey } = options;
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
  const { context } = session;
  const { clientId, cipher, strict, bail, insecure } = options;
  const { url, transport, selected, baseline } = parts;
  const seed = options.seed ?? encodeHex(context.randomBytes(4));
  const today = dayOf(context.now());
  const counter = new CheckCounter(parts, session);
  return new Run({
    catalogue,
    selected,
    transport,
    url,
    clientId,
    cipher,
    seed,
    insecure,
    strict,
    bail,
    keyPairs: createKeyPairs((bits) => context.generateKeyPair(bits)),
    users: inventUsers(seed),
    concurrentUsers: 0,
    now: context.now,
    signal: context.signal,
    isKnown: ({ check }) => isKnownFailure(check, baseline, today),
    emit: (event) => listen(event, counter, session),
  });
}

/** Flags that hold secrets are left out; the environment or the profile may have them. */
function repeatCommand(
  id: string | undefined,
  options: VerifyServiceOptions,
  seed: string,
): string {
  const { authUrl = '', clientId, cipher, ptnTokenCommand, ptnCd, expireTimeZone } = options;
  const notation = formatCipher(cipher);
  const words = [
    'authcli verify-service',
    ...(id === undefined ? [] : [`--check ${id}`]),
    `--auth-url ${quote(authUrl)}`,
    `--seed ${quote(seed)}`,
    ...(clientId === defaultClientId ? [] : [`--client-id ${quote(clientId)}`]),
    ...(ptnTokenCommand === undefined ? [] : [`--ptn-token-command ${quote(ptnTokenCommand)}`]),
    ...(ptnCd === undefined ? [] : [`--ptn-cd ${quote(ptnCd)}`]),
    ...(expireTimeZone === undefined ? [] : [`--expire-time-zone ${quote(expireTimeZone)}`]),
    ...(notation === formatCipher(defaultCipher) ? [] : [`--cipher ${quote(notation)}`]),
    ...(options.insecure ? ['--insecure'] : []),
    ...(options.strict ? ['--strict'] : []),
  ];
  return words.join(' ');
}
