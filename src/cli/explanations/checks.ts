import { checks as catalogue } from '../../conformance/catalogue.ts';
import type { CheckFacts } from '../../conformance/check.ts';
import { serviceChecks } from '../../conformance/service-catalogue.ts';
import { applicationFaults, type ServiceFault, serviceFaults } from '../../emulator/faults.ts';
import type { Explanation } from '../../reports/explanation.ts';
import { tryFault } from './diagnoses.ts';

type ListedCheck = CheckFacts & { readonly needs: readonly string[] };

/** The checks of a callback endpoint and of the service, as explanations. */
export function checks(): readonly Explanation[] {
  const ofApplication = catalogue.map((check) =>
    explain(check, { command: 'verify', party: 'an application', faults: applicationFaults }),
  );
  const ofService = serviceChecks.map((check) =>
    explain(check, { command: 'verify-service', party: 'a service', faults: serviceFaults }),
  );
  return [...ofApplication, ...ofService];
}

/** Whom a check is about, and how it is run. */
interface Side {
  readonly command: 'verify' | 'verify-service';
  readonly party: string;
  readonly faults: readonly Pick<ServiceFault, 'name' | 'title' | 'check' | 'diagnosis'>[];
}

function explain(check: ListedCheck, side: Side): Explanation {
  const { id, title, section, sentence, level } = check;
  const { command, party } = side;
  const faults = side.faults.filter((fault) => fault.check === id);
  const [fault] = faults;
  const tryIt =
    command === 'verify'
      ? tryFault(fault?.name ?? '', id)
      : `authcli emulate service --fault ${fault?.name} -- authcli verify-service --ptn-cd alice --check ${id}`;
  return {
    code: id,
    kind: 'check',
    title,
    section,
    meaning: `The interface says: "${sentence}" ${levels(party)[level]}`,
    recognised: howItIsSeen(check),
    mend: `Run it alone, with \`authcli ${command} --check ${id}\`: a failure shows what was expected, what came, and what to change.${diagnosesOf(faults)}`,
    ...(fault && { example: `${fault.title}.`, tryIt }),
  };
}

const levels = (party: string) => ({
  must: `It is a must: ${party} that fails it breaks the interface, and the run fails.`,
  should:
    'It is a should: the interface leaves it open and users would expect it. A failure is a warning, and fails the run only under --strict.',
});

function howItIsSeen({ polarity, needs }: ListedCheck): string {
  const sent =
    polarity === 'positive'
      ? 'Right requests are sent, and the answers judged.'
      : 'A request that is wrong in one place is sent; it must be refused, and counts only beside the same request unspoilt, which must be accepted.';
  const ids = needs.filter((need) => need.includes('/'));
  return ids.length === 0 ? sent : `${sent} It is skipped unless these passed: ${ids.join(', ')}.`;
}

function diagnosesOf(faults: readonly { readonly diagnosis: string }[]): string {
  const codes = [...new Set(faults.map(({ diagnosis }) => diagnosis))];
  return codes.length === 0 ? '' : ` Explained further: ${codes.join(', ')}.`;
}
