import { encodeHex } from '../../bytes.ts';
import type { Transport } from '../../client/exchange.ts';
import { compareUsers, type ExaminationTools, type ValidCallback } from '../../client/refusal.ts';
import { register } from '../../client/signup.ts';
import { checks as catalogue } from '../../conformance/catalogue.ts';
import { createRun } from '../../conformance/runner.ts';
import type { Secret } from '../../crypto/secret.ts';
import type { Diagnosis } from '../../errors.ts';
import { counted, escapeControls } from '../../text.ts';
import type { Session } from '../session.ts';
import { probePrefix } from './cipher-finding.ts';

/** The checks whose requests only an application that misreads valid registrations accepts. */
const checkIds: readonly string[] = ['registration/uses-iv', 'registration/rejects-undecryptable'];

/** More than the checks and their controls use. */
const userCodes = 16;

/**
 * Why an accepted registration is worth nothing: the application accepts from test users what it must refuse, by the
 * checks of `verify` with their controls, or refuses from some what it accepts from others. Then sends the registration once more, for applications that keep one
 * passcode for all users.
 *
 * @returns undefined where the application decrypts as it should, or nothing is certain, which is noted
 */
export async function causeOfAcceptance(
  accepted: ValidCallback & { readonly key: Secret },
  tools: ExaminationTools,
  transport: Transport,
  session: Session,
): Promise<Diagnosis | undefined> {
  const { input, key } = accepted;
  const { url, clientId, cipher, ptnCd, keyPair } = input;
  const { context, secrets } = session;
  const { now, randomBytes, signal } = context;
  const seen = new Set<string>();
  const run = createRun(
    {
      url,
      clientId,
      cipher,
      signal,
      catalogue,
      transport,
      selected: catalogue.filter(({ id }) => checkIds.includes(id)),
      userCodes: Array.from({ length: userCodes }, () => probePrefix + encodeHex(randomBytes(6))),
      emit: (event) => {
        if (event.type === 'secret') secrets.add(event.value);
        if (event.type !== 'exchange') return;
        seen.add(event.recorded.ptnCd ?? '');
        tools.onProgress?.(seen.size);
      },
      insecure: false,
      strict: false,
      bail: false,
      knownFailures: [],
    },
    { now, randomBytes, generateKeyPair: async () => keyPair },
  );
  const { checks, controls, users } = await run.start();
  signal.throwIfAborted();
  const [found, ...others] = checks.flatMap(({ fault }) => fault?.diagnosis ?? []);
  const isRefused = controls.some(({ fault }) => fault) || checks.some(({ reason }) => reason);
  const compared = found || !isRefused ? undefined : await compareUsers(transport, accepted, tools);
  const cause = found ?? compared?.diagnosis;
  const again = await register(transport, { ...input, key });
  const testUsers = users.length + (compared?.users.length ?? 0);
  const probed = `probed with ${counted(testUsers, 'test user')} (${probePrefix}…)`;
  session.note(again.ok ? `${probed}, then registered the user again` : probed);
  if (cause === undefined) {
    const [refused] = controls.filter(({ fault }) => fault !== undefined);
    const skipped = checks.flatMap(({ check, reason }) =>
      reason === undefined ? [] : `${check.id} was skipped: ${reason}`,
    );
    const clear = 'the probe found nothing wrong with how the application decrypts';
    const lacking = `test users can't be registered (${refused?.check.id}): ${refused?.fault?.observed}`;
    const notes = refused ? [lacking] : skipped;
    for (const note of notes.length > 0 ? notes : [clear]) session.note(note);
  }
  if (!again.ok)
    session.note(
      `the registration of ${escapeControls(ptnCd)}, sent once more after the probe, was refused (${again.diagnosis?.code}): if the sign-in fails, run simulate-signup again`,
    );
  for (const other of others) await session.warnOf(other);
  return cause;
}
