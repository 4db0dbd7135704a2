import { catalogue } from '../../diagnosis/catalogue.ts';
import { byExplore } from '../../emulator/faults/points.ts';
import { applicationFaults, serviceFaults } from '../../emulator/faults.ts';
import type { DiagnosisCode } from '../../errors.ts';
import type { Explanation } from '../../reports/explanation.ts';

interface ListedFault {
  readonly name: string;
  readonly side: 'application' | 'service';
  readonly title: string;
  readonly check?: string;
  readonly diagnosis: DiagnosisCode;
}

/** The faults of the emulators, as their journal names them. One of both sides is explained once. */
export function faultExplanations(): readonly Explanation[] {
  const all: readonly ListedFault[] = [...applicationFaults, ...serviceFaults];
  const byName = new Map(all.toReversed().map((fault) => [fault.name, fault]));
  return [...byName.values()].toReversed().map(explainFault);
}

function explainFault({ name, side, title, check, diagnosis }: ListedFault): Explanation {
  const { fix, section } = catalogue[diagnosis];
  const [emulator, finder, recognised] =
    check === undefined
      ? [
          'emulate service',
          'npm test',
          `By \`authcli signin\` or a relay in front, which report ${diagnosis}.`,
        ]
      : check === byExplore
        ? ['emulate app', 'authcli explore', `By a run of explore, which fails with ${diagnosis}.`]
        : [
            'emulate app',
            `authcli verify --check ${check}`,
            `By the check ${check}, which fails with ${diagnosis}.`,
          ];
  return {
    code: name,
    kind: 'fault',
    title,
    meaning: `The emulated ${side} does this on purpose where the fault is switched on: a mistake for a test to find.`,
    recognised,
    fix,
    ...(section !== undefined && { section }),
    tryIt: `authcli ${emulator} --fault ${name} -- ${finder}`,
  };
}
