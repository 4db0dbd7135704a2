import { checks as callbackChecks } from '../../conformance/catalogue.ts';
import type { CheckFacts } from '../../conformance/check.ts';
import { serviceReviews } from '../../conformance/service-reviews.ts';
import { signinChecks } from '../../conformance/signin-catalogue.ts';
import { catalogue } from '../../diagnosis/catalogue.ts';
import { byExplore } from '../../emulator/faults/points.ts';
import { type ApplicationFault, applicationFaults, serviceFaults } from '../../emulator/faults.ts';
import type { CodeEntry } from '../../emulator/handling.ts';
import { applicationCodes, serviceCodes } from '../../emulator/refusals.ts';
import type { DiagnosisCode } from '../../errors.ts';
import { callbackRequirements } from '../../relay/departures.ts';
import type { Explanation, LikelyCauseText } from '../../reports/explanation.ts';
import { causesOf } from './error-texts.ts';
import {
  causesOfCode,
  errorExplanations,
  exitExplanations,
  fieldExplanations,
  statusExplanations,
} from './texts.ts';

export interface ExplanationGroup {
  readonly title: string;
  readonly explanations: readonly Explanation[];
}

/** Everything that `explain` can explain, in the order of its list; each code once. */
export function explanationGroups(): readonly ExplanationGroup[] {
  const groups = [
    { title: 'Diagnoses', explanations: diagnoses() },
    { title: 'Checks', explanations: checks() },
    { title: 'Errors', explanations: errorExplanations },
    { title: 'Codes of the emulators', explanations: emulatorCodes() },
    { title: 'Fields', explanations: fieldExplanations },
    { title: 'HTTP statuses of callbacks', explanations: statusExplanations },
    { title: 'Exit statuses', explanations: exitExplanations },
  ];
  const known = new Set(groups.flatMap(({ explanations }) => explanations).map(({ code }) => code));
  // A fault that is named as its diagnosis is explained by it.
  const faults = faultExplanations().filter(({ code }) => !known.has(code));
  return [...groups, { title: 'Faults of the emulators', explanations: faults }];
}

/** The diagnoses, each with a fault of the emulated application to try it on. */
export function diagnoses(): readonly Explanation[] {
  return Object.entries(catalogue).map(([code, entry]) => {
    const fault = applicationFaults.find(({ diagnosis }) => diagnosis === code);
    const tryIt = fault && tryFault(fault.name, fault.check);
    const causes = causesOfDiagnosis[code];
    return {
      code,
      kind: 'diagnosis',
      ...entry,
      ...(causes && { causes }),
      ...(tryIt && { tryIt }),
    };
  });
}

/** Diagnoses that leave their cause open. */
const causesOfDiagnosis: Readonly<Record<string, readonly LikelyCauseText[]>> = {
  'code-not-success': causesOf('padding-refused'),
  'bad-padding': causesOf('padding-refused'),
  'bad-tag': causesOf('tag-refused'),
  'payload-encoding': causesOf('not-base64-text'),
  'cipher-mismatch': causesOf('padding-refused'),
  'wrong-key': [
    ...causesOf('padding-refused').slice(1),
    {
      cause: 'It uses the key of another user: one variable or cache for all.',
      command: 'authcli verify --url URL --check registration/key-of-that-user',
    },
  ],
};

/** A line to paste that runs one check against an application with a fault. */
function tryFault(fault: string, check: string): string {
  return `authcli emulate app --fault ${fault} -- authcli verify --check ${check}`;
}

type ListedCheck = CheckFacts & { readonly needs: readonly string[] };

/** The checks of callbacks, of sign-ins and of the service. */
export function checks(): readonly Explanation[] {
  return [
    ...callbackChecks.map((check) => explainCheck(check, callback)),
    ...signinChecks.map((check) => explainCheck(check, signin)),
    ...[...serviceReviews, ...callbackRequirements].map(explainRequirement),
  ];
}

