import { checks as callbackChecks } from '../../conformance/catalogue.ts';
import type { Check, CheckFacts, Polarity } from '../../conformance/check.ts';
import { serviceReviews } from '../../conformance/service-reviews.ts';
import { signinChecks } from '../../conformance/signin-catalogue.ts';
import { catalogue } from '../../diagnosis/catalogue.ts';
import { applicationFaults } from '../../emulator/faults.ts';
import type { CodeEntry } from '../../emulator/handling.ts';
import { applicationCodes, serviceCodes } from '../../emulator/refusals.ts';
import type { Explanation, LikelyCauseText } from '../../reports/explanation.ts';
import { callbackFacts } from '../../traffic/departures.ts';
import { causesOf } from './error-texts.ts';
import {
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
  return [
    { title: 'Diagnoses', explanations: diagnoses() },
    { title: 'Checks', explanations: checks() },
    { title: 'Errors', explanations: errorExplanations },
    { title: 'Codes of the emulators', explanations: emulatorCodes() },
    { title: 'Fields', explanations: fieldExplanations },
    { title: 'HTTP statuses of callbacks', explanations: statusExplanations },
    { title: 'Exit statuses', explanations: exitExplanations },
  ];
}

/** The diagnoses, each with a fault of the emulated application to try it on. */
export function diagnoses(): readonly Explanation[] {
  return Object.entries(catalogue).map(([code, entry]) => {
    const fault = applicationFaults.find(({ diagnosis }) => diagnosis === code);
    const tryIt = fault && tryFault(fault.name, fault.check);
    return { code, kind: 'diagnosis', ...entry, causes: causesOfDiagnosis[code], tryIt };
  });
}

/** Diagnoses that leave their cause open. */
const causesOfDiagnosis: Readonly<Record<string, readonly LikelyCauseText[]>> = {
  'code-not-success': causesOf('other-cipher', 'lost-key', 'foreign-user'),
  'bad-padding': causesOf('other-cipher', 'other-key'),
  'bad-tag': causesOf('other-cipher', 'other-key'),
  'payload-encoding': causesOf('other-encoding', 'text-undecoded', 'key-not-encoded'),
  'cipher-mismatch': causesOf('other-cipher', 'other-key'),
  'wrong-key': [
    ...causesOf('other-key', 'lost-key'),
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

/** The checks of callbacks, of sign-ins and of the service. */
export function checks(): readonly Explanation[] {
  return [
    ...callbackChecks.map(explainCallbackCheck),
    ...signinChecks.map((check) => ({
      ...explainCheck(check, 'authcli verify --signin', signinsMade),
      tryIt: `authcli verify --check ${check.id} --signin -- authcli signin`,
    })),
    ...[...serviceReviews, ...Object.values(callbackFacts)].map((check) => ({
      ...factsOf(check, 'a service'),
      recognised: 'In callbacks of the service that were captured; verify sends its own.',
      fix: 'Run `authcli analyze FILE` on a recording, an HTTP archive or a log of the callbacks: it shows what was expected, what the service sent, and the fix.',
    })),
  ];
}

function factsOf({ id, title, section, sentence, level }: CheckFacts, party: string) {
  const levels = {
    must: `It is a must: ${party} that fails it violates the interface, and the run fails.`,
    should:
      'It is a should: the interface does not require it, but users would expect it. A failure is a warning, and fails the run only with --strict.',
  };
  const meaning = `The interface says: "${sentence}" ${levels[level]}`;
  return { code: id, kind: 'check', title, section, meaning } as const;
}

const requestsSent: Readonly<Record<Polarity, string>> = {
  positive: 'Valid requests are sent, and the responses are checked.',
  negative:
    'A request with one error is sent and must be refused. It only counts if the unmodified request is accepted in the same run.',
};

const signinsMade: Readonly<Record<Polarity, string>> = {
  positive:
    'The application signs a user in against the emulated service, which records the requests.',
  negative:
    'The application signs a user in against the emulated service, which sends a wrong response on purpose: the sign-in must be refused. It only counts if a sign-in with the right response is accepted in the same run.',
};

function explainCheck(
  check: CheckFacts & { readonly needs: readonly string[] },
  command: string,
  what: Readonly<Record<Polarity, string>>,
): Explanation {
  const ids = check.needs.filter((need) => need.includes('/'));
  const needs = ids.length === 0 ? '' : ` It is skipped unless these passed: ${ids.join(', ')}.`;
  return {
    ...factsOf(check, 'an application'),
    recognised: what[check.polarity] + needs,
    fix: `Run only this check with \`${command} --check ${check.id}\`: a failure shows what was expected, what was observed, and the fix.`,
  };
}

function explainCallbackCheck(check: Check): Explanation {
  const explanation = explainCheck(check, 'authcli verify', requestsSent);
  const faults = applicationFaults.filter((fault) => fault.check === check.id);
  const [fault] = faults;
  if (fault === undefined) return explanation;
  const codes = [...new Set(faults.map(({ diagnosis }) => diagnosis))];
  return {
    ...explanation,
    fix: `${explanation.fix} See also: ${codes.join(', ')}.`,
    example: `${fault.title}.`,
    tryIt: tryFault(fault.name, check.id),
  };
}

/** The command that shows right requests to an emulated side, to compare with those that it refuses. */
const rightCalls = {
  application: 'authcli simulate-signup --url URL --trace',
  service: 'authcli signin --ptn-token TOKEN --trace',
} as const;

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
    title: `The emulated ${side} refuses: ${meaning.replace(/\.$/, '')}`,
    meaning: `The interface only defines "0000" (section 7), so this code is the emulator's own: a real ${side} has other codes. Do not write code that depends on it.`,
    recognised: `The response has "code":"${code}" and the HTTP status ${status}.`,
    fix,
    section: '7',
    tryIt: rightCalls[side],
  };
}
