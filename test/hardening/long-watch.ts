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

type Handle = ReturnType<typeof application>;

/** What the application does in a run, counted from 1. */
function stateIn(run: number): (typeof periods)[number] {
  return periods[Math.floor((run - 1) / runsOfPeriod) % periods.length] ?? '';
}

/** A part of the production subset: what grows with the runs would grow with these. */
const checks = ['key-exchange/wraps-key', 'registration/answers-success', 'protocol/http-status'];

/**
 * `verify --every` in this process, by a clock that only pauses move, against an application that breaks and
 * recovers, with `samples` of the memory taken on the way. Returns what is wrong with it; empty for nothing.
 */
export async function faultsOfWatch(runs: number, samples: number): Promise<readonly string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'authcli-long-watch-'));
  /** The runs whose change the program of --on-change read. */
  const handedOn: number[] = [];
  /** Bytes, and objects of any kind, that are in use once garbage has been collected. */
  const used: { bytes: number; objects: number }[] = [];
  let [run, time, stderr] = [1, Date.UTC(2027, 0, 31), ''];
  const handlers = periods.map((state) => application(...[state].filter(Boolean)));
  const handle: Handle = (request) => {
    const handler = handlers[periods.indexOf(stateIn(run))] ?? application();
    return handler(request);
  };
  const server = await startServer({ host: '127.0.0.1', port: 0, handle });
  const pause: Context['pause'] = async (milliseconds) => {
    time += milliseconds;
    if (run % Math.floor(runs / (samples + 1)) === 0) {
      used.push({ bytes: memoryInUse(), objects: queryObjects(Object, { format: 'count' }) });
    }
    run += 1;
  };
  const runChild: Context['runChild'] = async ({ input = '' }) => {
    handedOn.push(JSON.parse(String(input)).run);
    return { status: 0, signal: undefined, output: '', timedOut: false };
  };
  // A few key pairs, again and again: making new ones would take most of the time.
  const source = keyPairSource();
  const pairs = await Promise.all(Array.from({ length: 6 }, () => source()));
  let next = 0;
  const generateKeyPair = async () => pairs[next++ % pairs.length] ?? source();
  const changed = { now: () => time, pause, runChild, generateKeyPair };
  const environment = { configFile: join(folder, 'config.json'), cwd: folder, context: changed };
  const context = contextIn(environment, {
    stdout: () => {},
    stderr: (text) => {
      stderr += text;
    },
  });
  const chosen = checks.flatMap((id) => ['--check', id]);
  const argv = ['verify', '--url', `${server.url}/callback`, '--safe', '--json', ...chosen];
  const repeated = ['--every', '5m', '--times', String(runs), '--on-change', 'take'];
  const status = await runProgram([...argv, ...repeated], context);
  await server.close();
  rmSync(folder, { recursive: true, force: true });
  const numbers = Array.from({ length: runs - 1 }, (_, index) => index + 2);
  const expected = numbers.filter((each) => stateIn(each) !== stateIn(each - 1));
  const [first, last] = [used[0], used.at(-1)];
  const grown = (what: 'bytes' | 'objects') => (last?.[what] ?? 0) - (first?.[what] ?? 0);
  const tests = [
    [status === 1, `exit status ${status}: ${stderr}`],
    [`${handedOn}` === `${expected}`, `changes handed on of the runs ${handedOn}`],
    [last !== first, 'no two samples of the memory'],
    // Compiled code and full buffers are a part of the growth; a report of each run would be many times as much.
    [grown('bytes') < 1024 * 1024, `${grown('bytes')} bytes more in use`],
    [grown('objects') < 200, `${grown('objects')} objects more in use`],
  ] as const;
  return tests.flatMap(([isRight, what]) => (isRight ? [] : what));
}