/** The side that a check is about. */
interface Side {
  readonly command: string;
  readonly party: string;
  readonly faults: readonly ApplicationFault[];
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
      ? 'The application signs a user in against the emulated service, which records the requests.'
      : 'The application signs a user in against the emulated service, which sends a wrong response on purpose: the sign-in must be refused. It only counts if a sign-in with the right response is accepted in the same run.',
  tryIt: (id) => `authcli verify --check ${id} --signin -- authcli signin`,
};

function explainCheck(check: ListedCheck, side: Side): Explanation {
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
    fix: `Run only this check with \`${side.command} --check ${id}\`: a failure shows what was expected, what was observed, and the fix.${diagnosesOf(faults)}`,
    ...(faults.length > 0 && { causes: causesOfCheck(faults) }),
    ...(fault && { example: `${fault.title}.` }),
    ...(hasTry && { tryIt: side.tryIt(id, fault?.name ?? '') }),
  };
}

/** What only traffic shows: the requests of the service. */
function explainRequirement({ id, title, section, sentence }: CheckFacts): Explanation {
  return {
    code: id,
    kind: 'check',
    title,
    section,
    meaning: `The interface says: "${sentence}" ${levels('a service').must}`,
    recognised: 'In callbacks of the service that were captured; verify sends its own.',
    fix: 'Run `authcli analyze FILE` on a recording, an HTTP archive or a log of the callbacks: it shows what was expected, what the service sent, and the fix.',
  };
}

const levels = (party: string) => ({
  must: `It is a must: ${party} that fails it violates the interface, and the run fails.`,
  should:
    'It is a should: the interface does not require it, but users would expect it. A failure is a warning, and fails the run only with --strict.',
});

function howRequestsAreSent({ polarity }: ListedCheck): string {
  return polarity === 'positive'
    ? 'Valid requests are sent, and the responses are checked.'
    : 'A request with one error is sent and must be refused. It only counts if the unmodified request is accepted in the same run.';
}

function whatItNeeds({ needs }: ListedCheck): string {
  const ids = needs.filter((need) => need.includes('/'));
  return ids.length === 0 ? '' : ` It is skipped unless these passed: ${ids.join(', ')}.`;
}

/** The mistakes that a check finds, each with the explanation of its diagnosis. */
function causesOfCheck(faults: Side['faults']): readonly LikelyCauseText[] {
  return faults.slice(0, 3).map(({ title, diagnosis }) => ({
    cause: `${title}.`,
    command: `authcli explain ${diagnosis}`,
  }));
}

function diagnosesOf(faults: readonly { readonly diagnosis: string }[]): string {
  const codes = [...new Set(faults.map(({ diagnosis }) => diagnosis))];
  return codes.length === 0 ? '' : ` See also: ${codes.join(', ')}.`;
}

/** The codes with which the emulators refuse requests. */
export function emulatorCodes(): readonly Explanation[] {
  return [
    ...Object.values(applicationCodes).map((entry) => explainCode(entry, 'application')),
    ...Object.values(serviceCodes).map((entry) => explainCode(entry, 'service')),
  ];
}

function explainCode(entry: CodeEntry, side: 'application' | 'service'): Explanation {
  const { code, meaning, fix, status } = entry;
  return {
    code,
    kind: 'emulator code',
    title: `The emulated ${side} refuses: ${lowerFirst(meaning.replace(/\.$/, ''))}`,
    meaning: `The interface only defines "0000" (section 7), so this code is the emulator's own: a real ${side} has other codes. Do not write code that depends on it.`,
    recognised: `The response has "code":"${code}" and the HTTP status ${status}.`,
    causes: causesOfCode(code),
    fix,
    section: '7',
  };
}

/** Field names begin with a small letter anyway. */
function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

interface ListedFault {
  readonly name: string;
  readonly side: 'application' | 'service';
  readonly title: string;
  readonly check?: string;
  readonly diagnosis: DiagnosisCode;
}

/** The faults of the emulators, as their journal names them. One of both sides is explained once. */
function faultExplanations(): readonly Explanation[] {
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
