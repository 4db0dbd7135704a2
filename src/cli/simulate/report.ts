import { stepDocument } from '../../app/signup.ts';
import { decodeUtf8 } from '../../bytes.ts';
import { headerOf, type WireRequest } from '../../client/exchange.ts';
import type { CallbackInput, SignupStep } from '../../client/signup.ts';
import type { Secret } from '../../crypto/secret.ts';
import { applicationCodes } from '../../emulator/refusals.ts';
import type { Diagnosis } from '../../errors.ts';
import { callLine } from '../../reports/exchange.ts';
import { reveal } from '../../reports/redact.ts';
import { escapeControls } from '../../text.ts';
import { confirmation, type Outcome } from '../command.ts';
import { emulatedRefusal } from '../emulated-refusal.ts';
import type { Failure } from '../failure.ts';
import type { Session } from '../session.ts';

interface Simulation {
  /** "Sign-up of", before the user code. */
  readonly title: string;
  readonly input: CallbackInput;
  readonly steps: readonly SignupStep[];
  readonly key?: Secret | undefined;
  readonly keyFingerprint?: string | undefined;
  readonly superPasscode?: Secret;
  readonly ok: boolean;
  /** Why it failed; beside `ok`, a weakness. */
  readonly diagnosis?: (Diagnosis & Pick<Failure, 'next'>) | undefined;
  /** Takes the escaped user code. */
  readonly success: (user: string) => string;
}

/** Notes and a weakness of the key are printed on standard error. */
export async function simulationOutcome(
  simulation: Simulation,
  session: Session,
): Promise<Outcome> {
  const { title, input, ok, steps, key, keyFingerprint, superPasscode, success } = simulation;
  const { style } = session;
  const user = escapeControls(input.ptnCd);
  await remarkOn(steps, session);
  if (simulation.diagnosis?.code === 'key-leaked') await warnOfFailures(steps, session);
  return {
    fields: {
      ptn_cd: reveal(input.ptnCd),
      client_id: reveal(input.clientId),
      url: input.url.href,
      key_fingerprint: keyFingerprint ?? null,
      steps: steps.map(stepDocument),
      ...(session.showsSecrets && {
        key: key?.reveal(),
        ...(superPasscode && { super_passcode: superPasscode.reveal() }),
      }),
    },
    lines: [
      confirmation(`${title} ${style.bold(user)} at ${input.url.href}`),
      ...steps.map((step) => {
        const line = callLine(stepTitles[step.usedType], step, style);
        return step.ok ? confirmation(line) : line;
      }),
      ...(ok ? [session.done(success(user))] : []),
    ],
    failure: ok ? undefined : failureOf(simulation),
  };
}

/** What the emulated application refuses has a fix of its own, unless more was found out. */
function failureOf({ steps, diagnosis }: Simulation): Failure | undefined {
  const last = steps.at(-1);
  const isOpen = diagnosis?.code === 'code-not-success' && diagnosis.next === undefined;
  if (!isOpen || last === undefined) return diagnosis;
  return emulatedRefusal(diagnosis, last, 'application', applicationCodes) ?? diagnosis;
}

const stepTitles = { '1': 'key exchange', '2': 'registration' } as const;

export async function remarkOn(steps: readonly SignupStep[], session: Session): Promise<void> {
  for (const note of steps.flatMap(({ notes }) => notes)) session.note(note);
  const weakness = steps.find(({ ok, diagnosis }) => ok && diagnosis)?.diagnosis;
  if (weakness !== undefined) await session.warnOf(weakness);
}

/** What failed beside the leak, which is the error. */
async function warnOfFailures(steps: readonly SignupStep[], session: Session): Promise<void> {
  for (const { ok, diagnosis } of steps) {
    if (!ok && diagnosis !== undefined && diagnosis.code !== 'key-leaked') {
      await session.warnOf(diagnosis);
    }
  }
}

/** The requests of --dry-run. */
export function dryRun(
  requests: readonly WireRequest[],
  ptnCd: string,
  { style }: Session,
): Outcome {
  const shown = requests.map(({ method, url, headers, body }) => ({
    method,
    url: url.href,
    headers: Object.fromEntries(headers),
    body: JSON.parse(decodeUtf8(body) ?? 'null') as unknown,
  }));
  return {
    fields: { dry_run: true, ptn_cd: ptnCd, requests: shown },
    lines: [
      ...requests.flatMap(({ method, url, headers }, index) => [
        style.bold(`${method} ${url.href}`),
        `Content-type: ${headerOf(headers, 'content-type')}`,
        '',
        JSON.stringify(shown[index]?.body, null, 2),
        '',
      ]),
      'Nothing was sent.',
    ],
  };
}
