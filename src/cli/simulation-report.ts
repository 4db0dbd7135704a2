import type { SignupStep } from '../client/signup.ts';
import { callLine, callReport, durationOf } from '../reports/exchange.ts';
import type { Session } from './session.ts';

/** The steps of a simulation for scripts and for people, its notes said. */
export function reportSteps(
  steps: readonly SignupStep[],
  session: Session,
): { readonly steps: readonly unknown[]; readonly lines: readonly string[] } {
  for (const note of steps.flatMap(({ notes }) => notes)) session.note(note);
  const weakness = steps.find(({ ok, diagnosis }) => ok && diagnosis)?.diagnosis;
  if (weakness !== undefined) session.warnOf(weakness);
  if (steps.some(isRefusedRegistration)) {
    session.note(
      "an application that can't decrypt refuses too: `authcli cipher probe` finds the cipher that it expects",
    );
  }
  return {
    steps: steps.map(stepReport),
    lines: steps.map((step) => callLine(titles[step.usedType], step, session.style)),
  };
}

/** A refusal of the encrypted half may well be one of the cipher. */
function isRefusedRegistration({ usedType, diagnosis }: SignupStep): boolean {
  return usedType === '2' && diagnosis?.code === 'code-not-success';
}

const titles = { '1': 'key exchange', '2': 'registration' } as const;

function stepReport(step: SignupStep): Readonly<Record<string, unknown>> {
  const { http_status, code, message, diagnosis } = callReport(step);
  return {
    used_type: step.usedType,
    http_status,
    duration_ms: durationOf(step),
    code,
    message,
    ...(diagnosis && { diagnosis }),
    ...(step.notes.length > 0 && { notes: step.notes }),
  };
}
