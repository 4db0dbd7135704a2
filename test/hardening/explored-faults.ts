import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { byExplore } from '../../src/emulator/faults/points.ts';
import { applicationFaults, serviceFaults } from '../../src/emulator/faults.ts';
import type {
  ExploreDocument,
  ExploreFailureDocument,
} from '../../src/reports/explore-document.ts';
import type { HardeningOptions, Row, SectionResult } from './section.ts';
import { inParallel, trialFolder } from './worker.ts';

type Side = 'app' | 'service';

interface Fault {
  readonly name: string;
  readonly side: Side;
  /** The fewest that show it. */
  readonly steps: number;
}

/** What became of a fault. */
interface Trial {
  readonly fault: Fault;
  /** Of the whole run, with the attempts to shorten: an upper bound where the machine has other work. */
  readonly seconds: number;
  readonly callbacks: number;
  readonly failure: ExploreFailureDocument | undefined;
  /** Undefined where a script can't show it. */
  readonly script: 'shows it' | 'does not' | undefined;
  /** What isn't as it should be. */
  readonly problems: readonly string[];
}

/** What explore does by default, and time to shorten what it finds. */
const mostSeconds = 45;
/** Found only where tokens expire while it is explored, which takes these flags. */
const expiring = /expire|expiry/;
const expiringFlags = ['--expire-time-zone', 'UTC'];
/** Of what a program printed. */
const mostShown = 400;
const program = resolve('bin/authcli.js');

/**
 * Every fault of state, over HTTP, as a user looks for it: `authcli emulate app --fault NAME -- authcli explore` with the
 * defaults and a seed that is drawn. The script is run against the faulty side, started anew, and against a right one.
 */
