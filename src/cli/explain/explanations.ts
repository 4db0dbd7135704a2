import { checks as callbackChecks } from '../../conformance/catalogue.ts';
import type { CheckFacts } from '../../conformance/check.ts';
import { serviceReviews } from '../../conformance/service-reviews.ts';
import { signinChecks } from '../../conformance/signin-catalogue.ts';
import { catalogue } from '../../diagnosis/catalogue.ts';
import { byExplore } from '../../emulator/faults/points.ts';
import { type ApplicationFault, applicationFaults, serviceFaults } from '../../emulator/faults.ts';
import type { CodeEntry } from '../../emulator/handling.ts';
import { applicationCodes, serviceCodes } from '../../emulator/refusals.ts';
import type { DiagnosisCode, ErrorCode } from '../../errors.ts';
import { callbackRequirements } from '../../relay/departures.ts';
import type { Explanation, LikelyCauseText } from '../../reports/explanation.ts';
import { causesOfCode } from './code-causes.ts';
import { causesOf } from './error-texts.ts';
import { fieldExplanations } from './fields.ts';
import { exitExplanations, statusExplanations } from './statuses.ts';

export interface ExplanationGroup {
  readonly title: string;
  readonly explanations: readonly Explanation[];
}

/** Everything that `explain` can explain, in the order of its list; each code once. */
export function explanationGroups(): readonly ExplanationGroup[] {
  const groups = [
    { title: 'Diagnoses', explanations: diagnoses() },
    { title: 'Checks', explanations: checks() },
    { title: 'Errors', explanations: errors },
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

/** The published codes of errors that are not diagnoses. */
type OwnErrorCode = Exclude<ErrorCode, DiagnosisCode | 'terminated'>;

const entries: Readonly<Record<OwnErrorCode, Omit<Explanation, 'code' | 'kind'>>> = {
  usage: {
    title: 'The command line or a setting is invalid',
    meaning: 'A flag, an argument or a setting is missing, unknown or invalid. Nothing was sent.',
    recognised: 'Each value is validated before the command starts.',
    fix: 'The message names the value and what is valid. `authcli COMMAND --help` lists every flag with examples. A value may also come from the environment (AUTHCLI_ and its name) or from the profile: `authcli config list --origin` shows which one is used.',
    example: 'authcli simulate-signup --url localhost:8080 has no http:// in front. Exit status 2.',
  },
  config: {
    title: "The local state can't be read, parsed, locked or written",
    meaning:
      'Settings and users are stored in files in the config folder. One of them is damaged, from a newer release, or not accessible. It was not changed.',
    recognised:
      'The operating system denies access to the file, or its content was not written by authcli.',
    fix: 'Run `authcli doctor`, which checks the files and their modes. `authcli doctor --fix` moves a damaged file aside without changing it; AUTHCLI_CONFIG or --config selects another file for a single run.',
    example: 'The disk is full, or a bracket is missing after a manual edit. Exit status 4.',
  },
  'unknown-user': {
    title: 'No user with that code is stored',
    meaning: 'The active profile has neither a key nor a passcode for that user.',
    recognised: 'The config folder of the profile has no file for that user.',
    fix: 'Run `authcli users list`; users belong to a profile (--profile). Sign the user up with `authcli simulate-signup --ptn-cd CODE`, or import it with `authcli users import`.',
    example: 'authcli users show bob, after a sign-up with --no-save. Exit status 1.',
  },
  'not-set': {
    title: 'The setting is not set',
    meaning: 'The setting is valid, but this profile has no value for it.',
    recognised: 'Neither the profile nor the environment has a value.',
    fix: 'Set it: `authcli config set NAME VALUE`.',
    example: 'authcli config get proxy, where none was set. Exit status 1.',
  },
  'unknown-text': {
    title: 'Not a recognised key format',
    meaning:
      'The text was parsed as Base64, hexadecimal, PEM, DER and JWK, and is neither a key nor a wrapped key.',
    recognised: 'No parser accepts it; the notes show where each one failed.',
    fix: 'Give the complete text from the JSON. A public_key begins with "MII"; an enc_partner_key is the Base64 of as many bytes as the RSA modulus has.',
    example: 'authcli key inspect "hello world". Exit status 1.',
  },
  'checks-failed': {
    title: 'A run of `verify` failed',
    meaning:
      'Checks failed without a diagnosis code, a known failure no longer fails, or no check could be evaluated.',
    recognised: 'The results of the checks, compared with the file of known failures.',
    fix: 'The report shows what each check expected and observed, and which entries of --expect can be removed; --update-expect rewrites the file.',
    example: 'A check was fixed, but --expect still lists it. Exit status 1.',
  },
  'threshold-missed': {
    title: 'A load missed a threshold',
    meaning:
      'A limit on latency, failures or rate (--max-p99, --max-errors, --min-rate and the like) was exceeded, or nothing was measured.',
    recognised: 'Each limit is compared with the result of the whole run.',
    fix: 'The message names the limit and the measured value. --report html=FILE shows when it was exceeded. If authcli itself was the bottleneck, it says so: use another machine or a lower rate.',
    example:
      'authcli load --rate 500 --max-p99 50ms, and the application takes 80 ms. Exit status 1.',
  },
  interrupted: {
    title: 'The run was interrupted',
    meaning:
      'It was interrupted (Ctrl-C, SIGINT) or terminated (SIGTERM). The run did not finish; reports were still written.',
    recognised: 'The signal.',
    fix: 'Run it again. If it seemed to hang, --trace shows what it waited for, and --timeout limits each request.',
    example: 'A CI job reached its time limit. Exit status 130 or 143.',
  },
  internal: {
    title: 'A bug in authcli',
    meaning: 'An unexpected error in authcli; it says nothing about your application.',
    recognised: 'An error without a code.',
    fix: 'Run the same command with --verbose and report the bug with the lines that begin with "bug:" (versions, the command line and the stack trace). Secrets are redacted in them, even with --show-secrets, but read them before you share them. --trace adds the requests and responses.',
    example: 'Exit status 70.',
  },
};

const errors: readonly Explanation[] = Object.entries(entries).map(([code, entry]) => ({
  code,
  kind: 'error',
  ...entry,
}));

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
