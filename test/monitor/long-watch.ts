import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { queryObjects } from 'node:v8';
import type { Context } from '../../src/cli/context.ts';
import { runProgram } from '../../src/cli/program.ts';
import { startServer } from '../../src/emulator/server.ts';
import { application } from '../conformance/support.ts';
import { keyPairSource } from '../support/key-pairs.ts';
import { memoryInUse } from '../support/resources.ts';
import { contextIn } from '../support/run.ts';

/** The fault of the application, a few runs each: none, another, or no response at all. */
const periods = ['', 'oaep-sha256', '', 'reset', 'not-base64', ''] as const;
const runsOfPeriod = 4;

type State = (typeof periods)[number];

/** What the application does in a run, counted from 1. */
function stateIn(run: number): State {
  return periods[Math.floor((run - 1) / runsOfPeriod) % periods.length] ?? '';
}

function statusIn(run: number): 'passed' | 'failed' | 'unreachable' {
  const state = stateIn(run);
  if (state === 'reset') return 'unreachable';
  return state === '' ? 'passed' : 'failed';
}

const numbersTo = (runs: number) => Array.from({ length: runs }, (_, index) => index + 1);

/** What a watch of that many runs must find. */
export function expectedOf(runs: number) {
  const statuses = numbersTo(runs).map(statusIn);
  const count = (status: string) => statuses.filter((one) => one === status).length;
  return {
    changed: numbersTo(runs).filter((run) => run > 1 && stateIn(run) !== stateIn(run - 1)),
    passed: count('passed'),
    failed: count('failed'),
    unreachable: count('unreachable'),
  };
}

/** What was found while the watch paused after one of its runs. */
export interface Sample {
  readonly run: number;
  /** What /metrics served. */
  readonly metrics: string;
  /** Bytes, and objects of any kind, that are in use once garbage has been collected. */
  readonly bytes: number;
  readonly objects: number;
}

/** What a watch found and left. */
export interface LongWatch {
  readonly status: number;
  readonly stderr: string;
  /** The numbers of the runs whose line on standard output has a change. */
  readonly printed: readonly number[];
  /** Those of the changes that the program of --on-change read. */
  readonly handedOn: readonly number[];
  readonly samples: readonly Sample[];
}

/**
 * `verify --every` in this process, by a clock that only pauses move, against an application that breaks and
 * recovers, with `samples` taken on the way.
 */
export async function watchFor(runs: number, samples: number): Promise<LongWatch> {
  const folder = mkdtempSync(join(tmpdir(), 'authcli-long-watch-'));
  const found = { printed: [] as number[], handedOn: [] as number[], samples: [] as Sample[] };
  let run = 0;
  let time = Date.UTC(2027, 0, 31);
  let metricsUrl = '';
  let stderr = '';
  const handlers = new Map(periods.map((state) => [state, handlerIn(state)]));
  const server = await startServer({
    host: '127.0.0.1',
    port: 0,
    handle: (request) => (handlers.get(stateIn(run)) ?? handlerIn('reset'))(request),
  });
  const takeLine = (line: string): void => {
    // Anything else is why it could not begin.
    if (!line.startsWith('{"event"')) stderr += `${line}\n`;
    const event = line.startsWith('{"event"') ? JSON.parse(line) : {};
    if (event.event === 'started') metricsUrl = event.metrics;
    if (event.event === 'run' && event.change !== null) found.printed.push(event.run);
  };
  const pause: Context['pause'] = async (milliseconds) => {
    time += milliseconds;
    const isSampled = run % Math.floor(runs / (samples + 1)) === 0;
    if (isSampled) found.samples.push(await sampleAfter(run, metricsUrl));
    run += 1;
  };
  const runWatched: Context['runWatched'] = async ({ input = '' }) => {
    found.handedOn.push(JSON.parse(String(input)).run);
    return { status: 0, signal: undefined, output: '', timedOut: false };
  };
  const changed = { now: () => time, pause, runWatched, generateKeyPair: await keyPairsInTurn() };
  const environment = { configFile: join(folder, 'config.json'), cwd: folder, context: changed };
  const context = contextIn(environment, {
    stdout: (text) => text.trim().split('\n').forEach(takeLine),
    stderr: (text) => {
      stderr += text;
    },
  });
  try {
    run = 1;
    const status = await runProgram(commandLine(`${server.url}/callback`, runs), context);
    return { ...found, status, stderr };
  } finally {
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A part of the production subset: what grows with the runs would grow with these. */
const checks = ['key-exchange/wraps-key', 'registration/answers-success', 'protocol/http-status'];

function commandLine(url: string, runs: number): readonly string[] {
  const chosen = checks.flatMap((id) => ['--check', id]);
  const verify = ['verify', '--url', url, '--safe', '--json', ...chosen];
  const repeated = ['--every', '5m', '--times', String(runs)];
  return [...verify, ...repeated, '--metrics', '127.0.0.1:0', '--on-change', 'take'];
}

function handlerIn(state: State): ReturnType<typeof application> {
  if (state !== 'reset') return application(...[state].filter(Boolean));
  const delivery = { breakOff: 'reset' } as const;
  return async () => ({ status: 200, headers: {}, body: new Uint8Array(), delivery });
}

async function sampleAfter(run: number, metricsUrl: string): Promise<Sample> {
  const metrics = await (await fetch(metricsUrl)).text();
  const objects = queryObjects(Object, { format: 'count' });
  return { run, metrics, objects, bytes: memoryInUse() };
}

/** A few key pairs, again and again: making new ones would take most of the time. */
async function keyPairsInTurn(): Promise<Context['generateKeyPair']> {
  const source = keyPairSource();
  const pairs = await Promise.all(Array.from({ length: 6 }, () => source()));
  let next = 0;
  return async () => {
    next += 1;
    return pairs[next % pairs.length] ?? source();
  };
}

/** What is wrong with a watch of that many runs; empty for nothing. */
export function faultsOf(watch: LongWatch, runs: number): readonly string[] {
  const { changed } = expectedOf(runs);
  const [first, last] = [watch.samples[0], watch.samples.at(-1)];
  const grown = (what: 'bytes' | 'objects') => (last?.[what] ?? 0) - (first?.[what] ?? 0);
  const tests = [
    [watch.status === 1, `exit status ${watch.status}: ${watch.stderr}`],
    [isSame(watch.printed, changed), `changes printed of the runs ${watch.printed}`],
    [isSame(watch.handedOn, changed), `changes handed on of the runs ${watch.handedOn}`],
    [last !== first, 'no two samples of the memory'],
    // Compiled code and full buffers are a part of the growth; a report of each run would be many times as much.
    [grown('bytes') < 1024 * 1024, `${grown('bytes')} bytes more in use`],
    [grown('objects') < 200, `${grown('objects')} objects more in use`],
  ] as const;
  return tests.flatMap(([isRight, what]) => (isRight ? [] : what));
}

function isSame(one: readonly number[], other: readonly number[]): boolean {
  return one.join() === other.join();
}
