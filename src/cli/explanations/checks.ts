import { checks as catalogue } from '../../conformance/catalogue.ts';
import type { CheckFacts } from '../../conformance/check.ts';
import { serviceChecks } from '../../conformance/service-catalogue.ts';
import { signinChecks } from '../../conformance/signin-catalogue.ts';
import { applicationFaults, type ServiceFault, serviceFaults } from '../../emulator/faults.ts';
import type { Explanation } from '../../reports/explanation.ts';
import { tryFault } from './diagnoses.ts';

type ListedCheck = CheckFacts & { readonly needs: readonly string[] };

/** The checks of a callback endpoint, of a sign-in and of the service, as explanations. */
export function checks(): readonly Explanation[] {
  return [
    ...catalogue.map((check) => explain(check, callback)),
    ...signinChecks.map((check) => explain(check, signin)),
    ...serviceChecks.map((check) => explain(check, service)),
  ];
}

/** Whom a check is about, how it is run, and how a fault of it can be seen. */
interface Side {
  readonly command: string;
  readonly party: string;
  readonly faults: readonly Pick<ServiceFault, 'name' | 'title' | 'check' | 'diagnosis'>[];
  readonly howItIsSeen: (check: ListedCheck) => string;
  readonly tryIt: (id: string, fault: string) => string;
}

const callback: Side = {
  command: 'authcli verify',
  party: 'an application',
  faults: applicationFaults,
  howItIsSeen: howRequestsAreSent,
  tryIt: (id, fault) => tryFault(fault, id),
};

const signin: Side = {
  command: 'authcli verify --signin',
  party: 'an application',
  faults: [],
  howItIsSeen: ({ polarity }) =>
    polarity === 'positive'
      ? 'The application signs a user in against the emulated service, which keeps what it is sent.'
      : 'The application signs a user in against the emulated service, which answers wrongly on purpose: the sign-in must be refused. It counts only beside a right one, which must be accepted.',
  tryIt: (id) => `authcli verify --check ${id} --signin -- authcli signin`,
};

const service: Side = {
  command: 'authcli verify-service',
  party: 'a service',
  faults: serviceFaults,
  howItIsSeen: howRequestsAreSent,
  tryIt: (id, fault) =>
    `authcli emulate service --fault ${fault} -- authcli verify-service --ptn-cd alice --check ${id}`,
};

function explain(check: ListedCheck, side: Side): Explanation {
  const { id, title, section, sentence, level } = check;
  const faults = side.faults.filter((fault) => fault.check === id);
  const [fault] = faults;
  const hasTry = fault !== undefined || side === signin;
  return {
    code: id,
    kind: 'check',
    title,
    section,
    meaning: `The interface says: "${sentence}" ${levels(side.party)[level]}`,
    recognised: side.howItIsSeen(check) + whatItNeeds(check),
    mend: `Run it alone, with \`${side.command} --check ${id}\`: a failure shows what was expected, what came, and what to change.${diagnosesOf(faults)}`,
    ...(fault && { example: `${fault.title}.` }),
    ...(hasTry && { tryIt: side.tryIt(id, fault?.name ?? '') }),
  };
}

const levels = (party: string) => ({
  must: `It is a must: ${party} that fails it breaks the interface, and the run fails.`,
  should:
    'It is a should: the interface leaves it open and users would expect it. A failure is a warning, and fails the run only under --strict.',
});

function howRequestsAreSent({ polarity }: ListedCheck): string {
  return polarity === 'positive'
    ? 'Right requests are sent, and the answers judged.'
    : 'A request that is wrong in one place is sent; it must be refused, and counts only beside the same request unspoilt, which must be accepted.';
}

function whatItNeeds({ needs }: ListedCheck): string {
  const ids = needs.filter((need) => need.includes('/'));
  return ids.length === 0 ? '' : ` It is skipped unless these passed: ${ids.join(', ')}.`;
}

function diagnosesOf(faults: readonly { readonly diagnosis: string }[]): string {
  const codes = [...new Set(faults.map(({ diagnosis }) => diagnosis))];
  return codes.length === 0 ? '' : ` Explained further: ${codes.join(', ')}.`;
}