export async function exploredFaults({ quick }: HardeningOptions): Promise<SectionResult> {
  const folder = trialFolder();
  try {
    await signUpUsers(folder);
    const all = [...faultsOf('app', applicationFaults), ...faultsOf('service', serviceFaults)];
    const trials: Trial[] = [];
    const chosen = quick ? all.filter((_, index) => index % 20 === 3) : all;
    await inParallel(chosen, 2, async (fault) => void trials.push(await tryFault(fault, folder)));
    return summaryOf(trials);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function faultsOf(
  side: Side,
  faults: readonly { readonly name: string; readonly check: string; readonly steps?: number }[],
): readonly Fault[] {
  return faults
    .filter(({ check }) => check === byExplore)
    .map(({ name, steps = 0 }) => ({ name, side, steps }));
}

/** The service knows the users of the profile; with one alone, some faults could not show. */
async function signUpUsers(folder: string): Promise<void> {
  for (const user of ['alice', 'bob', 'carol']) {
    const { status, output } = await emulate('app', [], folder, [
      ...authcli,
      ...['simulate-signup', '--ptn-cd', user],
    ]);
    if (status !== 0) throw new Error(`${user} could not be signed up: ${output}`);
  }
}

const authcli = [process.execPath, program];

/** Runs a command behind an emulator that is started for it. */
async function emulate(
  side: Side,
  flags: readonly string[],
  cwd: string,
  command: readonly string[],
  variables: Readonly<Record<string, string>> = {},
): Promise<{ readonly status: number; readonly stdout: string; readonly output: string }> {
  const argv = [program, 'emulate', side, ...flags, '--', ...command];
  const config = ['AUTHCLI_CONFIG', join(cwd, side === 'app' ? '' : '..', 'config.json')] as const;
  const env = { ...process.env, ...variables, [config[0]]: config[1] };
  const child = spawn(process.execPath, argv, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const printed = Promise.all([text(child.stdout), text(child.stderr)]);
  const [status] = (await once(child, 'close')) as [number];
  const [stdout, stderr] = await printed;
  return { status, stdout, output: stdout + stderr };
}

async function tryFault(fault: Fault, folder: string): Promise<Trial> {
  const cwd = join(folder, `${fault.side}-${fault.name}`);
  mkdirSync(cwd);
  const isExpiring = expiring.test(fault.name);
  const flags = [
    '--fault',
    fault.name,
    ...(isExpiring ? ['--token-ttl', '1s', ...expiringFlags] : []),
  ];
  const { status, stdout, output } = await emulate(fault.side, flags, cwd, [
    ...authcli,
    ...['explore', '--json', ...(isExpiring ? expiringFlags : [])],
  ]);
  if (status !== 0 && status !== 1) {
    const problems = [`explore ended with status ${status}: ${output.slice(-mostShown)}`];
    return { fault, seconds: 0, callbacks: 0, failure: undefined, script: undefined, problems };
  }
  const document = JSON.parse(stdout) as ExploreDocument;
  const [failure] = document.failures;
  const script =
    failure?.script === undefined ? undefined : await tryScript(fault, failure, cwd, flags);
  const seconds = document.duration_ms / 1000;
  return {
    fault,
    seconds,
    callbacks: document.steps,
    failure,
    script: script && (script.isShown ? 'shows it' : 'does not'),
    problems: [...problemsOf(fault, document, seconds), ...(script?.problems ?? [])],
  };
}

function problemsOf(
  { steps }: Fault,
  { seed, failures }: ExploreDocument,
  seconds: number,
): readonly string[] {
  const [failure] = failures;
  if (failure === undefined) return [`not found in ${seconds} s, seed ${seed}`];
  const told = failure.steps.map(({ round, user, operation }) => `${round}. ${operation}@${user}`);
  const facts = `seed ${seed}: ${told.join(', ')}`;
  const { repeated } = failure;
  return [
    ...(seconds > mostSeconds ? [`${seconds} s, ${facts}`] : []),
    ...(failure.flaky ? [`flaky, ${repeated.failed} of ${repeated.of}, ${facts}`] : []),
    ...(failure.broken_since ? [`broken since, ${facts}`] : []),
    ...(told.length > steps + 1
      ? [`${told.length} steps in place of ${steps}, ${facts}`.slice(0, 2 * mostShown)]
      : []),
  ];
}

/** Whether the script exits with 1 against the fault, and what is wrong with it. */
async function tryScript(
  fault: Fault,
  { steps }: ExploreFailureDocument,
  cwd: string,
  flags: readonly string[],
): Promise<{ readonly isShown: boolean; readonly problems: readonly string[] }> {
  const script = readdirSync(cwd).find((name) => name.endsWith('.sh')) ?? '';
  const origin = /http:\/\/127\.0\.0\.1:\d+/.exec(readFileSync(join(cwd, script), 'utf8'));
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of the shell
  const url = fault.side === 'app' ? '${AUTHCLI_URL%/callback}' : '$AUTHCLI_AUTH_URL';
  // It names the address of the emulator that has ended.
  const line = `sed "s#${origin?.[0]}#${url}#g" ${script} | sh -s`;
  const [, , ...others] = flags;
  const secrets = fault.side === 'service' ? secretsOf(steps, join(cwd, '..')) : {};
  const run = (settings: readonly string[]) =>
    emulate(fault.side, settings, cwd, ['sh', '-c', line], secrets);
  const [right, faulty] = [await run(others), await run(flags)];
  const isShown = faulty.status === 1;
  const problems = [
    ...(right.status === 0 ? [] : [`script, right side: ${ending(right)}`]),
    ...(isShown ? [] : [`script, faulty side: ${ending(faulty)}`]),
  ];
  return { isShown, problems };
}

/** The key and the passcode of each user, as a script reads them. */
function secretsOf(
  steps: ExploreFailureDocument['steps'],
  folder: string,
): Readonly<Record<string, string>> {
  const env = { ...process.env, AUTHCLI_CONFIG: join(folder, 'config.json') };
  const found = steps.map(({ user, ptn_cd: ptnCd }) => {
    const argv = [program, 'users', 'show', ptnCd, '--json', '--show-secrets'];
    const { key, super_passcode: passcode } = JSON.parse(
      String(execFileSync(process.execPath, argv, { env })),
    );
    return { [`KEY_${user}`]: key, [`PASSCODE_${user}`]: passcode };
  });
  return Object.assign({}, ...found);
}

function ending({ status, output }: { readonly status: number; readonly output: string }): string {
  return `${status} ${output.slice(0, mostShown)}`;
}

function summaryOf(trials: readonly Trial[]): SectionResult {
  const found = trials.filter(({ failure }) => failure !== undefined);
  const shrunk = found.filter(
    ({ fault, failure }) => (failure?.steps.length ?? 0) <= fault.steps + 1,
  );
  const scripts = found.filter(({ script }) => script !== undefined);
  const seconds = found.map((trial) => trial.seconds).sort((one, other) => one - other);
  const what = 'explored faults';
  const atLeast = 60;
  const tried = trials.length;
  const rows: readonly Row[] = [
    ...trials.map(rowOf),
    { what, tried, outcome: 'found', count: found.length, atLeast },
    { what, tried, outcome: 'in the fewest steps, or one more', count: shrunk.length, atLeast },
    {
      what: 'their scripts',
      tried: scripts.length,
      outcome: 'show the fault',
      count: scripts.filter(({ script }) => script === 'shows it').length,
      atLeast: 60,
    },
    {
      what: 'explored faults, whole runs',
      tried,
      outcome: 's in the median',
      count: seconds[seconds.length >> 1] ?? 0,
      atLeast,
    },
  ];
  const failures = trials.flatMap(({ fault, problems }) =>
    problems.map((problem) => `${fault.side} ${fault.name}: ${problem}`),
  );
  return { rows, failures };
}

/** A line of the table: the callbacks that were sent in all, and the steps of the failure. */
function rowOf({ fault, seconds, callbacks, failure, script }: Trial): Row {
  const { name, side, steps } = fault;
  const outcome = `of ${steps} steps, ${seconds} s, script ${script ?? 'absent'}`;
  const count = failure?.steps.length ?? 0;
  return { what: `${side} ${name}`, tried: callbacks, outcome, count, atLeast: 1 };
}
